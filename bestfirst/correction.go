package bestfirst

import (
	"tesla/batcher"
	"tesla/board"
)

// The correction history: what search found beyond the net's value is added, in part, to the net's values of other
// positions with the same pawns, the same pieces of either side, or the same last two moves. Alpha-beta engines add
// such sums to their static values; the bias correction of KataGo trusts a part of its sum only, since values that are
// backed up hold corrections themselves (D. J. Wu, "Other Methods Implemented in KataGo", 2021).

// corrections are in q units, for the side to move.
type corrections [4][2 * board.KeySlots]float32

// correctionIndex is where the corrections of a position are.
type correctionIndex [len(corrections{})]uint16

const (
	// correctionMost bounds each correction, q units.
	correctionMost = 0.2
	// levelMost is the doublings of evaluations from which on a node's corrections are learned no faster.
	levelMost = 10
)

// correctionIndex is that of a leaf.
func (pr *promoter) correctionIndex(it *batcher.Item, l *leaf) correctionIndex {
	p := &it.Position
	index := correctionIndex{board.PawnKey(p), board.PieceKey(p, p.Ours), board.PieceKey(p, p.Theirs),
		board.MoveKey(pr.before(l.path, 2), pr.before(l.path, 1))}
	if p.Black {
		for i := range index {
			index[i] += board.KeySlots
		}
	}
	return index
}

// before is the move some plies before the end of a path, perhaps one of the game; NullMove where there is none.
func (pr *promoter) before(path []step, plies int) board.Move {
	i, played := len(path)-plies, pr.loop.Game().Moves
	switch {
	case i >= 0:
		return path[i].edge.move()
	case i+len(played) >= 0:
		return played[i+len(played)]
	}
	return board.NullMove
}

// sum is the whole correction.
func (c *corrections) sum(index *correctionIndex) (v float32) {
	for k, slot := range index {
		v += c[k][slot]
	}
	return v
}

// corrected is a net's q with a share of its correction.
func (pr *promoter) corrected(q float32, index *correctionIndex) float32 {
	return unproven(q + float32(pr.opts.Correct)*pr.corrections.sum(index))
}

// learn moves a node's corrections towards what its value is beyond the net's.
func (pr *promoter) learn(i uint32) {
	n, index := &pr.tree.Nodes.Items[i], &pr.tree.indices[i]
	if n.flags&nodeProven != 0 {
		return
	}
	step := float32(pr.opts.Learn) * float32(min(n.level, levelMost)) * (qOf[uint16(n.value)] - qOf[uint16(n.raw)] - pr.corrections.sum(index))
	for k, slot := range index {
		c := &pr.corrections[k][slot]
		*c = max(-correctionMost, min(correctionMost, *c+step))
	}
}
