package search

import "math"

// Strength limits how well a searcher plays.
type Strength struct {
	Evals       int64   // evaluations a move
	Temperature float64 // a root move is drawn with odds exp(q / Temperature); 0: the best move is played
}

// rung is a strength with its measured rating.
type rung struct {
	elo         int
	evals, temp float64
}

// ladder is the rungs, the weakest first. The matches are in docs/log/strength.md#0100.
var ladder = []rung{
	{990, 15, 0.06}, {1210, 20, 0.05}, {1320, 30, 0.05}, {1600, 60, 0.04}, {1860, 400, 0.02}, {2210, 1600, 0},
	{2560, 12800, 0},
}

// The least and the greatest rating that StrengthOf knows.
var (
	MinElo = ladder[0].elo
	MaxElo = ladder[len(ladder)-1].elo
)

// StrengthOf is the strength for a rating on the scale of Stockfish's UCI_Elo. Between two rungs it interpolates
// evaluations geometrically and temperatures linearly.
func StrengthOf(elo int) Strength {
	elo = max(MinElo, min(MaxElo, elo))
	i := 1
	for ladder[i].elo < elo {
		i++
	}
	a, b := ladder[i-1], ladder[i]
	t := float64(elo-a.elo) / float64(b.elo-a.elo)
	return Strength{
		Evals:       int64(math.Round(a.evals * math.Pow(b.evals/a.evals, t))),
		Temperature: a.temp + t*(b.temp-a.temp),
	}
}

// Draw is an index of q, drawn with the odds exp(q / temperature). random is a random number in [0, 1).
func Draw(q []float64, temperature, random float64) int {
	best, sum := math.Inf(-1), 0.0
	for _, v := range q {
		best = max(best, v)
	}
	for _, v := range q {
		sum += math.Exp((v - best) / temperature)
	}
	at := random * sum
	for i, v := range q {
		if at -= math.Exp((v - best) / temperature); at < 0 {
			return i
		}
	}
	return 0
}

// MoveToFront puts the element at an index first, and keeps the order of the others. A move that was drawn by limited
// strength is the first of the lines that a search reports last, so that each move has one line.
func MoveToFront[T any](of []T, at int) {
	if len(of) > 0 {
		x := of[at]
		copy(of[1:at+1], of[:at])
		of[0] = x
	}
}
