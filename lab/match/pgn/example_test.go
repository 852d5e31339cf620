package pgn_test

import (
	"fmt"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// A move is read and written in standard algebraic notation.
func ExampleParseSAN() {
	p := board.StartPosition()
	m, err := pgn.ParseSAN(&p, "Nf3")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.UCI(m, false), pgn.SAN(&p, m))
	_, err = pgn.ParseSAN(&p, "Nf4")
	fmt.Println(err)
	// Output:
	// g1f3 Nf3
	// move "Nf4": no legal move fits
}

// A file of games is read with its comments. What cannot be read costs one game only.
func ExampleReadAnnotated() {
	const file = `[White "Morphy"]
[Black "Anderssen"]
[Result "*"]

1. e4 {best by test} e5 2. Nf3 *
`
	for _, game := range pgn.ReadAnnotated(file) {
		for _, e := range game.Elements {
			if e.Kind == pgn.Played {
				fmt.Println(pgn.SAN(&e.Before, e.Move))
			}
		}
	}
	// Output:
	// e4
	// e5
	// Nf3
}
