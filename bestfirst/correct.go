package bestfirst

import (
	"tesla/batcher"
	"tesla/board"
)

// What the net thinks of a position is corrected by what search found beyond it in positions of like structure: that of the pawns, of
// either side's other men, and the last two moves. So the correction histories of alpha-beta engines do, which add such sums, and the
// bias correction of KataGo, which trusts a part of it only (D. J. Wu, "Other Methods Implemented in KataGo", 2021): values that are
// backed up hold corrections themselves.

// corrections are in q units, for the side to move.
type corrections [4][2 * board.KeySlots]float32

// lesson is where the corrections of a position are.
type lesson [len(corrections{})]uint16

const (
	correctionMost = 0.2 // of each
	// From a node of so many doublings of evaluations no more is learned at once than from one of fewer.
	lessonLevels = 10
)

// lessonOf is that of a leaf.
func (pr *promoter) lessonOf(it *batcher.Item, l *leaf) lesson {
	p := &it.Position
	of := lesson{board.PawnKey(p), board.PieceKey(p, p.Ours), board.PieceKey(p, p.Theirs), board.MoveKey(pr.before(l.path, 2), pr.before(l.path, 1))}
	if p.Black {
		for i := range of {
			of[i] += board.KeySlots
		}
	}
	return of
}

// before is the move so many plies before the end of a path, perhaps one of the game; NullMove where there is none.
func (pr *promoter) before(path []step, plies int) board.Move {
	if i := len(path) - plies; i >= 0 {
		return path[i].edge.move()
	} else if i += len(pr.loop.Game().Moves); i >= 0 {
		return pr.loop.Game().Moves[i]
	}
	return board.NullMove
}

// sum is the whole correction.
func (c *corrections) sum(of *lesson) (v float32) {
	for k, slot := range of {
		v += c[k][slot]
	}
	return v
}

// corrected is a net's q with a share of its correction.
func (pr *promoter) corrected(q float32, of *lesson) float32 {
	return unproven(q + float32(pr.opts.Correct)*pr.corrections.sum(of))
}

// learn moves a node's corrections towards what it is worth beyond its net's value.
func (pr *promoter) learn(i uint32) {
	n, of := &pr.tree.Nodes.Items[i], &pr.tree.lessons[i]
	if n.flags&nodeProven != 0 {
		return
	}
	step := float32(pr.opts.Learn) * float32(min(n.level, lessonLevels)) * (qOf[uint16(n.value)] - qOf[uint16(n.raw)] - pr.corrections.sum(of))
	for k, slot := range of {
		c := &pr.corrections[k][slot]
		*c = max(-correctionMost, min(correctionMost, *c+step))
	}
}
