package alphabeta

import (
	"tesla/board"
	"tesla/nnue"
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
// depends on what the table and the histories hold of other leaves. keys and game are treesearch.Deepener's.
func (l Leaf) Leaf(p *board.Position, keys []uint64, game, further int, stop func() bool) (cp int, best board.Move) {
	l.begin(p, keys)
	l.game = game
	line := l.deepen(l.depth+further, leafNodes, stop)
	if len(line.PV) == 0 {
		return line.Score, board.NullMove
	}
	return line.Score, line.PV[0]
}

// Work is what the last Leaf took: nodes, and the plies of its longest line.
func (l Leaf) Work() (nodes int64, plies int) { return l.nodes, l.selDepth }
