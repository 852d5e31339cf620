package treesearch

import "tesla/board"

// The correction history: what search found beyond the net's value is added, in part, to the net's values of other
// positions with the same pawns, the same pieces of either side, or the same last two moves. Alpha-beta engines add
// such sums to their static values; the bias correction of KataGo trusts a part of its sum only, since values that are
// backed up hold corrections themselves (D. J. Wu, "Other Methods Implemented in KataGo", 2021).

// Corrections are in q units, for the side to move.
type Corrections [4][2 * board.KeySlots]float32

// CorrectionIndex is where the corrections of a position are.
type CorrectionIndex [len(Corrections{})]uint16

const (
	// CorrectionMost bounds each correction, q units.
	CorrectionMost = 0.2
	// levelMost is the doublings of evaluations from which on a node's corrections are learned no faster.
	levelMost = 10
)

// CorrectionIndexOf is the index of a position after two moves, each NullMove where there was none.
func CorrectionIndexOf(p *board.Position, before, last board.Move) CorrectionIndex {
	index := CorrectionIndex{board.PawnKey(p), board.PieceKey(p, p.Ours), board.PieceKey(p, p.Theirs), board.MoveKey(before, last)}
	if p.Black {
		for i := range index {
			index[i] += board.KeySlots
		}
	}
	return index
}

// Sum is the whole correction.
func (c *Corrections) Sum(index *CorrectionIndex) (v float32) {
	for k, slot := range index {
		v += c[k][slot]
	}
	return v
}

// Learn moves the corrections of a node towards what search found beyond the net's value, at a rate for each doubling
// of the node's evaluations, of which there were level.
func (c *Corrections) Learn(index *CorrectionIndex, rate float64, level uint8, beyond float32) {
	step := float32(rate) * float32(min(level, levelMost)) * (beyond - c.Sum(index))
	for k, slot := range index {
		x := &c[k][slot]
		*x = max(-CorrectionMost, min(CorrectionMost, *x+step))
	}
}
