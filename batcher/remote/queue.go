package remote

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"tesla/batcher"
)

// queue lets the connections take turns at the backend: each turn computes at most part rows, all of one request. So
// nobody's rows share a batch with another's, and nobody waits for more than a part of each connection.
type queue struct {
	backend batcher.Inferer
	columns int // of a row
	part    int
	workers sync.WaitGroup

	mu      sync.Mutex
	change  *sync.Cond    // of turns or ended
	turns   []*connection // those with jobs, the next one first
	running map[*time.Time]struct{}
	ended   bool
}

// job is a request that is being evaluated.
type job struct {
	ctx     context.Context
	request request
	answer  *answer
	done    chan struct{} // closed when all rows are computed, or one part has failed

	// guarded by queue.mu
	taken   int // rows that workers have taken
	working int // parts that workers compute
	err     error
}

// least is the number of rows of a part where the backend does not say what suits it.
const least = 32

func newQueue(backend batcher.Inferer, columns int) *queue {
	info := backend.Info()
	q := &queue{backend: backend, columns: columns, part: min(max(info.Batch, least), info.MaxBatch), running: map[*time.Time]struct{}{}}
	q.change = sync.NewCond(&q.mu)
	return q
}

func (q *queue) start(workers int) {
	for range workers {
		q.workers.Go(q.work)
	}
}

// stop ends the workers. It waits for those that are computing, but not long.
func (q *queue) stop() error {
	q.mu.Lock()
	q.ended = true
	q.change.Broadcast()
	q.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		q.workers.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-time.After(grace):
		return fmt.Errorf("backend %s: %w", q.backend.Info().Name, batcher.ErrHung)
	}
}

// stuck reports whether the backend has computed a part for so long that it will hardly ever end.
func (q *queue) stuck() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for began := range q.running {
		if time.Since(*began) > hung {
			return true
		}
	}
	return false
}

// add appends a job to those of its connection.
func (q *queue) add(c *connection, j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.jobs = append(c.jobs, j); len(c.jobs) == 1 {
		q.turns = append(q.turns, c)
	}
	q.change.Signal()
}

// take blocks until there is a part to compute: n rows from row from on of a job. There is none when the queue has
// ended.
func (q *queue) take() (j *job, from, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.turns) == 0 && !q.ended {
			q.change.Wait()
		}
		if q.ended {
			return nil, 0, 0
		}
		c := q.turns[0]
		q.turns = slices.Delete(q.turns, 0, 1)
		j, from = c.jobs[0], c.jobs[0].taken
		if j.ctx.Err() == nil && j.err == nil {
			n = min(q.part, j.request.n-from)
			j.taken += n
			j.working++
		}
		if n == 0 || j.taken == j.request.n {
			c.jobs = slices.Delete(c.jobs, 0, 1)
		}
		if len(c.jobs) > 0 {
			q.turns = append(q.turns, c)
			q.change.Signal()
		}
		if n > 0 {
			return j, from, n
		}
	}
}

// work computes parts until the queue ends.
func (q *queue) work() {
	rows := make([]int32, q.part*q.columns)
	var out [len(batcher.GraphOutputs)][]float32
	for k, o := range batcher.GraphOutputs {
		out[k] = make([]float32, q.part*o.Columns)
	}
	for {
		j, from, n := q.take()
		if j == nil {
			return
		}
		part := rows[:n*q.columns]
		decodeRows(j.request.rows[4*from*q.columns:], part)
		for k, o := range batcher.GraphOutputs {
			out[k] = out[k][:n*o.Columns]
		}
		q.finish(j, q.infer(n, part, out), func() { j.answer.set(from, n, out) })
	}
}

// infer lets the backend compute, and notes that it does.
func (q *queue) infer(n int, rows []int32, out [len(batcher.GraphOutputs)][]float32) error {
	began := time.Now()
	q.mu.Lock()
	q.running[&began] = struct{}{}
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.running, &began)
	}()
	return q.backend.Infer(n, rows, out)
}

// finish notes that a part of a job is computed; set writes it to the answer.
func (q *queue) finish(j *job, err error, set func()) {
	if err == nil {
		set()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	j.working--
	switch failed := j.err != nil; {
	case failed: // done is closed
	case err != nil:
		j.err = err
		close(j.done)
	case j.working == 0 && j.taken == j.request.n:
		close(j.done)
	}
}
