package nnue

import (
	"math"

	"tesla/board"
	"tesla/search"
)

const (
	// cpScale is the number of centipawns that a logit of 1 stands for: the expected score is sigmoid(cp / 350).
	cpScale = 350
	// productScale is the sum of a head's kernel that stands for 1.0.
	productScale = accScale * accScale * outScale
)

// outBucket returns the row of weights for the number of pieces of p.
func outBucket(p *board.Position) int { return min((p.Occupied().Count()-1)/4, outBuckets-1) }

// Value returns the static value of p, the position at the top, for the side to move: centipawns from -search.MaxCP to
// search.MaxCP.
func (s *Stack) Value(p *board.Position) int {
	own, other := s.compute(p)
	v, bucket := &s.net.value, outBucket(p)
	sum := s.k.value(own, other, &v.out[bucket*heads*2*s.net.H], s.net.H)
	return centipawns(logit(sum, v.outBias[bucket*heads]))
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
	v, bucket := &s.net.value, outBucket(p)
	s.k.heads(&s.sums[0], own, other, &v.out[bucket*heads*2*s.net.H], s.net.H)
	for i, sum := range s.sums {
		x[i] = logit(sum, v.outBias[bucket*heads+i])
	}
	return x
}

// logit returns the output of a head. Its explicit conversions forbid fused multiply-adds, so that all processors give
// the same bits.
func logit(sum int64, bias float32) float32 {
	return float32(float32(sum)*(1.0/productScale)) + bias
}

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
