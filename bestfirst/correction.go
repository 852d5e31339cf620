package bestfirst

import (
	"tesla/batcher"
	"tesla/board"
	"tesla/search/treesearch"
)

// correctionIndex is that of a leaf.
func (pr *promoter) correctionIndex(it *batcher.Item, l *leaf) treesearch.CorrectionIndex {
	return treesearch.CorrectionIndexOf(&it.Position, pr.before(l.path, 2), pr.before(l.path, 1))
}

// before is the move some plies before the end of a path, perhaps one of the game; NullMove where there is none.
func (pr *promoter) before(path []step, plies int) board.Move {
	if i := len(path) - plies; i >= 0 {
		return path[i].edge.move()
	}
	return pr.loop.Before(plies - len(path))
}

// corrected is a net's q with a share of its correction.
func (pr *promoter) corrected(q float32, index *treesearch.CorrectionIndex) float32 {
	return unproven(q + float32(pr.opts.Correct)*pr.corrections.Sum(index))
}

// learn moves a node's corrections towards what its value is beyond the net's.
func (pr *promoter) learn(i uint32) {
	if n := &pr.tree.Nodes.Items[i]; n.flags&nodeProven == 0 {
		pr.corrections.Learn(&pr.tree.indices[i], pr.opts.Learn, n.level, qOf[uint16(n.value)]-qOf[uint16(n.raw)])
	}
}
