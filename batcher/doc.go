// Package batcher turns positions into evaluations, many at a time.
//
// A Backend evaluates batches. The backends here are a CPU net (NewNNUE) and a mock; package batcher/onnx has those of
// ONNX Runtime, batcher/remote one that asks a server. Cache and Guard decorate a Backend. A Pipeline evaluates batches on
// its own goroutines while its owner fills the next one.
//
// # Basics
//
//	net, err := models.DefaultNNUE()
//	backend, err := batcher.NewNNUE(net, batcher.Options{Threads: 2})
//	pipeline := batcher.NewPipeline(backend, nil)
//	batch := pipeline.Get()
//	for item := batch.Add(); item != nil; item = batch.Add() { /* fill Position, Moves, Ref */ }
//	pipeline.Submit(batch)
//	batch = pipeline.Next() // Eval and Policy of every item are filled, or batch.Err says why not
//	pipeline.Put(batch)
//
// # Invariants
//
// The evaluation of an item depends on its position and its list of moves alone: not on earlier requests, and not on
// the thread that asks. Policy[i] belongs to Moves[i], and the policy of an item with moves sums to one; W + D + L = 1
// and Q = W - L.
//
// A net that does not keep to that is an error of the batch: every backend that computes a graph fills items by
// Item.Answer, which checks the graph's outputs (see Item.Check) on the goroutine that evaluates.
package batcher
