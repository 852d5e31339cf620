package batcher

import (
	"sync"

	"tesla/nnue"
)

// nnueBackend evaluates with a CPU net, in plain Go and the kernels of package nnue. Values are those after a
// quiescence search.
type nnueBackend struct {
	info Info
	net  *nnue.Net
	pool *nnue.Pool

	mu    sync.Mutex // held while a batch is evaluated
	items []*Item    // the batch
	// Bound once: a method value that is made for each batch would be an allocation.
	quiet, static, values func(w *nnue.Worker, i int)
}

// NewNNUE returns a backend that evaluates with a CPU net, on as many goroutines as the options have threads. It fails
// only where the variable TESLA_NNUE_KERNEL names kernels that this processor does not have.
func NewNNUE(net *nnue.Net, opts Options) (Backend, error) {
	kernel, err := nnue.Kernel()
	if err != nil {
		return nil, err
	}
	opts = opts.WithDefaults()
	b := &nnueBackend{
		net: net, pool: nnue.NewPool(net, opts.Threads),
		info: Info{
			Name: "nnue", Model: net.ShortHash(), ModelName: net.Name, Library: "kernels " + kernel,
			MaxBatch: opts.MaxBatch, Free: opts.Threads, Threads: opts.Threads, Streams: 1,
		},
	}
	b.quiet, b.static, b.values = b.evaluateQuiet, b.evaluateStatic, b.evaluateValue
	return b, nil
}

// Info implements Backend.
func (b *nnueBackend) Info() Info { return b.info }

// Evaluate implements Backend. Concurrent calls wait for each other.
func (b *nnueBackend) Evaluate(items []*Item) error { return b.each(items, b.quiet) }

// EvaluateStatic implements Static.
func (b *nnueBackend) EvaluateStatic(items []*Item) error { return b.each(items, b.static) }

// EvaluateValues implements Lazy.
func (b *nnueBackend) EvaluateValues(items []*Item) error { return b.each(items, b.values) }

// Policies implements Lazy.
func (b *nnueBackend) Policies() func(it *Item) {
	p := nnue.NewPolicy(b.net)
	return func(it *Item) { p.Evaluate(&it.Position, it.Moves, it.resizePolicy()) }
}

// RunRaw implements RawRunner: what every leaf of a search needs, its value after quiescence.
func (b *nnueBackend) RunRaw(items []*Item) error { return b.EvaluateValues(items) }

func (b *nnueBackend) each(items []*Item, f func(w *nnue.Worker, i int)) error {
	if err := b.info.Admits(len(items)); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = items
	b.pool.Do(len(items), f)
	b.items = nil // they are the caller's: keep none alive
	return nil
}

func (b *nnueBackend) evaluateQuiet(w *nnue.Worker, i int) {
	it := b.items[i]
	it.Eval = Eval(w.Evaluate(&it.Position, it.Moves, it.resizePolicy()))
}

func (b *nnueBackend) evaluateStatic(w *nnue.Worker, i int) {
	it := b.items[i]
	it.Eval = Eval(w.EvaluateStatic(&it.Position, it.Moves, it.resizePolicy()))
}

func (b *nnueBackend) evaluateValue(w *nnue.Worker, i int) {
	it := b.items[i]
	it.Eval = Eval(w.EvaluateValue(&it.Position))
}

// Close implements Backend.
func (b *nnueBackend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pool.Close()
	return nil
}
