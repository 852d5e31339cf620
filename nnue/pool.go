package nnue

import (
	"sync"
	"sync/atomic"
)

// Pool holds several Workers. Each has a goroutine of its own that lives until Close; the first one runs on the caller's.
type Pool struct {
	mu      sync.Mutex // one job at a time
	workers []*Worker
	wake    chan struct{} // one for each goroutine that is to take part in the job
	done    sync.WaitGroup

	// The job.
	next, size atomic.Int64
	each       func(w *Worker, i int)
}

// stripe is the number of neighbouring items that a worker takes at a time: enough to share its refresh cache, few enough
// that the workers finish together.
const stripe = 8

// NewPool starts threads workers, at least one.
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

// Do calls each for 0..n-1, side by side on the workers, and returns when all are done. It may be called from several
// goroutines: jobs take turns.
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

// Close stops the goroutines; no Do may run or follow.
func (p *Pool) Close() { close(p.wake) }
