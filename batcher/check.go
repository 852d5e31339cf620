package batcher

import (
	"fmt"
	"math"
)

// CheckTolerance is how far a sum of probabilities may be from 1, and a probability outside 0..1. Sums of float32
// softmaxes over 218 moves are within 1e-5. Half precision has steps of 5e-4 just below 1, so three rounded outputs add
// up to at most 7.5e-4 too much.
const CheckTolerance = 1e-3

// Check is an error where Eval or Policy cannot be a net's answer: an output is NaN or infinite, a probability lies
// outside 0..1, or probabilities do not sum to 1. The error names the output and the position. Every comparison is
// written so that NaN fails it.
func (it *Item) Check() error {
	e := &it.Eval
	switch sum := e.W + e.D + e.L; {
	case !(probability(e.W) && probability(e.D) && probability(e.L)):
		return it.wrong("value", fmt.Sprintf("win %v, draw %v, loss %v, want probabilities", e.W, e.D, e.L))
	case !(sum >= 1-CheckTolerance && sum <= 1+CheckTolerance):
		return it.wrong("value", fmt.Sprintf("win %v, draw %v and loss %v sum to %v, want 1", e.W, e.D, e.L, sum))
	case !(e.Q >= -1-CheckTolerance && e.Q <= 1+CheckTolerance):
		return it.wrong("value", fmt.Sprintf("expected score %v, want -1 to 1", e.Q))
	case !(e.Sigma > 0 && e.Sigma <= math.MaxFloat32):
		return it.wrong("sigma", fmt.Sprintf("%v, want a positive number", e.Sigma))
	}
	if len(it.Policy) != len(it.Moves) {
		return it.wrong("policy", fmt.Sprintf("%d probabilities for %d moves", len(it.Policy), len(it.Moves)))
	}
	var sum float32
	for i, p := range it.Policy {
		if !probability(p) {
			return it.wrong("policy", fmt.Sprintf("move %s has %v, want a probability", it.Position.UCI(it.Moves[i], false), p))
		}
		sum += p
	}
	if len(it.Moves) > 0 && !(sum >= 1-CheckTolerance && sum <= 1+CheckTolerance) {
		return it.wrong("policy", fmt.Sprintf("the probabilities sum to %v, want 1", sum))
	}
	return nil
}

// probability reports whether p is in 0..1, within the tolerance.
func probability(p float32) bool { return p >= -CheckTolerance && p <= 1+CheckTolerance }

// wrong is the error of an output.
func (it *Item) wrong(output, what string) error {
	return fmt.Errorf("output %s of position %s: %s", output, it.Position.FEN(false), what)
}

// Difference is the largest absolute difference between what a backend says of it and of another item of the same position.
func (it *Item) Difference(other *Item) float64 {
	far := func(a, b float32) float64 { return math.Abs(float64(a) - float64(b)) }
	a, b := &it.Eval, &other.Eval
	d := max(far(a.Q, b.Q), far(a.D, b.D), far(a.Sigma, b.Sigma))
	for i := range min(len(it.Policy), len(other.Policy)) {
		d = max(d, far(it.Policy[i], other.Policy[i]))
	}
	return d
}
