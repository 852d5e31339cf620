package batcher

import "tesla/nnue"

// nnueBackend evaluates with a CPU net, in plain Go and the kernels of package nnue. Values are those after a
// quiescence search.
type nnueBackend struct {
	info Info
	net  *nnue.Net
	free chan *nnue.Worker // those that evaluate no batch now
}

// NewNNUE returns a backend that evaluates with a CPU net, as many batches at a time as the options have threads. It fails
// only where the variable TESLA_NNUE_KERNEL names kernels that this processor does not have.
func NewNNUE(net *nnue.Net, opts Options) (Backend, error) {
	kernel, err := nnue.Kernel()
	if err != nil {
		return nil, err
	}
	opts = opts.WithDefaults()
	b := &nnueBackend{
		net: net, free: make(chan *nnue.Worker, opts.Threads),
		info: Info{
			Name: "nnue", Model: net.ShortHash(), ModelName: net.Name, Library: "kernels " + kernel,
			MaxBatch: opts.MaxBatch, Threads: opts.Threads, Streams: opts.Threads, Local: true,
		},
	}
	for range opts.Threads {
		b.free <- nnue.NewWorker(net)
	}
	return b, nil
}

func (b *nnueBackend) Info() Info { return b.info }

// Evaluate implements Backend. Calls beyond Info().Streams wait for others.
func (b *nnueBackend) Evaluate(items []*Item) error {
	return b.each(items, func(w *nnue.Worker, it *Item) {
		it.Eval = Eval(w.Evaluate(&it.Position, it.Moves, it.resizePolicy()))
	})
}

// EvaluateStatic implements Static.
func (b *nnueBackend) EvaluateStatic(items []*Item) error {
	return b.each(items, func(w *nnue.Worker, it *Item) {
		it.Eval = Eval(w.EvaluateStatic(&it.Position, it.Moves, it.resizePolicy()))
	})
}

func (b *nnueBackend) EvaluateValues(items []*Item) error {
	return b.each(items, func(w *nnue.Worker, it *Item) { it.Eval = Eval(w.EvaluateValue(&it.Position)) })
}

func (b *nnueBackend) Policies() func(it *Item) {
	p := nnue.NewPolicy(b.net)
	return func(it *Item) { p.Evaluate(&it.Position, it.Moves, it.resizePolicy()) }
}

// RunRaw implements RawRunner: what every leaf of a search needs, its value after quiescence.
func (b *nnueBackend) RunRaw(items []*Item) error { return b.EvaluateValues(items) }

func (b *nnueBackend) each(items []*Item, f func(w *nnue.Worker, it *Item)) error {
	if err := b.info.Admits(len(items)); err != nil {
		return err
	}
	w := <-b.free
	for _, it := range items {
		f(w, it)
	}
	b.free <- w
	return nil
}

func (b *nnueBackend) Close() error { return nil }
