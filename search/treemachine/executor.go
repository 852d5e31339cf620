package treemachine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
)

// executor has a thinker search tasks. Its method send is a seat's.
type executor struct {
	thinker
	pace   time.Duration // a node takes at least so long
	paced  time.Time     // when the last task would have ended at that pace
	game   int           // of the last task, as search
	search int
	finish func(result)

	mu      sync.Mutex
	waiting []*task
	wake    chan struct{} // a task waits
	current uint64        // the task that is searched
	halt    atomic.Bool   // it is to be stopped
}

func newExecutor(mind thinker, pace time.Duration, finish func(result)) *executor {
	return &executor{thinker: mind, pace: pace, finish: finish, wake: make(chan struct{}, 1)}
}

// send takes a task, or stops one. It does not block.
func (x *executor) send(m message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch m.Kind {
	case ask:
		x.waiting = append(x.waiting, m.Task)
		select {
		case x.wake <- struct{}{}:
		default:
		}
	case stop:
		if x.current == m.ID {
			x.halt.Store(true)
		}
		x.waiting = slices.DeleteFunc(x.waiting, func(t *task) bool { return t.ID == m.ID })
	}
}

// next is the next task, nil where none waits.
func (x *executor) next() *task {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.current = 0
	if len(x.waiting) == 0 {
		return nil
	}
	t := x.waiting[0]
	x.waiting = x.waiting[1:]
	x.current = t.ID
	x.halt.Store(false)
	return t
}

// run searches until ctx is done, or the thinker fails.
func (x *executor) run(ctx context.Context) error {
	for {
		t := x.next()
		if t == nil {
			select {
			case <-x.wake:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		p, err := board.ParseFEN(t.FEN)
		if err != nil {
			continue // it is not from a root
		}
		if t.Game != x.game {
			if err := x.newGame(); err != nil {
				return err
			}
		}
		if t.Search != x.search {
			x.newSearch()
		}
		x.game, x.search = t.Game, t.Search
		start := time.Now()
		stop := func() bool { return x.halt.Load() || ctx.Err() != nil }
		r, err := x.think(t, &p, stop)
		if err != nil {
			return err
		}
		x.slow(start, r.Found.Nodes, stop)
		r.ID, r.Took = t.ID, time.Since(start)
		x.finish(r)
	}
}

// slow waits until nodes have taken as long as the pace says. What one task waited too long, the next one gains.
func (x *executor) slow(start time.Time, nodes int64, stop func() bool) {
	if x.pace == 0 {
		return
	}
	if start.Sub(x.paced) < pollTime {
		start = x.paced
	}
	x.paced = start.Add(time.Duration(nodes) * x.pace)
	for time.Now().Before(x.paced) && !stop() {
		time.Sleep(min(time.Until(x.paced), pollTime))
	}
	if now := time.Now(); now.Before(x.paced) { // stopped: the slow processor would have searched fewer nodes
		x.paced = now
	}
}
