package alphabeta

import (
	"tesla/board"
	"tesla/nnue"
	"tesla/search"
	"tesla/tt128"
)

// leafNodes bounds the search of a leaf, in nodes.
const leafNodes = 1000000

// Leaf deepens leaves of the best-first search. It implements treesearch.Deepener.
type Leaf struct {
	*Thread
	depth int // plies of the first search of a leaf
}

// NewLeaf returns a Leaf on a net and a table, which others may share.
func NewLeaf(net *nnue.Net, table *tt128.Table, depth int) Leaf {
	return Leaf{NewThread(net, table, Mode{}), depth}
}

// Leaf is the value of p in centipawns by a search further plies deeper than the first one, and its best move. It
// depends on what the table and the histories hold of other leaves. Where the table holds bounds of a deeper search by
// another searcher, the value lies within them. keys and game are treesearch.Deepener's.
func (l Leaf) Leaf(p *board.Position, keys []uint64, game, further int, stop func() bool) (cp int, best board.Move) {
	l.begin(p, keys)
	l.game = game
	known, ok := l.known(p, l.depth+further)
	if ok && known.Bound() == tt128.BoundExact && p.IsLegal(known.Move()) {
		return known.Midpoint(), known.Move()
	}
	line := l.deepen(l.depth+further, leafNodes, stop)
	if len(line.PV) > 0 {
		best = line.PV[0]
	}
	if !ok {
		return line.Score, best
	}
	l.table.Store(p.Key, 0, known) // this search has replaced it
	if m := known.Move(); p.IsLegal(m) {
		best = m
	}
	return max(known.Lower(), min(line.Score, known.Upper())), best
}

// known is what another searcher found out about a position by a search deeper than depth.
func (l Leaf) known(p *board.Position, depth int) (e tt128.Entry, ok bool) {
	if !l.table.Handed() || p.Halfmove >= tableHalfmoves {
		return 0, false
	}
	e, ok = l.table.Probe(p.Key, 0)
	return e, ok && e.Draft() > depth && !search.IsDecided(e.Midpoint())
}

// Work is what the last Leaf took: nodes, and the plies of its longest line.
func (l Leaf) Work() (nodes int64, plies int) { return l.nodes, l.selDepth }
