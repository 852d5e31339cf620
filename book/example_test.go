package book_test

import (
	"fmt"

	"tesla/board"
	"tesla/book"
)

// A book of two first moves is made in memory and asked for them.
func ExampleRead() {
	g := board.NewGame(board.StartPosition())
	var data []byte
	for _, entry := range []struct {
		move   string
		weight uint16
	}{{"e2e4", 3}, {"d2d4", 1}} {
		m, err := g.Pos.ParseMove(entry.move)
		if err != nil {
			fmt.Println(err)
			return
		}
		data = book.Append(data, g, m, entry.weight)
	}

	b, err := book.Read(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, choice := range b.Moves(g) {
		fmt.Println(g.Pos.UCI(choice.Move, false), choice.Weight)
	}
	// Output:
	// e2e4 3
	// d2d4 1
}
