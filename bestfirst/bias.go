package bestfirst

import "tesla/board"

// Positions with the same pawns are misjudged alike. The tree tells by how much: what search found of them less what they were
// taken for at first. A leaf's value is corrected by it, as alpha-beta engines do by their correction histories, and KataGo by
// its subtree value bias (Wu 2021).

const (
	biasSlots = 1 << 14
	mostBias  = 0.2 // q units
)

// biases holds a correction for each slot, q units for the side to move.
type biases [biasSlots]float32

// biasSlot is the slot of a position's pawns, as the side to move sees them.
func biasSlot(p *board.Position) uint16 {
	const odd = 0x9e3779b97f4a7c15
	ours, theirs := uint64(p.Pawns&p.Ours), uint64(p.Pawns&p.Theirs)
	return uint16(((ours*odd ^ theirs) * odd) >> 50)
}

// note moves a slot's correction by what is left to correct of a node in it, when its evaluations have doubled.
func (b *biases) note(n *node, rate float32) {
	at := &b[n.bias]
	*at = max(-mostBias, min(mostBias, *at+rate*(n.q-n.base)))
}
