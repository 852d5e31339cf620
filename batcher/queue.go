package batcher

import (
	"slices"
	"sync"
	"sync/atomic"
)

// queue is the batches that are ready to be evaluated and have items that nobody has taken, the oldest first. Goroutines take
// them in parts, so that none waits for another to come to the end of a batch.
type queue struct {
	mu     sync.Mutex
	filled sync.Cond
	open   []*Batch
	closed bool

	most      int          // items of a part
	spins     int          // how often wait looks before it sleeps
	count     atomic.Int32 // len(open), to be seen without the lock
	cancelled atomic.Bool
}

// part is the items of a batch that one goroutine evaluates.
type part struct {
	batch    *Batch
	from, to int
	skip     bool // the batch has failed: they need no evaluation
}

func newQueue(most, spins int) *queue {
	q := &queue{most: most, spins: spins}
	q.filled.L = &q.mu
	return q
}

func (q *queue) put(b *Batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	b.taken, b.left = 0, len(b.Items)
	q.open = append(q.open, b)
	q.count.Add(1)
	q.filled.Signal()
}

// take takes a part of the oldest batch, all that is left of one that has failed; false where there is none.
func (q *queue) take() (w part, ok bool) {
	if q.count.Load() == 0 {
		return w, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.next()
}

// next is take for a caller that has the lock.
func (q *queue) next() (w part, ok bool) {
	if len(q.open) == 0 {
		return w, false
	}
	b := q.open[0]
	if b.Err == nil && b.taken == 0 && q.cancelled.Load() {
		b.Err = ErrCancelled
	}
	w = part{b, b.taken, min(b.taken+q.most, len(b.Items)), b.Err != nil}
	if w.skip {
		w.to = len(b.Items)
	}
	if b.taken = w.to; w.to == len(b.Items) {
		q.open = slices.Delete(q.open, 0, 1)
		q.count.Add(-1)
	} else {
		q.filled.Signal() // there is work for one more
	}
	return w, true
}

// wait blocks until it can take a part; false once the queue is closed and empty.
func (q *queue) wait() (w part, ok bool) {
	for range q.spins {
		if q.count.Load() > 0 {
			if w, ok = q.take(); ok {
				return w, true
			}
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for w, ok = q.next(); !ok && !q.closed; w, ok = q.next() {
		q.filled.Wait()
	}
	return w, ok
}

// finish notes that a part was evaluated, and reports whether it was the last of its batch.
func (q *queue) finish(w part, err error) (last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.batch.Err == nil {
		w.batch.Err = err
	}
	w.batch.left -= w.to - w.from
	return w.batch.left == 0
}

// close makes wait return once the queue is empty.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.filled.Broadcast()
}
