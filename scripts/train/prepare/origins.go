package main

import (
	"math/rand/v2"

	"tesla/board"
	"tesla/lab/games"
)

const (
	noRow     = 1<<32 - 1 // stands for no position
	otherSide = 1 << 31   // is added to the row of a position in which the other side is to move
	rootPlies = 6         // the most plies from the root of an imagined search to a position of a game
)

// origins imagines, for each position, a search that reaches it, and finds two positions that this search has already
// evaluated: its root, and a later position on its PV. For a position of a game the root is a position at most
// rootPlies earlier, and the second position lies between the two. A line that begins in a position of an earlier game
// has that position as its root, and the next position of that game as the second one.
type origins struct {
	rows   map[uint64]uint32 // row of each position of a game, by key
	black  []bool            // by row: black is to move
	games  []uint32          // by row: the first row of its game
	random *rand.Rand

	first  uint32 // first row of the present game
	before uint32 // row of the earlier position in which this game begins; noRow where there is none
}

func newOrigins() origins {
	return origins{rows: map[uint64]uint32{}, random: rand.New(rand.NewPCG(1, 0))}
}

// begin begins a game; row is the row of its first position.
func (o *origins) begin(g *games.Game, row uint32) {
	o.first, o.before = row, noRow
	if at, ok := o.rows[g.Start.Key]; ok && len(g.Opening) > 0 {
		o.before = at
	}
}

// of returns the context of the next position, which has the given row: the rows of the root and of a position on the
// PV.
func (o *origins) of(p *board.Position, row uint32) (context [2]uint32) {
	o.black, o.games = append(o.black, p.Black), append(o.games, o.first)
	root, next := uint32(noRow), uint32(noRow)
	if o.before != noRow {
		root = o.before
		if after := root + 1; after < o.first && o.games[after] == o.games[root] {
			next = after
		}
	} else {
		o.rows[p.Key] = row
		if above := row - o.first; above > 0 {
			plies := 1 + o.random.Uint32N(min(above, rootPlies))
			root = row - plies
			if plies > 1 {
				next = root + 1 + o.random.Uint32N(plies-1)
			}
		}
	}
	for i, at := range [2]uint32{root, next} {
		if at != noRow && o.black[at] != p.Black {
			at |= otherSide
		}
		context[i] = at
	}
	return context
}
