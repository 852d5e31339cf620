package gaviota_test

import (
	"errors"
	"fmt"
	"os"

	"tesla/board"
	"tesla/gaviota"
	"tesla/gaviota/generate"
)

// Tables of three pieces are made in a folder, and asked how soon a king and rook mate.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "gaviota")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := generate.Run(dir, gaviota.LZMA); err != nil {
		fmt.Println(err)
		return
	}

	tables, errs := gaviota.Open(dir, gaviota.DefaultCacheBytes)
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
