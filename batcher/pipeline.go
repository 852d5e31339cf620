package batcher

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
)

// ErrCancelled is the error of a batch that Cancel kept from being evaluated.
var ErrCancelled = errors.New("cancelled")

// Batch is a set of items that travels through a Pipeline. It belongs to the pipeline's owner between Get, Next or Arrived
// and Submit or Put, and to the pipeline otherwise.
type Batch struct {
	Items []Item // those filled; keeps the memory of its Moves and Policy between uses
	Ahead int    // so many of the items, the last, are asked before they are needed
	Asked int    // set by Submit: the items that there were; the pipeline's prepare may add others
	Err   error  // set by the pipeline: why Items were not evaluated
	store []Item
	refs  []*Item
	since time.Time // it waits
	done  bool
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
func (b *Batch) Reset() { b.Items, b.Ahead, b.Err, b.done = b.store[:0], 0, nil, false }

// Pipeline prepares and evaluates batches on goroutines of its own while its owner fills the next:
//
//	Submit -> prepare, one goroutine for each -> Evaluate and finish, one for each of the backend's Streams -> Next or Arrived
//
// Its methods other than Stats belong to one goroutine, the owner. After a warm-up it allocates nothing.
type Pipeline struct {
	backend  Backend
	finish   func(*Batch)
	capacity int
	depth    int
	in, out  chan *Batch
	ready    chan *Batch // prepared; in where nothing is
	free     []*Batch
	flight   []*Batch // submitted and not yet returned, oldest first
	workers  sync.WaitGroup
	prepares sync.WaitGroup
	cancel   atomic.Bool
	began    time.Time
	busy     BusyClock // Evaluate runs
	counters counters
}

type counters struct {
	batches, items, queue, wait atomic.Int64
}

// Stats counts what a Pipeline did since it began.
type Stats struct {
	Batches, Items int64         // evaluated
	Fill           float64       // mean share of MaxBatch that batches had filled
	Queue          time.Duration // that batches waited for a goroutine, in all
	Compute        time.Duration // time in which a batch or more were evaluated
	Net            time.Duration // time in which the backend's net ran, of its busiest device; Compute where it does not say
	Wait           time.Duration // time the owner was blocked in Submit, Next and Arrived
	Elapsed        time.Duration
}

// NewPipeline starts a pipeline over b. Each batch is seen by one of prepare, if there are any, before it is evaluated, by a single one
// in the order of submission: the place for searches at leaves. It may add items, and its error becomes the batch's. finish, if any,
// sees each evaluated batch on the goroutine that evaluated it. The caller closes pipeline and backend, the pipeline first.
func NewPipeline(b Backend, finish func(*Batch), prepare ...func(*Batch) error) *Pipeline {
	info := b.Info()
	depth := max(3, info.Streams+1) + max(0, len(prepare)-1)
	p := &Pipeline{backend: b, finish: finish, capacity: info.MaxBatch, depth: depth, in: make(chan *Batch, depth), out: make(chan *Batch, depth), began: time.Now()}
	p.ready = p.in
	if len(prepare) > 0 {
		p.ready = make(chan *Batch, depth)
		for _, f := range prepare {
			p.prepares.Go(func() { p.prepareAll(f) })
		}
	}
	for range info.Streams {
		p.workers.Go(p.evaluateAll)
	}
	return p
}

// prepareAll prepares batches until none is to come.
func (p *Pipeline) prepareAll(prepare func(*Batch) error) {
	for b := range p.in {
		p.leave(b)
		if p.cancel.Load() {
			b.Err = ErrCancelled
		} else {
			b.Err = prepare(b)
		}
		b.since = time.Now()
		p.ready <- b
	}
}

// leave counts the time that a batch has waited.
func (p *Pipeline) leave(b *Batch) { p.counters.queue.Add(int64(time.Since(b.since))) }

// evaluateAll evaluates batches until none is to come.
func (p *Pipeline) evaluateAll() {
	for b := range p.ready {
		p.leave(b)
		if b.Err == nil && p.cancel.Load() {
			b.Err = ErrCancelled
		}
		if b.Err == nil {
			p.busy.Begin()
			b.Err = p.backend.Evaluate(b.refs[:len(b.Items)])
			p.busy.End()
			p.counters.batches.Add(1)
			p.counters.items.Add(int64(len(b.Items)))
			if b.Err == nil && p.finish != nil {
				p.finish(b)
			}
		}
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

// Submit hands a batch over. It returns at once while fewer than Depth are in flight, and otherwise when one is done.
func (p *Pipeline) Submit(b *Batch) {
	for p.waiting() == p.depth {
		p.receive()
	}
	p.cancel.Store(false)
	b.Asked, b.since = len(b.Items), time.Now()
	p.flight = append(p.flight, b)
	p.in <- b
}

// waiting is how many batches in flight are not known to be done.
func (p *Pipeline) waiting() (n int) {
	for _, b := range p.flight {
		if !b.done {
			n++
		}
	}
	return n
}

// receive waits for the next batch to be done.
func (p *Pipeline) receive() {
	var b *Batch
	select {
	case b = <-p.out:
	default:
		start := time.Now()
		b = <-p.out
		p.counters.wait.Add(int64(time.Since(start)))
	}
	b.done = true
}

// Cancel has the batches in flight that no worker has begun to prepare or to evaluate come back with ErrCancelled, until the next
// Submit.
func (p *Pipeline) Cancel() { p.cancel.Store(true) }

// InFlight is the number of batches submitted and not yet returned.
func (p *Pipeline) InFlight() int { return len(p.flight) }

// Depth is the number of batches in flight that keep preparation and backend busy while the owner fills another: with two, a backend
// whose batches take as long as filling one waited a fifth of the time.
func (p *Pipeline) Depth() int { return p.depth }

// Next blocks until the oldest batch in flight is done and returns it; nil where none is in flight.
func (p *Pipeline) Next() *Batch {
	if len(p.flight) == 0 {
		return nil
	}
	for !p.flight[0].done {
		p.receive()
	}
	return p.take(0)
}

// Arrived blocks until any batch in flight is done and returns it, the oldest first; nil where none is in flight.
func (p *Pipeline) Arrived() *Batch {
	if len(p.flight) == 0 {
		return nil
	}
	for {
		if i := slices.IndexFunc(p.flight, func(b *Batch) bool { return b.done }); i >= 0 {
			return p.take(i)
		}
		p.receive()
	}
}

// take removes a batch from those in flight.
func (p *Pipeline) take(i int) *Batch {
	b := p.flight[i]
	p.flight = slices.Delete(p.flight, i, i+1)
	return b
}

// Stats may be called from any goroutine.
func (p *Pipeline) Stats() Stats {
	c := &p.counters
	s := Stats{
		Batches: c.batches.Load(), Items: c.items.Load(), Queue: time.Duration(c.queue.Load()),
		Compute: p.busy.Total(), Wait: time.Duration(c.wait.Load()), Elapsed: time.Since(p.began),
	}
	if s.Batches > 0 {
		s.Fill = float64(s.Items) / float64(s.Batches*int64(p.capacity))
	}
	if s.Net = NetBusy(p.backend); s.Net == 0 {
		s.Net = s.Compute
	}
	return s
}

// Since is what was counted after an earlier Stats of the same pipeline; Fill stays that of all.
func (s Stats) Since(was Stats) Stats {
	s.Batches, s.Items = s.Batches-was.Batches, s.Items-was.Items
	s.Queue, s.Compute, s.Net = s.Queue-was.Queue, s.Compute-was.Compute, s.Net-was.Net
	s.Wait, s.Elapsed = s.Wait-was.Wait, s.Elapsed-was.Elapsed
	return s
}

// NetIdle is the share of the time in which the net did not run.
func (s Stats) NetIdle() float64 { return max(0, 1-s.Net.Seconds()/max(1e-9, s.Elapsed.Seconds())) }

// Used is the share of the evaluations' time that the owner did not wait.
func (s Stats) Used() float64 { return max(0, 1-s.Wait.Seconds()/max(1e-9, s.Compute.Seconds())) }

// Close cancels the batches in flight, drops their results and stops the workers. The backend stays open.
func (p *Pipeline) Close() {
	p.Cancel()
	for len(p.flight) > 0 {
		p.Put(p.Next())
	}
	close(p.in)
	p.prepares.Wait()
	if p.ready != p.in {
		close(p.ready)
	}
	p.workers.Wait()
}
