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
			last := p
			last.Make(last.LegalMoves(nil)[0], &p)
		}
		return positions
	}
	o := newOrigins()
	row := uint32(0)
	add := func(g *games.Game, positions []board.Position) (contexts [][2]uint32) {
		o.begin(g, row)
		for i := range positions {
			contexts = append(contexts, o.of(&positions[i], row))
			row++
		}
		return contexts
	}
	game := line(start, 12)
	for i, c := range add(&games.Game{Start: start}, game) {
		root, next := c[0]&^otherSide, c[1]&^otherSide
		switch {
		case i == 0:
			if c != [2]uint32{noRow, noRow} {
				t.Errorf("the first position has the context %v", c)
			}
		case root >= uint32(i) || i-int(root) > rootPlies, c[1] != noRow && (next <= root || next >= uint32(i)):
			t.Errorf("position %d has the context %v", i, c)
		case (c[0]&otherSide != 0) != ((i-int(root))%2 == 1):
			t.Errorf("position %d has the context %v, with the wrong side to move", i, c)
		}
	}
	beside := game[4]
	beside.Make(game[4].LegalMoves(nil)[1], &beside)
	c := add(&games.Game{Start: game[4], Opening: []games.Code{0}}, line(beside, 2))
	if want := [2]uint32{4 | otherSide, 5}; c[0] != want {
		t.Errorf("a line from position 4 has the context %v, want %v", c[0], want)
	}
	if c = add(&games.Game{Start: beside, Opening: []games.Code{0}}, line(beside, 1)); c[0][0] != noRow {
		t.Errorf("a line from an unknown position has the context %v", c[0])
	}
}
