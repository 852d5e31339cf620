package batcher

import (
	"tesla/board"
	"tesla/models/eut"
	"tesla/nnue"
)

// GraphInput is the input of a net's graph, int32 [N, eut.Header.Row].
const GraphInput = "acc"

// GraphOutputs are the outputs that a net's graph must have, float32 [N, Columns].
var GraphOutputs = [3]struct {
	Name    string
	Columns int
}{{"wdl", 3}, {"sigma", 1}, {"policy", eut.PolicySize}}

// Answer fills Eval and Policy from a row of each of GraphOutputs, and checks them (see Check). The probabilities W, D
// and L are brought to a sum of exactly one, as far as float32 goes.
func (it *Item) Answer(wdl, sigma, policy []float32) error {
	w, d, l := wdl[0], wdl[1], wdl[2]
	it.Eval = Eval{W: w, D: d, L: l, Q: w - l, Sigma: sigma[0]}
	it.softmax(policy)
	if err := it.Check(); err != nil {
		return err
	}
	sum := w + d + l
	w, l = w/sum, l/sum
	it.Eval = Eval{W: w, D: 1 - w - l, L: l, Q: w - l, Sigma: sigma[0]}
	return nil
}

// softmax fills Policy from the logits [eut.PolicySize] of a net.
func (it *Item) softmax(logits []float32) {
	policy := it.resizePolicy()
	logits = logits[:eut.PolicySize]
	for i, m := range it.Moves {
		policy[i] = logit(&it.Position, m, logits)
	}
	nnue.Softmax(policy)
}

// logit is the logit of a move: that of its squares, and for an underpromotion that of the piece as well.
func logit(p *board.Position, m board.Move, logits []float32) float32 {
	index, under := eut.PolicyIndex(p, m)
	v := logits[index]
	if under >= 0 {
		v += logits[under]
	}
	return v
}

// Inferer is a backend that runs its net's graph on inputs that others made.
type Inferer interface {
	Backend
	// Row is the number of integers in a row of input.
	Row() int
	// Infer runs the graph on n rows, of which there may be any number, and fills out, the rows of GraphOutputs in
	// order. It blocks until it has, and may be called from several goroutines. It does not check the outputs: Answer
	// does.
	Infer(n int, acc []int32, out [len(GraphOutputs)][]float32) error
}
