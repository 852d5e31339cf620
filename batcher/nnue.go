package batcher

import (
	"fmt"
	"sync"

	"tesla/models"
	"tesla/nnue"
)

// nnueBackend evaluates with the nets for processors, in plain Go and its kernels. Values are those after a quiescence
// search.
type nnueBackend struct {
	info Info
	pool *nnue.Pool

	mu    sync.Mutex // one batch at a time
	items []*Item    // the batch
	// Bound once: a method value that is made for each batch would be an allocation.
	quiet, static func(w *nnue.Worker, i int)
}

func openNNUE(weights string, opts Options) (Backend, error) {
	kernel, err := nnue.Kernel()
	if err != nil {
		return nil, err
	}
	net, err := models.LoadNNUE(weights)
	if err != nil {
		return nil, err
	}
	b := &nnueBackend{
		pool: nnue.NewPool(net, opts.Threads),
		info: Info{
			Name: "nnue", Weights: weights, Model: net.ShortHash(), ModelName: net.Name, Library: "kernels " + kernel,
			MaxBatch: opts.MaxBatch, Free: opts.Threads, Threads: opts.Threads, Streams: 1,
		},
	}
	b.quiet, b.static = b.evaluateQuiet, b.evaluateStatic
	return b, nil
}

// Info implements Backend.
func (b *nnueBackend) Info() Info { return b.info }

// Evaluate implements Backend. Calls from several goroutines take turns.
func (b *nnueBackend) Evaluate(items []*Item) error { return b.each(items, b.quiet) }

// runRaw evaluates items without quiescence.
func (b *nnueBackend) runRaw(items []*Item) error { return b.each(items, b.static) }

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

// Close implements Backend.
func (b *nnueBackend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pool.Close()
	return nil
}

// probeNNUE says which kernels the nets for processors use here.
func probeNNUE() (string, error) {
	kernel, err := nnue.Kernel()
	if err != nil {
		return "", err
	}
	net, err := models.DefaultNNUE()
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("kernels %s, net %s %s", kernel, net.Name, net.ShortHash())
	if net.Untrained {
		text += " (untrained: random weights)"
	}
	return text, nil
}
