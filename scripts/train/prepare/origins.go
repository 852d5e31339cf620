package main

import (
	"math/rand/v2"

	"tesla/board"
	"tesla/lab/games"
)

const (
	// noRow is the row of nothing, otherSide the bit that tells that the other side is to move there.
	noRow     = 1<<32 - 1
	otherSide = 1 << 31
	// rootPlies is how far above a position of a game the search's root is taken to be, at most.
	rootPlies = 6
)

// origins tells of a position where a search that met it would have begun, and what it would have thought best there: the root
// and a position on its principal variation. A line that begins in a position of an earlier game has that for its root, the next of that
// game on the variation; a position of a game has one some plies before, and one between.
type origins struct {
	rows   map[uint64]uint32 // of the positions that were met, by key
	black  []bool            // of a row
	games  []uint32          // first row of a row's game
	random *rand.Rand

	first  uint32 // row of the game
	before uint32 // row of the position that it begins in; noRow where none is known
}

func newOrigins() origins {
	return origins{rows: map[uint64]uint32{}, random: rand.New(rand.NewPCG(1, 0))}
}

// begin begins a game, whose first position will have such a row.
func (o *origins) begin(g *games.Game, row uint32) {
	o.first, o.before = row, noRow
	if at, ok := o.rows[g.Start.Key]; ok && len(g.Opening) > 0 {
		o.before = at
	}
}

// of is the context of the next position, which has such a row: the root's row and that of a position on its variation.
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
