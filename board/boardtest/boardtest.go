// Package boardtest makes positions for tests.
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
