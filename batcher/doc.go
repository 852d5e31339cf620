// Package batcher turns positions into evaluations, many at a time.
//
// A Backend is whatever answers a batch: ONNX Runtime on the CPU or a GPU, the nets of package nnue, or a mock. Cache, Split and Guard
// decorate a Backend; a Pipeline keeps batches computing on goroutines of its own while its owner fills the next.
//
// # Basics
//
//	backend, notes, err := batcher.Open("auto", "", batcher.Options{Threads: 2})
//	pipeline := batcher.NewPipeline(backend, nil)
//	batch := pipeline.Get()
//	for item := batch.Add(); item != nil; item = batch.Add() { /* fill Position, Moves, Ref */ }
//	pipeline.Submit(batch)
//	batch = pipeline.Next() // Eval and Policy of every item are filled, or batch.Err says why not
//	pipeline.Put(batch)
//
// # Invariants
//
// The evaluation of an item depends on its position and its list of moves alone, never on what was asked before or
// on the thread that asked. Policy[i] belongs to Moves[i] and the
// policy of an item with moves sums to one; W + D + L = 1 and Q = W - L.
package batcher
