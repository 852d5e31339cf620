package nnue

import (
	"math"

	"tesla/board"
	"tesla/search"
)

// cpScale is the number of centipawns that a logit of 1 stands for: the expected score is sigmoid(cp / 350).
const cpScale = 350

// outBucket returns the bucket of the layers behind the accumulators, by the number of pieces of p.
func outBucket(p *board.Position) int { return min((p.Occupied().Count()-1)/4, outBuckets-1) }

// Value returns the static value of p, the position at the top, for the side to move: centipawns from -search.MaxCP to
// search.MaxCP.
func (s *Stack) Value(p *board.Position) int {
	return centipawns(s.heads(p)[0])
}

// ValueAndDraws returns the static value of p, as Value does, and the share of draws: the probability of a draw divided by
// 1 - |q|, the most that the value leaves for it.
func (s *Stack) ValueAndDraws(p *board.Position) (cp int, draws float64) {
	x := s.heads(p)
	return centipawns(x[0]), sigmoid(float64(x[2]))
}

// heads returns the logits of the value, sigma and draw heads for p, the position at the top.
func (s *Stack) heads(p *board.Position) (x [heads]float32) {
	own, other := s.compute(p)
	v, width, bucket := &s.net.value, s.net.H, outBucket(p)
	weights := &v.layer1[bucket*layer1*2*width]
	s.k.activate(&s.hidden[0], own, width)
	s.k.activate(&s.hidden[width], other, width)
	s.k.dots(&s.sums[0], &s.hidden[0], weights, 2*width, &layer1Rows[0], layer1)
	s.k.head(&s.out[0], &s.sums[0], &v.tails[bucket*tailSize])
	return s.out
}

// layer1Rows are the numbers of the rows of layer1 in a bucket.
var layer1Rows = [layer1]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// centipawns converts a logit of the value head, and rounds it to the nearest integer.
func centipawns(x float32) int {
	cp := max(-search.MaxCP, min(search.MaxCP, float32(cpScale*x)))
	if cp < 0 {
		return int(cp - 0.5)
	}
	return int(cp + 0.5)
}

// Eval is the evaluation of one position, from the side to move's view.
type Eval struct {
	W, D, L float32 // probabilities, W + D + L = 1
	Q       float32 // expected score W - L
	Sigma   float32 // expected absolute change of Q by deeper search, > 0
}

// evalOf returns the Eval of a value, in centipawns or as a mate, and of the logits of the heads.
func evalOf(cp int, x [heads]float32) Eval {
	q := qOf(cp)
	d := float32((1 - math.Abs(q)) * sigmoid(float64(x[2])))
	w := (1 - d + float32(q)) / 2
	l := 1 - d - w
	return Eval{W: w, D: d, L: l, Q: float32(q), Sigma: max(float32(softplus(float64(x[1]))), minSigma)}
}

// minSigma keeps sigma positive.
const minSigma = 1e-4

// qOf converts centipawns or a mate to q.
func qOf(cp int) float64 {
	switch {
	case cp > search.MaxCP:
		return 1
	case cp < -search.MaxCP:
		return -1
	}
	return search.CPToQ(cp)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus is log(1 + e^x).
func softplus(x float64) float64 {
	if x > 30 {
		return x
	}
	return math.Log1p(math.Exp(x))
}
