package batcher

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
)

// ErrCancelled is the error of a batch that was not evaluated because of Cancel.
var ErrCancelled = errors.New("cancelled")

// Batch is a set of items that travels through a Pipeline. It belongs to the pipeline's owner between Get, Next or
// Arrived and Submit or Put, and to the pipeline otherwise.
type Batch struct {
	Items []Item // the filled items; they keep the memory of their Moves and Policy between uses
	Ahead int    // the number of items, the last ones, that are prefetched
	Asked int    // set by Submit: the number of items; prepare may add others
	Err   error  // set by the pipeline: why the items were not evaluated
	store []Item
	refs  []*Item
	since time.Time // when it began to wait
	done  bool
	taken int // items that were taken from the queue
	left  int // items that were not evaluated yet
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

// Add returns the next free item, or nil if the batch is full. Moves of the item is empty; its other fields are stale.
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

// Len is the number of items that were added.
func (b *Batch) Len() int { return len(b.Items) }

// Cap is the largest number of items.
func (b *Batch) Cap() int { return len(b.store) }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() { b.Items, b.Ahead, b.Err, b.done = b.store[:0], 0, nil, false }

// Pipeline prepares and evaluates batches on its own goroutines while its owner fills the next batch:
//
//	Submit -> prepare (a goroutine each) -> Evaluate, finish (one for each of the backend's Streams) -> Next or Arrived
//
// Where the backend is Local and nothing is prepared, the owner is one of the goroutines that evaluate: it evaluates what
// would keep it waiting. With one stream it is the only one, and nothing is handed over. With more, all of them take the
// items of a batch a few at a time.
//
// Its methods other than Stats belong to one goroutine, the owner. After a warm-up it allocates nothing.
type Pipeline struct {
	backend  Backend
	finish   func(*Batch)
	capacity int
	depth    int
	in       chan *Batch // nil where nothing is prepared
	queue    *queue
	out      chan *Batch
	free     []*Batch
	pending  []*Batch // submitted and not yet returned, oldest first
	workers  sync.WaitGroup
	prepares sync.WaitGroup
	helps    bool // the owner evaluates, too
	began    time.Time
	busy     BusyClock // while an Evaluate runs
	counters counters
}

type counters struct {
	batches, items, queue, wait atomic.Int64
}

// Stats are the counters of a Pipeline since it began.
type Stats struct {
	Batches, Items int64         // that were evaluated
	Fill           float64       // mean share of MaxBatch that a batch filled
	Queue          time.Duration // sum of the times that batches waited for a goroutine
	Compute        time.Duration // time in which at least one batch was evaluated
	Net            time.Duration // time in which the net ran on the busiest device; Compute if the backend does not say
	Wait           time.Duration // time in which the owner was blocked in Submit, Next and Arrived
	Elapsed        time.Duration
}

// NewPipeline starts a pipeline over b. Before a batch is evaluated, one of the functions prepare gets it; a single one
// gets the batches in the order of submission. It is the place for searches at leaves: it may add items, and its error
// becomes that of the batch. finish, if it is not nil, gets each evaluated batch on the goroutine that evaluated it.
// The caller closes pipeline and backend, the pipeline first.
func NewPipeline(b Backend, finish func(*Batch), prepare ...func(*Batch) error) *Pipeline {
	info := b.Info()
	depth := max(3, info.Streams+1) + max(0, len(prepare)-1)
	workers, helps, most := info.Streams, info.Local && len(prepare) == 0, info.MaxBatch
	if helps {
		if workers--; workers == 0 {
			depth = 1
		} else {
			most = partSize
		}
	}
	p := &Pipeline{backend: b, finish: finish, helps: helps, capacity: info.MaxBatch, depth: depth,
		out: make(chan *Batch, depth), began: time.Now(), queue: newQueue(most, 0)}
	if helps {
		p.queue.spins = spins
	}
	if len(prepare) > 0 {
		p.in = make(chan *Batch, depth)
		for _, f := range prepare {
			p.prepares.Go(func() { p.prepareAll(f) })
		}
	}
	for range workers {
		p.workers.Go(p.evaluateAll)
	}
	return p
}

const (
	// partSize is how many items a goroutine takes at a time where several evaluate a batch.
	partSize = 4
	// spins is how often a goroutine looks for work before it sleeps, which takes some 50 microseconds: a batch of a local
	// backend takes about as long, and waking a thread costs a tenth of that.
	spins = 50000
)

// prepareAll prepares batches until in is closed.
func (p *Pipeline) prepareAll(prepare func(*Batch) error) {
	for b := range p.in {
		p.leave(b)
		if p.queue.cancelled.Load() {
			b.Err = ErrCancelled
		} else {
			b.Err = prepare(b)
		}
		b.since = time.Now()
		p.queue.put(b)
	}
}

// leave adds the time that a batch has waited to the counters.
func (p *Pipeline) leave(b *Batch) { p.counters.queue.Add(int64(time.Since(b.since))) }

func (p *Pipeline) evaluateAll() {
	for w, ok := p.queue.wait(); ok; w, ok = p.queue.wait() {
		p.evaluate(w)
	}
}

// evaluate evaluates a part of a batch. With the last part the batch is done.
func (p *Pipeline) evaluate(w part) {
	b, err := w.batch, error(nil)
	if w.from == 0 {
		p.leave(b)
	}
	if !w.skip {
		p.busy.Begin()
		err = p.backend.Evaluate(b.refs[w.from:w.to])
		p.busy.End()
		p.counters.items.Add(int64(w.to - w.from))
	}
	if !p.queue.finish(w, err) {
		return
	}
	if !w.skip {
		p.counters.batches.Add(1)
		if b.Err == nil && p.finish != nil {
			p.finish(b)
		}
	}
	p.out <- b
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

// Submit hands a batch to the pipeline. It blocks while Depth batches are pending.
func (p *Pipeline) Submit(b *Batch) {
	for p.waiting() == p.depth {
		p.receive()
	}
	p.queue.cancelled.Store(false)
	b.Asked, b.since = len(b.Items), time.Now()
	p.pending = append(p.pending, b)
	if p.in != nil {
		p.in <- b
	} else {
		p.queue.put(b)
	}
}

// waiting is the number of pending batches that are not known to be done.
func (p *Pipeline) waiting() (n int) {
	for _, b := range p.pending {
		if !b.done {
			n++
		}
	}
	return n
}

// receive blocks until one more batch is done. Where the owner helps, it evaluates meanwhile.
func (p *Pipeline) receive() {
	for {
		select {
		case b := <-p.out:
			b.done = true
			return
		default:
		}
		if w, ok := p.help(); ok {
			p.evaluate(w)
		} else {
			p.wait()
			return
		}
	}
}

// help takes something that the owner may evaluate.
func (p *Pipeline) help() (w part, ok bool) {
	if !p.helps {
		return w, false
	}
	return p.queue.take()
}

// wait blocks until a batch comes out.
func (p *Pipeline) wait() {
	start := time.Now()
	for n := 0; p.helps && n < spins && len(p.out) == 0; n++ {
	}
	b := <-p.out
	b.done = true
	p.counters.wait.Add(int64(time.Since(start)))
}

// Cancel ends pending batches early: until the next Submit, batches that no worker has begun to prepare or to evaluate
// come back with ErrCancelled. It does not block.
func (p *Pipeline) Cancel() { p.queue.cancelled.Store(true) }

// Pending is the number of pending batches: submitted and not yet returned.
func (p *Pipeline) Pending() int { return len(p.pending) }

// Depth is the number of pending batches that keeps preparation and backend busy while the owner fills another batch.
// With a depth of two, a backend whose batches take as long as filling one was idle for a fifth of the time.
func (p *Pipeline) Depth() int { return p.depth }

// Next blocks until the oldest pending batch is done, and returns it. It returns nil if no batch is pending.
func (p *Pipeline) Next() *Batch {
	if len(p.pending) == 0 {
		return nil
	}
	for !p.pending[0].done {
		p.receive()
	}
	return p.take(0)
}

// Arrived blocks until any pending batch is done, and returns the oldest of those. It returns nil if no batch is
// pending.
func (p *Pipeline) Arrived() *Batch {
	if len(p.pending) == 0 {
		return nil
	}
	for {
		if i := slices.IndexFunc(p.pending, func(b *Batch) bool { return b.done }); i >= 0 {
			return p.take(i)
		}
		p.receive()
	}
}

// take removes a batch from the pending ones and returns it.
func (p *Pipeline) take(i int) *Batch {
	b := p.pending[i]
	p.pending = slices.Delete(p.pending, i, i+1)
	return b
}

// Stats are the counters up to now. It does not block, and may be called from any goroutine.
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

// Since is the difference to an earlier Stats of the same pipeline. Fill remains the mean over the pipeline's life.
func (s Stats) Since(was Stats) Stats {
	s.Batches, s.Items = s.Batches-was.Batches, s.Items-was.Items
	s.Queue, s.Compute, s.Net = s.Queue-was.Queue, s.Compute-was.Compute, s.Net-was.Net
	s.Wait, s.Elapsed = s.Wait-was.Wait, s.Elapsed-was.Elapsed
	return s
}

// NetIdle is the share of the elapsed time in which the net did not run.
func (s Stats) NetIdle() float64 { return max(0, 1-s.Net.Seconds()/max(1e-9, s.Elapsed.Seconds())) }

// Used is the share of the evaluations' time in which the owner did not wait.
func (s Stats) Used() float64 { return max(0, 1-s.Wait.Seconds()/max(1e-9, s.Compute.Seconds())) }

// Close cancels the pending batches, drops their results and stops the workers. It blocks until they have ended. The
// backend stays open.
func (p *Pipeline) Close() {
	p.Cancel()
	for len(p.pending) > 0 {
		p.Put(p.Next())
	}
	if p.in != nil {
		close(p.in)
	}
	p.prepares.Wait()
	p.queue.close()
	p.workers.Wait()
}
