package batcher

import (
	"sync/atomic"
	"time"

	"tesla/board"
)

// Batch is a set of items that travels through a Pipeline. It belongs to the pipeline's owner between Get or Next
// and Submit or Put, and to the pipeline otherwise.
type Batch struct {
	Items []Item        // those filled; keeps the memory of its Moves and Policy between uses
	Err   error         // set by the pipeline: why Items were not evaluated
	User  any           // the caller's own, untouched
	Took  time.Duration // what Evaluate took
	store []Item
	refs  []*Item
}

func newBatch(capacity int) *Batch {
	b := &Batch{store: make([]Item, capacity), refs: make([]*Item, capacity)}
	for i := range b.store {
		b.refs[i] = &b.store[i]
		b.store[i].Moves = make([]board.Move, 0, 48)
		b.store[i].Policy = make([]float32, 0, 48)
	}
	b.Items = b.store[:0]
	return b
}

// Add returns the next free item, its Moves empty and its other fields stale; nil where the batch is full.
func (b *Batch) Add() *Item {
	n := len(b.Items)
	if n == len(b.store) {
		return nil
	}
	b.Items = b.store[:n+1]
	it := &b.store[n]
	it.Moves = it.Moves[:0]
	return it
}

// Len is the number of items added; Cap the most that fit.
func (b *Batch) Len() int { return len(b.Items) }

// Cap is the most items that fit.
func (b *Batch) Cap() int { return len(b.store) }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() { b.Items, b.Err = b.store[:0], nil }

// Pipeline evaluates batches on one worker goroutine while its owner fills the next.
//
// Its methods other than Stats belong to one goroutine, the owner. Results come back in the order of submission.
// After a warm-up it allocates nothing.
type Pipeline struct {
	// Prepare, where set before the first Submit, runs on the worker before a batch is evaluated: the place for
	// generating moves or a quiescence search off the owner's thread. An error becomes the batch's.
	Prepare func(*Batch) error

	backend  Backend
	capacity int
	depth    int
	in, out  chan *Batch
	free     []*Batch
	done     []*Batch // taken from out by a Submit that had to wait, oldest first
	inFlight int      // submitted and not yet returned by Next or TryNext
	queued   int      // submitted and not yet taken from out
	closed   chan struct{}
	counters counters
}

type counters struct {
	batches, items, compute, idle, wait atomic.Int64
}

// Stats counts what a Pipeline did.
type Stats struct {
	Batches, Items int64
	Fill           float64       // mean share of MaxBatch that batches had filled
	Compute        time.Duration // time in Prepare and Evaluate
	Idle           time.Duration // time the worker waited for a batch
	Wait           time.Duration // time the owner was blocked in Next and Submit
}

// NewPipeline starts a pipeline over b; depth (at least 1) is how many batches may be in flight before Submit
// blocks. The caller closes both, the pipeline first.
func NewPipeline(b Backend, depth int) *Pipeline {
	depth = max(depth, 1)
	p := &Pipeline{
		backend: b, capacity: b.Info().MaxBatch, depth: depth,
		in: make(chan *Batch, depth), out: make(chan *Batch, depth), closed: make(chan struct{}),
	}
	go p.work()
	return p
}

func (p *Pipeline) work() {
	defer close(p.closed)
	idleSince := time.Now()
	for b := range p.in {
		start := time.Now()
		p.counters.idle.Add(int64(start.Sub(idleSince)))
		b.Err = nil
		if p.Prepare != nil {
			b.Err = p.Prepare(b)
		}
		if b.Err == nil {
			b.Err = p.backend.Evaluate(b.refs[:len(b.Items)])
		}
		idleSince = time.Now()
		b.Took = idleSince.Sub(start)
		p.counters.batches.Add(1)
		p.counters.items.Add(int64(len(b.Items)))
		p.counters.compute.Add(int64(b.Took))
		p.out <- b
	}
}

// Get returns an empty batch of the backend's MaxBatch items.
func (p *Pipeline) Get() *Batch {
	n := len(p.free)
	if n == 0 {
		return newBatch(p.capacity)
	}
	b := p.free[n-1]
	p.free = p.free[:n-1]
	b.Reset()
	return b
}

// Put gives a batch back for reuse.
func (p *Pipeline) Put(b *Batch) { p.free = append(p.free, b) }

// Submit hands a batch to the worker. It returns at once while fewer than depth batches wait or compute, and
// otherwise when the oldest is done.
func (p *Pipeline) Submit(b *Batch) {
	if p.queued >= p.depth {
		p.done = append(p.done, p.receive())
	}
	p.in <- b
	p.queued++
	p.inFlight++
}

// receive takes the oldest result from the worker and counts the time waited.
func (p *Pipeline) receive() *Batch {
	p.queued--
	select {
	case b := <-p.out:
		return b
	default:
	}
	start := time.Now()
	b := <-p.out
	p.counters.wait.Add(int64(time.Since(start)))
	return b
}

// InFlight is the number of batches submitted and not yet returned by Next or TryNext.
func (p *Pipeline) InFlight() int { return p.inFlight }

// Depth is the number of batches that may be in flight before Submit blocks.
func (p *Pipeline) Depth() int { return p.depth }

// Backend is what the pipeline evaluates with.
func (p *Pipeline) Backend() Backend { return p.backend }

// Next blocks until the oldest batch in flight is done and returns it; nil where none is in flight.
func (p *Pipeline) Next() *Batch {
	if p.inFlight == 0 {
		return nil
	}
	p.inFlight--
	if len(p.done) > 0 {
		return p.popDone()
	}
	return p.receive()
}

// TryNext returns the oldest batch in flight if it is done, and nil otherwise.
func (p *Pipeline) TryNext() *Batch {
	if p.inFlight == 0 {
		return nil
	}
	if len(p.done) > 0 {
		p.inFlight--
		return p.popDone()
	}
	select {
	case b := <-p.out:
		p.inFlight--
		p.queued--
		return b
	default:
		return nil
	}
}

func (p *Pipeline) popDone() *Batch {
	b := p.done[0]
	p.done = p.done[:copy(p.done, p.done[1:])]
	return b
}

// Stats may be called from any goroutine.
func (p *Pipeline) Stats() Stats {
	c := &p.counters
	s := Stats{
		Batches: c.batches.Load(), Items: c.items.Load(), Compute: time.Duration(c.compute.Load()),
		Idle: time.Duration(c.idle.Load()), Wait: time.Duration(c.wait.Load()),
	}
	if s.Batches > 0 {
		s.Fill = float64(s.Items) / float64(s.Batches*int64(p.capacity))
	}
	return s
}

// Close waits for the batches in flight, drops their results and stops the worker. The backend stays open.
func (p *Pipeline) Close() {
	for p.inFlight > 0 {
		p.Put(p.Next())
	}
	close(p.in)
	<-p.closed
}
