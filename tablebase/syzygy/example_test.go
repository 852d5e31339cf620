package syzygy_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"tesla/board"
	"tesla/tablebase/syzygy"
	"tesla/tablebase/syzygy/generate"
)

// Tables of three pieces are made in a folder, and asked who wins, and how soon a pawn can move or a piece be captured.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "syzygy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := generate.Run(context.Background(), dir, 3, func(string) {}); err != nil {
		fmt.Println(err)
		return
	}

	tables, errs := syzygy.Open(dir, syzygy.DefaultCacheBytes)
	if err := errors.Join(errs...); err != nil {
		fmt.Println(err)
		return
	}
	defer tables.Close()
	p, err := board.ParseFEN("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := tables.WDL(&p, syzygy.Hard)
	fmt.Println(value == syzygy.Draw, err)

	p, err = board.ParseFEN("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err = tables.WDL(&p, syzygy.Hard)
	fmt.Println(value == syzygy.Loss, err)
	plies, err := tables.DTZ(&p, syzygy.Hard)
	fmt.Println(plies, err)

	start := board.StartPosition()
	_, err = tables.WDL(&start, syzygy.Hard)
	fmt.Println(err)
	// Output:
	// true <nil>
	// true <nil>
	// -8 <nil>
	// tables have no positions with castling rights
}
