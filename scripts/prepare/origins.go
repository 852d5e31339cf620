package main

import (
	"math/rand/v2"

	"tesla/board"
	"tesla/lab/games"
)

const (
	noRow     = 1<<32 - 1 // stands for no position
	rootPlies = 6         // the most plies from the root of an imagined search to a position of a game
)

// origins imagines, for each position, a search that reaches it, and finds two positions that this search has already
// evaluated: its root, and a later position on its PV. For a position of a game the root is a position at most
// rootPlies earlier, and the second position lies between the two. A line that begins in a position of an earlier game
// has that position as its root, and the next position of that game as the second one.
type origins struct {
	rows   map[uint64]uint32 // row of each position of a game, by key
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

// of returns the row of the root for the next position, which has the given row, and by how many rows the second
// position follows the root; 0 where there is none.
func (o *origins) of(p *board.Position, row uint32) (root uint32, next uint8) {
	o.games = append(o.games, o.first)
	if o.before != noRow {
		if after := o.before + 1; after < o.first && o.games[after] == o.games[o.before] {
			next = 1
		}
		return o.before, next
	}
	o.rows[p.Key] = row
	above := row - o.first
	if above == 0 {
		return noRow, 0
	}
	plies := 1 + o.random.Uint32N(min(above, rootPlies))
	if plies > 1 {
		next = uint8(1 + o.random.Uint32N(plies-1))
	}
	return row - plies, next
}
