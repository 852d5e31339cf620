package gaviota_test

import (
	"errors"
	"fmt"

	"tesla/board"
	"tesla/tablebase/gaviota"
)

// Tables of three pieces are asked how soon a king and rook mate.
func ExampleOpen() {
	tables, errs := gaviota.Open("testdata/gtb4", gaviota.DefaultCacheBytes)
	if err := errors.Join(errs...); err != nil {
		fmt.Println(err)
		return
	}
	defer tables.Close()
	p, err := board.ParseFEN("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := tables.DTM(&p, gaviota.Hard)
	fmt.Println(value.Result == gaviota.Win, value.Plies, err)
	// Output: true 1 <nil>
}
