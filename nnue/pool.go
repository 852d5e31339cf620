package nnue

import (
	"sync"
	"sync/atomic"
)

// Pool holds several Workers. The first one runs on the goroutine of the caller; each other one has a goroutine of its
// own until Close.
type Pool struct {
	mu      sync.Mutex // one job at a time
	workers []*Worker
	wake    chan struct{} // one for each goroutine that is to take part in the job
	done    sync.WaitGroup

	// The present job.
	next, size atomic.Int64
	each       func(w *Worker, i int)
}

// stripe is the number of neighbouring items that a worker takes at a time. They are enough to profit from its refresh
// cache, and few enough for the workers to finish at about the same time.
const stripe = 8

// NewPool returns a pool of threads workers, but at least one.
func NewPool(n *Net, threads int) *Pool {
	p := &Pool{wake: make(chan struct{})}
	for i := range max(threads, 1) {
		w := NewWorker(n)
		p.workers = append(p.workers, w)
		if i == 0 {
			continue
		}
		go func() {
			for range p.wake {
				p.work(w)
				p.done.Done()
			}
		}()
	}
	return p
}

// Do calls each for 0..n-1, in parallel on the workers, and returns when all calls have returned. Several goroutines
// may call Do: their jobs take turns.
func (p *Pool) Do(n int, each func(w *Worker, i int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.each = each
	p.size.Store(int64(n))
	p.next.Store(0)
	helpers := min(len(p.workers)-1, (n-1)/stripe)
	p.done.Add(max(helpers, 0))
	for range helpers {
		p.wake <- struct{}{}
	}
	p.work(p.workers[0])
	p.done.Wait()
	p.each = nil
}

// work takes stripes of the job until none is left.
func (p *Pool) work(w *Worker) {
	n := p.size.Load()
	for begin := p.next.Add(stripe) - stripe; begin < n; begin = p.next.Add(stripe) - stripe {
		for i := begin; i < min(begin+stripe, n); i++ {
			p.each(w, int(i))
		}
	}
}

// Threads is the number of workers.
func (p *Pool) Threads() int { return len(p.workers) }

// Close ends the goroutines. No Do may be running or follow.
func (p *Pool) Close() { close(p.wake) }
