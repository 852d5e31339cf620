package search

import "math"

// The centipawn scale. Nodes, tables and reports hold scores as int16 centipawns from the side to move. Unproven scores
// lie within MaxCP. Mates lie at the ends, from Proven on: MateScore less the distance in plies. Wins by endgame tables
// lie between them, from Decided on: TableScore less the distance in plies to the position that the tables know. Both
// together are the decided scores.
const (
	// MateScore less the distance in plies is the score of a forced mate.
	MateScore = 32000
	// maxMatePlies is the longest distance to mate that the scale can hold.
	maxMatePlies = 1000
	// Proven is the least score of a forced mate.
	Proven = MateScore - maxMatePlies
	// TableScore less the distance in plies is the score of a win by endgame tables.
	TableScore = 30000
	// Decided is the least score of a win that is certain, by tables or by mate.
	Decided = TableScore - maxMatePlies
	// tableReport is what reports take off the score of a win by tables: GUIs know it as 20,000 less the distance.
	tableReport = 10000
	// MaxCP bounds unproven scores.
	MaxCP = 10000
	// cpScale is the score, in centipawns, whose q is tanh(1).
	cpScale = 700.0
)

// MateIn is the score of giving mate in the given number of plies.
func MateIn(plies int) int { return MateScore - plies }

// MatedIn is the score of being mated in the given number of plies.
func MatedIn(plies int) int { return plies - MateScore }

// TableWinIn is the score of a win by endgame tables, which know a position after the given number of plies.
func TableWinIn(plies int) int { return TableScore - min(plies, maxMatePlies) }

// Plies is the distance in plies of a decided score, for either side: to mate, or to the position that the tables know.
func Plies(cp int) int {
	cp = max(cp, -cp)
	if cp >= Proven {
		return MateScore - cp
	}
	return TableScore - cp
}

// IsMate reports whether a score is that of a forced mate, for either side.
func IsMate(cp int) bool { return cp >= Proven || cp <= -Proven }

// IsTable reports whether a score is that of a win or loss by endgame tables.
func IsTable(cp int) bool {
	cp = max(cp, -cp)
	return cp >= Decided && cp <= TableScore
}

// IsDecided reports whether a score is that of a certain win or loss, by tables or by mate.
func IsDecided(cp int) bool { return cp >= Decided || cp <= -Decided }

// CPToQ is the expected score in [-1, 1] of a score in centipawns: tanh(cp / 700).
func CPToQ(cp int) float64 { return math.Tanh(float64(cp) / cpScale) }

// QToCP is the inverse of CPToQ, rounded and bounded by MaxCP. It is 0 for a NaN.
func QToCP(q float64) int {
	if q != q {
		return 0
	}
	cp := cpScale * math.Atanh(max(-1, min(1, q)))
	return int(math.Round(max(-MaxCP, min(MaxCP, cp))))
}

// ScoreFromCP is the report of a score on the centipawn scale. The side that mates makes the last move, so a mate in n
// plies takes it (n + 1) / 2 moves.
func ScoreFromCP(cp int) Score {
	switch {
	case cp >= Proven:
		return Score{CP: cp, Mate: max(1, (MateScore-cp+1)/2)}
	case cp <= -Proven:
		return Score{CP: cp, Mate: -max(1, (MateScore+cp+1)/2)}
	case !IsTable(cp):
	case cp > 0:
		return Score{CP: cp - tableReport}
	default:
		return Score{CP: cp + tableReport}
	}
	return Score{CP: cp}
}

// IsTable reports whether the score is that of a win or loss by endgame tables, as ScoreFromCP reports it.
func (s Score) IsTable() bool {
	size := max(s.CP, -s.CP)
	return s.Mate == 0 && size >= Decided-tableReport && size <= TableScore-tableReport
}

// Value is the score on the centipawn scale, the inverse of ScoreFromCP for an odd distance of a mate and an even one
// of being mated.
func (s Score) Value() int {
	switch {
	case s.Mate > 0:
		return MateIn(2*s.Mate - 1)
	case s.Mate < 0:
		return MatedIn(-2 * s.Mate)
	case s.IsTable() && s.CP > 0:
		return s.CP + tableReport
	case s.IsTable():
		return s.CP - tableReport
	}
	return max(-Proven, min(Proven, s.CP))
}

// Towards turns a position's score into that of the move that leads there: it is negated, and a mate or the position
// that the tables know is one ply farther.
func Towards(cp int) int {
	switch cp = -cp; {
	case cp >= Proven, cp > Decided && cp <= TableScore:
		cp--
	case cp <= -Proven, cp < -Decided && cp >= -TableScore:
		cp++
	}
	return cp
}

// WDL rounds the probabilities of win, draw and loss to per mille that sum to 1000. Probabilities that do not sum to 1
// are scaled. A sum that is not positive and finite gives all draws.
func WDL(w, d, l float64) [3]int {
	w, d, l = max(0, w), max(0, d), max(0, l)
	sum := w + d + l
	if !(sum > 0) || math.IsInf(sum, 0) {
		return [3]int{0, 1000, 0}
	}
	wi, li := int(math.Round(1000*w/sum)), int(math.Round(1000*l/sum))
	if wi+li > 1000 { // both were rounded up from a half
		li = 1000 - wi
	}
	return [3]int{wi, 1000 - wi - li, li}
}

// WDL turns a score into the probabilities of win, draw and loss in per mille. draw is the probability of a draw, 0 to
// 1; the score may leave room for less.
func (s Score) WDL(draw float64) [3]int {
	switch table := s.IsTable(); {
	case s.Mate > 0 || table && s.CP > 0:
		return [3]int{1000, 0, 0}
	case s.Mate < 0 || table:
		return [3]int{0, 0, 1000}
	}
	score := (1 + CPToQ(s.CP)) / 2
	draw = min(draw, 2*min(score, 1-score))
	return WDL(score-draw/2, draw, 1-score-draw/2)
}
