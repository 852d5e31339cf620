// Package boardtest makes positions and games for tests.
package boardtest

import (
	"testing"

	"tesla/board"
)

// Position reads a FEN, or ends the test.
func Position(t testing.TB, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Play plays moves in UCI form, or ends the test.
func Play(t testing.TB, g *board.Game, moves ...string) *board.Game {
	t.Helper()
	for _, text := range moves {
		m, err := g.Pos.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	return g
}
