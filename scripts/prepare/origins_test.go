package main

import (
	"testing"

	"tesla/board"
	"tesla/lab/games"
)

// TestOrigins checks three kinds of positions. A position of a game has an earlier position of that game as its root,
// and one between the two. A line that leaves a game has the position where it left, and the next one of that game.
// Other lines have neither.
func TestOrigins(t *testing.T) {
	start := board.StartPosition()
	line := func(p board.Position, moves int) (positions []board.Position) {
		for range moves {
			positions = append(positions, p)
			p = p.After(p.LegalMoves(nil)[0])
		}
		return positions
	}
	o := newOrigins()
	row := uint32(0)
	add := func(g *games.Game, positions []board.Position) (found [][2]uint32) {
		o.begin(g, row)
		for i := range positions {
			root, next := o.of(&positions[i], row)
			found = append(found, [2]uint32{root, uint32(next)})
			row++
		}
		return found
	}
	game := line(start, 12)
	for i, c := range add(&games.Game{Start: start}, game) {
		root, next := c[0], c[0]+c[1]
		switch {
		case i == 0:
			if c != [2]uint32{noRow, 0} {
				t.Errorf("the first position has the origin %v", c)
			}
		case root >= uint32(i) || i-int(root) > rootPlies, next >= uint32(i):
			t.Errorf("position %d has the origin %v", i, c)
		}
	}
	beside := game[4]
	beside.Make(game[4].LegalMoves(nil)[1], &beside)
	c := add(&games.Game{Start: game[4], Opening: []games.Code{0}}, line(beside, 2))
	if want := [2]uint32{4, 1}; c[0] != want {
		t.Errorf("a line from position 4 has the origin %v, want %v", c[0], want)
	}
	if c = add(&games.Game{Start: beside, Opening: []games.Code{0}}, line(beside, 1)); c[0][0] != noRow {
		t.Errorf("a line from an unknown position has the origin %v", c[0])
	}
}
