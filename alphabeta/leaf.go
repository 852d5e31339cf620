package alphabeta

import (
	"tesla/board"
	"tesla/nnue"
	"tesla/tt128"
)

// leafNodes bounds the search of a leaf.
const leafNodes = 1000000

// Leaf deepens leaves of the best-first search. It implements treesearch.Deepener.
type Leaf struct {
	*Thread
	depth int // plies, where no more are asked for
}

// NewLeaf returns a Leaf on a net and a table, which may be shared.
func NewLeaf(net *nnue.Net, table *tt128.Table, depth int) Leaf {
	return Leaf{NewThread(net, table, AllParts()), depth}
}

// Leaf is the value of p in centipawns after a search some plies further than to the depth, and its best move. What it says depends
// on what the table and the histories remember of other leaves.
func (l Leaf) Leaf(p *board.Position, further int, stop func() bool) (cp int, best board.Move) {
	line := l.Deepen(p, l.depth+further, leafNodes, stop)
	if len(line.PV) == 0 {
		return line.Score, board.NullMove
	}
	return line.Score, line.PV[0]
}
