package bestfirst

import (
	"math"

	"tesla/board"
)

// The net errs alike in like positions, and the tree tells how: what search found of a position less what it was taken for at first,
// and how often its moves were searched beside what the policy expected. Later leaves are corrected by that.
//
// Values are corrected by pawns and by the last two moves, as by the correction histories of alpha-beta engines, and as KataGo
// does by subtree value bias (Wu 2021); policies by the move and by the move that it answers, as alpha-beta engines order moves
// by histories (Schaeffer 1983).

const (
	pawnSlots = 1 << 14
	mostBias  = 0.2 // q units, of each table
	mostHabit = 2   // nats, of each table
	// habitEvals is how many evaluations a position needs to tell anything of its moves.
	habitEvals = 16
	contexts   = 1 << 9
)

// lessons are the corrections.
type lessons struct {
	pawns   [pawnSlots]float32           // q units for the side to move
	moves   [contexts * contexts]float32 // alike, by the last two moves
	habits  [1 << 15]float32             // nats, by from, to and what is moved
	answers [contexts * contexts]float32 // alike, by the move that is answered and the answer
}

// pawnSlot is the slot of a position's pawns, as the side to move sees them.
func pawnSlot(p *board.Position) uint16 {
	const odd = 0x9e3779b97f4a7c15
	ours, theirs := uint64(p.Pawns&p.Ours), uint64(p.Pawns&p.Theirs)
	return uint16(((ours*odd ^ theirs) * odd) >> 50)
}

// pair is the slot of two moves, one after the other: what moved where to.
func pair(two [2]board.Move) (slot uint32) {
	for _, m := range two {
		slot = slot*contexts | uint32(m.Moved())<<6 | uint32(m.To())
	}
	return slot
}

// lastMoves are the last two moves of a path and the game before it; null moves where there are none.
func (s *Searcher) lastMoves(path []step) (two [2]board.Move) {
	for i := range two {
		if k := len(path) - 2 + i; k >= 0 {
			two[i] = path[k].edge.move()
		} else if k += len(s.loop.Game.Moves); k >= 0 {
			two[i] = s.loop.Game.Moves[k]
		}
	}
	return two
}

// bias is the correction of a leaf's value.
func (l *lessons) bias(pawns uint16, last [2]board.Move) float32 {
	return l.pawns[pawns] + l.moves[pair(last)]
}

// note moves a node's corrections of the value by what is left to correct of it.
func (l *lessons) note(n *node, last [2]board.Move, rate float32) {
	beyond := rate * (n.q - n.base)
	shift(&l.pawns[n.pawns], beyond, mostBias)
	shift(&l.moves[pair(last)], beyond, mostBias)
}

// shift changes a correction, within bounds.
func shift(at *float32, by, most float32) { *at = max(-most, min(most, *at+by)) }

// urge is the factor that a move's prior is corrected by.
func (l *lessons) urge(last, m board.Move) float32 {
	return float32(math.Exp(float64(l.habits[habit(m)] + l.answers[pair([2]board.Move{last, m})])))
}

func habit(m board.Move) uint32 { return uint32(m) & (1<<15 - 1) }

// watch moves the corrections of the policy of a node's moves by the share of the evaluations that they got beyond their priors: the
// gradient of the policy's cross-entropy to those shares.
func (l *lessons) watch(t *tree, n *node, last board.Move, rate float32) {
	if n.n < habitEvals {
		return
	}
	for i := range int(n.tried) {
		e := t.edge(n, i)
		beyond := rate * (float32(e.n)/float32(n.n) - float32(e.prior)/math.MaxUint16)
		shift(&l.habits[habit(e.move())], beyond, mostHabit)
		shift(&l.answers[pair([2]board.Move{last, e.move()})], beyond, mostHabit)
	}
}
