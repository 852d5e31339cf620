package batcher

import (
	"fmt"

	"tesla/board"
)

// DefaultMaxBatch is the most positions that one Evaluate takes when Options do not say.
const DefaultMaxBatch = 256

// Eval is what a net says of one position, from the side to move's view.
type Eval struct {
	W, D, L float32 // probabilities, W + D + L = 1
	Q       float32 // expected score W - L, in [-1, 1]
	Sigma   float32 // expected absolute change of Q under deeper search, > 0
}

// Item is one request. The caller fills Position and Moves; the backend fills Eval and Policy.
type Item struct {
	Position board.Position
	Moves    []board.Move // the legal moves, in any order; may be empty
	Eval     Eval
	Policy   []float32 // probability of Moves[i]; resized by the backend to len(Moves), its memory reused
	Ref      uint32    // the caller's own, untouched
}

// resizePolicy makes Policy as long as Moves.
func (it *Item) resizePolicy() []float32 {
	if n := len(it.Moves); cap(it.Policy) < n {
		it.Policy = make([]float32, n, n+16)
	} else {
		it.Policy = it.Policy[:n]
	}
	return it.Policy
}

// Backend evaluates batches.
type Backend interface {
	// Evaluate fills Eval and Policy of every item and blocks until it has. It takes at most Info().MaxBatch
	// items and may be called from several goroutines. After an error the results are undefined and the backend
	// stays usable.
	Evaluate(items []*Item) error
	// Info is constant for the life of the backend.
	Info() Info
	// Close frees what the backend holds; no Evaluate may run or follow.
	Close() error
}

// Info describes a backend.
type Info struct {
	Name            string // auto is resolved: cuda, tensorrt, cpu, nnue, mock
	Weights         string // the net file; empty: the embedded net
	Model           string // first 12 hex digits of the net's hash, see eut.Net; "mock" where there is none
	ModelName       string // as the net file's header has it
	Library         string // path and version of ONNX Runtime, kernels of nnue, empty for mock
	MaxBatch        int    // the most items that Evaluate takes
	Batch           int    // the size of batches that is best; 0: not known, any
	Free            int    // what an Evaluate costs beside its items, in items: up to so many are nearly free; 0: not known
	Threads         int    // threads that compute
	Streams         int    // calls of Evaluate at a time that keep it busiest, at least 1
	WantsQuiescence bool   // values are static: leaves are better asked after a quiescence search
}

// Admits is nil for a batch of so many items that Evaluate takes.
func (i Info) Admits(items int) error {
	if items > i.MaxBatch {
		return fmt.Errorf("backend %s: %d items in a batch of at most %d", i.Name, items, i.MaxBatch)
	}
	return nil
}

// Options says how a backend is opened. The zero value is one thread and DefaultMaxBatch.
type Options struct {
	Threads  int   // threads that compute; 0 means 1
	MaxBatch int   // 1..1024; 0 means DefaultMaxBatch
	Sums     bool  // an Inferer's rows are those of eut.Net.Row, whatever else may be faster
	plan     *plan // nil: the one that measured best
}

// withDefaults fills what was left zero and clamps the rest to its range.
func (o Options) withDefaults() Options {
	if o.MaxBatch <= 0 {
		o.MaxBatch = DefaultMaxBatch
	}
	o.MaxBatch = min(o.MaxBatch, 1024)
	o.Threads = max(o.Threads, 1)
	return o
}
