package batcher

import (
	"math"

	"tesla/eut"

	"tesla/board"
)

// softmax writes to policy the softmax of the logits [eut.PolicySize] of moves.
func softmax(p *board.Position, moves []board.Move, logits, policy []float32) {
	if len(moves) == 0 {
		return
	}
	logits, policy = logits[:eut.PolicySize], policy[:len(moves)]
	best := float32(math.Inf(-1))
	for i, m := range moves {
		index, under := eut.PolicyIndex(p, m)
		v := logits[index]
		if under >= 0 {
			v += logits[under]
		}
		policy[i] = v
		best = max(best, v)
	}
	var sum float32
	for i, v := range policy {
		policy[i] = float32(math.Exp(float64(v - best)))
		sum += policy[i]
	}
	for i := range policy {
		policy[i] /= sum
	}
}

// evalOf is the Eval of a net's outputs: probabilities w, d, l, brought to a sum of exactly one as far as float32
// goes, and sigma.
func evalOf(w, d, l, sigma float32) Eval {
	sum := w + d + l
	w, l = w/sum, l/sum
	return Eval{W: w, D: 1 - w - l, L: l, Q: w - l, Sigma: sigma}
}
