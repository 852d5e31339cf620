package board_test

import (
	"fmt"
	"log"

	"tesla/board"
)

// Perft counts the leaves of the tree of legal moves. Chess programs compare these counts.
func ExamplePerft() {
	p := board.StartPosition()
	for depth := 1; depth <= 4; depth++ {
		fmt.Println(depth, board.Perft(&p, depth))
	}
	// Output:
	// 1 20
	// 2 400
	// 3 8902
	// 4 197281
}

// A line ends at its first move that is not legal, here a null move. The same squares are e7e5 for Black.
func ExamplePosition_Along() {
	p := board.StartPosition()
	e4, err := p.ParseMove("e2e4")
	if err != nil {
		log.Fatal(err)
	}
	for at, m := range p.Along([]board.Move{e4, e4, board.NullMove}) {
		fmt.Println(at.UCI(m, false))
	}
	// Output:
	// e2e4
	// e7e5
}

// Squares of a move are from the mover's view. UCI writes a move as the protocol wants it.
func ExamplePosition_LegalMoves() {
	p, err := board.ParseFEN("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range p.LegalMoves(nil) {
		if m.IsCastling() {
			fmt.Println(p.UCI(m, false), p.UCI(m, true))
		}
	}
	// Output: e1c1 e1a1
}

// Make writes the position after a move to another Position, so a search need not unmake moves.
func ExamplePosition_Make() {
	p := board.StartPosition()
	m, err := p.ParseMove("e2e4")
	if err != nil {
		log.Fatal(err)
	}
	next := p.After(m)
	fmt.Println(next.FEN(false))
	// Output: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
}

// The queen takes a pawn that another pawn defends: the exchange loses material.
func ExamplePosition_SEE() {
	p, err := board.ParseFEN("4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	m, err := p.ParseMove("d1d5")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.IsCapture(), p.SEE(m, 0))
	// Output: true false
}

// A Game keeps the keys of all its positions, which repetition needs.
func ExampleGame() {
	g := board.NewGame(board.StartPosition())
	for range 2 {
		for _, text := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
			m, err := g.Pos.ParseMove(text)
			if err != nil {
				log.Fatal(err)
			}
			g.Play(m)
		}
	}
	fmt.Println(g.Outcome())
	// Output: repetition
}
