package batcher

import "tesla/eut"

// GraphInput is the input of a net's graph, int32 [N, eut.Header.Row].
const GraphInput = "acc"

// GraphOutputs are the outputs that a net's graph must have, float32 [N, Columns].
var GraphOutputs = [3]struct {
	Name    string
	Columns int
}{{"wdl", 3}, {"sigma", 1}, {"policy", eut.PolicySize}}

// Answer fills Eval and Policy from a row of each of GraphOutputs.
func (it *Item) Answer(wdl, sigma, policy []float32) {
	it.Eval = evalOf(wdl[0], wdl[1], wdl[2], sigma[0])
	softmax(&it.Position, it.Moves, policy, it.resizePolicy())
}

// Inferer is a backend that runs its net's graph on inputs that others made.
type Inferer interface {
	Backend
	Row() int // integers of an input row
	// Infer runs the graph on n rows, of which there may be any number, and fills out, the rows of GraphOutputs in order. It
	// blocks until it has, and may be called from several goroutines.
	Infer(n int, acc []int32, out [len(GraphOutputs)][]float32) error
}
