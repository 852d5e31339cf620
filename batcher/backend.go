package batcher

import (
	"fmt"

	"tesla/board"
)

const (
	// DefaultMaxBatch is MaxBatch where Options leave it 0.
	DefaultMaxBatch = 256
	// maxMaxBatch is the largest MaxBatch that a backend has.
	maxMaxBatch = 1024
)

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
	Policy   []float32 // probability of Moves[i]; the backend resizes it to len(Moves) and reuses its memory
	Ref      uint32    // for the caller; a backend does not touch it
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
	// Info does not block. It is constant for the life of the backend.
	Info() Info
	// Close frees what the backend holds. No Evaluate may run or follow.
	Close() error
}

// Static is a backend whose Evaluate searches captures first and that can also give values without that search.
type Static interface {
	Backend
	// EvaluateStatic is Evaluate with the net's own values.
	EvaluateStatic(items []*Item) error
}

// Lazy is a backend that can leave policies out, and compute them alone later. The results are those of Evaluate, bit for
// bit.
type Lazy interface {
	Backend
	// EvaluateValues is Evaluate without the policies: it fills Eval alone, and does not look at Moves.
	EvaluateValues(items []*Item) error
	// Policies returns a function that fills the Policy of an item. It belongs to one goroutine and runs on it.
	Policies() func(it *Item)
}

// LazyOf is a backend as a Lazy; nil where it is none. The values of a Cache that decorates one are remembered.
func LazyOf(b Backend) Lazy {
	if c, ok := b.(*Cache); ok {
		if inner := LazyOf(c.backend); inner != nil {
			return lazyCache{c, inner}
		}
		return nil
	}
	lazy, _ := b.(Lazy)
	return lazy
}

// Info describes a backend.
type Info struct {
	Name            string // cuda, tensorrt, cpu, nnue, remote or mock; never auto
	Model           string // first 12 hex digits of the hash of the net's file; "mock" without a net
	ModelName       string // from the header of the net's file
	Library         string // path and version of ONNX Runtime, kernels of nnue, empty for mock
	MaxBatch        int    // the most items that Evaluate takes
	Batch           int    // the best number of items in a batch; 0: unknown, any
	Free            int    // the fixed cost of an Evaluate, in items: up to this number are nearly free; 0: unknown
	Threads         int    // threads that compute
	Streams         int    // the number of concurrent calls of Evaluate that keeps it busiest, at least 1
	Local           bool   // Evaluate computes on the goroutine that calls it, and on no other
	WantsQuiescence bool   // values are static: a leaf should be asked for after a quiescence search
}

// Admits is an error if Evaluate does not take a batch of this number of items.
func (i Info) Admits(items int) error {
	if items > i.MaxBatch {
		return fmt.Errorf("backend %s: %d items in a batch of at most %d", i.Name, items, i.MaxBatch)
	}
	return nil
}

// Options say how a backend is made. The zero value means one thread and DefaultMaxBatch.
type Options struct {
	Threads  int  // threads that compute; 0 means 1
	MaxBatch int  // 1 to 1024; 0 means DefaultMaxBatch
	Sums     bool // rows of an Inferer are those of eut.Net.Row, even where other rows would be faster; for a server
}

// WithDefaults fills zero fields and clamps the others to their ranges.
func (o Options) WithDefaults() Options {
	if o.MaxBatch <= 0 {
		o.MaxBatch = DefaultMaxBatch
	}
	o.MaxBatch = min(o.MaxBatch, maxMaxBatch)
	o.Threads = max(o.Threads, 1)
	return o
}
