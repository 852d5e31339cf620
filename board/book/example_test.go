package book_test

import (
	"fmt"

	"tesla/board"
	"tesla/board/book"
)

// A book of the lines 1. d4 d5 and 1. a3 is asked for first moves.
func ExampleOpen() {
	b, err := book.Open("testdata/own.bin")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := board.NewGame(board.StartPosition())
	for _, choice := range b.Moves(g) {
		fmt.Println(g.Pos.UCI(choice.Move, false), choice.Weight)
	}
	// Output:
	// d2d4 5
	// a2a3 0
}
