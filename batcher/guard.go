package batcher

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrHung is the error of a batch that a backend did not answer in time.
var ErrHung = errors.New("no answer")

// GuardOptions say how a Guard bears with its backend.
type GuardOptions struct {
	Deadline time.Duration           // for a batch; 0: DefaultDeadline
	Spare    func() (Backend, error) // opens what takes over, at the first need; nil: failures are the caller's
	Tell     func(text string)       // told of failures and recoveries; may be nil
	now      func() time.Time        // of tests
}

const (
	// DefaultDeadline is far beyond what any batch takes that was run once before.
	DefaultDeadline = 3 * time.Second
	// A backend that failed is asked again after leastRetry, and after twice as long with each failure, up to mostRetry.
	leastRetry = time.Second
	mostRetry  = time.Minute
)

// Guard decorates a backend that may fail: with an error, with values that are no numbers, or by never returning. Another backend
// then answers, and this one is tried again later. The backend works on copies, so that one that hangs keeps nothing of its
// caller's.
type Guard struct {
	backend Backend
	opts    GuardOptions

	mu    sync.Mutex
	spare Backend
	work  chan int // items to evaluate, the first of refs
	done  chan error
	store []Item // the worker's while it works
	refs  []*Item
	timer *time.Timer
	hung  bool          // work was given to the worker and is not done
	retry time.Time     // the backend is not asked before
	pause time.Duration // until then; 0: it has not failed since it last answered
}

// NewGuard returns a guard of b, and closes b and the spare when closed.
func NewGuard(b Backend, o GuardOptions) *Guard {
	if o.Deadline == 0 {
		o.Deadline = DefaultDeadline
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	if o.now == nil {
		o.now = time.Now
	}
	g := &Guard{backend: b, opts: o, work: make(chan int, 1), done: make(chan error, 1), store: make([]Item, b.Info().MaxBatch),
		refs: make([]*Item, b.Info().MaxBatch), timer: time.NewTimer(time.Hour)}
	for i := range g.store {
		g.refs[i] = &g.store[i]
	}
	go func() {
		for n := range g.work {
			g.done <- g.backend.Evaluate(g.refs[:n])
		}
		close(g.done)
	}()
	return g
}

// Info implements Backend.
func (g *Guard) Info() Info {
	info := g.backend.Info()
	info.Concurrent = true
	return info
}

// Evaluate implements Backend. Calls from several goroutines take turns.
func (g *Guard) Evaluate(items []*Item) error {
	if err := g.backend.Info().Admits(len(items)); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var err error
	switch {
	case g.stuck():
		err = ErrHung
	case g.pause > 0 && g.opts.now().Before(g.retry):
		return g.spare.Evaluate(items)
	default:
		if err = g.try(items); err == nil {
			g.recovered()
			return nil
		}
	}
	return g.replace(items, err)
}

// stuck tells whether the backend still works on a batch that was given up.
func (g *Guard) stuck() bool {
	if g.hung {
		select {
		case <-g.done:
			g.hung = false
		default:
		}
	}
	return g.hung
}

// try has the backend evaluate copies of the items, and copies the results if they are sound.
func (g *Guard) try(items []*Item) error {
	for i, it := range items {
		c := &g.store[i]
		c.Position, c.Moves = it.Position, append(c.Moves[:0], it.Moves...)
	}
	g.timer.Reset(g.opts.Deadline)
	g.work <- len(items)
	select {
	case err := <-g.done:
		if err != nil {
			return err
		}
	case <-g.timer.C:
		g.hung = true
		return fmt.Errorf("%w in %v", ErrHung, g.opts.Deadline)
	}
	for i := range items {
		if err := g.store[i].sound(); err != nil {
			return err
		}
	}
	for i, it := range items {
		it.Eval = g.store[i].Eval
		copy(it.resizePolicy(), g.store[i].Policy)
	}
	return nil
}

// sound is nil where an evaluation holds numbers.
func (it *Item) sound() error {
	e := &it.Eval
	if !(e.Q >= -1.001 && e.Q <= 1.001 && e.Sigma > 0 && e.W >= -0.001 && e.D >= -0.001 && e.L >= -0.001) {
		return fmt.Errorf("the net says %+v of %s", *e, it.Position.FEN(false))
	}
	for i, p := range it.Policy {
		if !(p >= 0 && p <= 1.001) {
			return fmt.Errorf("the net gives move %s of %s the probability %v", it.Position.UCI(it.Moves[i], false), it.Position.FEN(false), p)
		}
	}
	return nil
}

// replace answers in place of the backend, which failed.
func (g *Guard) replace(items []*Item, err error) error {
	name := g.backend.Info().Name
	if g.spare == nil && g.opts.Spare != nil {
		var reason error
		if g.spare, reason = g.opts.Spare(); reason != nil {
			g.spare = nil
			err = errors.Join(err, fmt.Errorf("and nothing takes over: %w", reason))
		} else if most := len(g.store); g.spare.Info().MaxBatch < most {
			g.spare = NewSplit(g.spare, most)
		}
	}
	if g.spare == nil {
		return fmt.Errorf("backend %s: %w", name, err)
	}
	if g.pause == 0 {
		g.opts.Tell(fmt.Sprintf("error: backend %s: %v; %s takes over", name, err, g.spare.Info().Name))
	}
	g.pause = min(max(leastRetry, 2*g.pause), mostRetry)
	g.retry = g.opts.now().Add(g.pause)
	return g.spare.Evaluate(items)
}

// recovered notes that the backend answered.
func (g *Guard) recovered() {
	if g.pause > 0 {
		g.opts.Tell(fmt.Sprintf("backend %s answers again", g.backend.Info().Name))
	}
	g.pause = 0
}

// Close implements Backend. A backend that hangs is left alone, and an error says so.
func (g *Guard) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.work)
	var errs []error
	if g.spare != nil {
		errs = append(errs, g.spare.Close())
	}
	if g.stuck() {
		errs = append(errs, fmt.Errorf("backend %s: %w; not closed", g.backend.Info().Name, ErrHung))
	} else {
		<-g.done
		errs = append(errs, g.backend.Close())
	}
	return errors.Join(errs...)
}
