package search

import "math"

// The centipawn scale. Nodes and tables hold scores as int16 centipawns; proven scores lie at its ends.
const (
	// MateScore less the plies to mate is the score of a proven mate.
	MateScore = 32000
	// maxMatePlies is the longest distance that a mate score can hold.
	maxMatePlies = 1000
	// Proven is the least score of a proven mate.
	Proven = MateScore - maxMatePlies
	// MaxCP limits the score of what is not proven.
	MaxCP = 10000
	// cpScale is the centipawns at which q = tanh(1).
	cpScale = 700.0
)

// CPToQ is the expected score in [-1, 1] of a centipawn score: tanh(cp/700).
func CPToQ(cp int) float64 { return math.Tanh(float64(cp) / cpScale) }

// QToCP is the inverse of CPToQ, rounded, and within [-MaxCP, MaxCP].
func QToCP(q float64) int {
	if q != q {
		return 0
	}
	cp := cpScale * math.Atanh(max(-1, min(1, q)))
	return int(math.Round(max(-MaxCP, min(MaxCP, cp))))
}

// ScoreFromQ is the score of an unproven expected score in [-1, 1].
func ScoreFromQ(q float64) Score { return Score{CP: QToCP(q)} }

// ScoreFromCP reads the int16 scale: MateScore - plies is a mate of so many plies, its negative being mated.
func ScoreFromCP(cp int) Score {
	switch {
	case cp >= Proven:
		return Score{CP: cp, Mate: max(1, (MateScore-cp+1)/2)}
	case cp <= -Proven:
		return Score{CP: cp, Mate: -max(1, (MateScore+cp+1)/2)}
	}
	return Score{CP: cp}
}

// Value is the score on the int16 scale that ScoreFromCP reads.
func (s Score) Value() int {
	switch {
	case s.Mate > 0:
		return MateScore - (2*s.Mate - 1)
	case s.Mate < 0:
		return -(MateScore + 2*s.Mate)
	}
	return max(-Proven, min(Proven, s.CP))
}

// Towards is a position's score as the move that leads there has it: negated, a mate one ply farther.
func Towards(cp int) int {
	switch cp = -cp; {
	case cp >= Proven:
		cp--
	case cp <= -Proven:
		cp++
	}
	return cp
}

// WDL rounds win, draw and loss probabilities to per mille that sum to 1000. Probabilities that do not sum to 1 are
// scaled; a sum of nothing gives all draws.
func WDL(w, d, l float64) [3]int {
	w, d, l = max(0, w), max(0, d), max(0, l)
	sum := w + d + l
	if !(sum > 0) || math.IsInf(sum, 0) {
		return [3]int{0, 1000, 0}
	}
	wi, li := int(math.Round(1000*w/sum)), int(math.Round(1000*l/sum))
	if wi+li > 1000 { // both round up from a half
		li = 1000 - wi
	}
	return [3]int{wi, 1000 - wi - li, li}
}

// WDL turns a score into probabilities (per mille): draws are as likely as draw says, 0..1, as far as the score leaves room.
func (s Score) WDL(draw float64) [3]int {
	switch {
	case s.Mate > 0:
		return [3]int{1000, 0, 0}
	case s.Mate < 0:
		return [3]int{0, 0, 1000}
	}
	score := (1 + CPToQ(s.CP)) / 2
	draw = min(draw, 2*min(score, 1-score))
	return WDL(score-draw/2, draw, 1-score-draw/2)
}
