package batcher

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrHung is the error of a batch whose backend did not answer in time.
var ErrHung = errors.New("no answer")

// GuardOptions say how a Guard handles failures.
type GuardOptions struct {
	Deadline time.Duration           // of a batch; 0: DefaultDeadline
	Spare    func() (Backend, error) // opens, with batches as large, what takes over at the first failure; nil: errors are returned
	Tell     func(text string)       // is called with failures and recoveries; may be nil
	now      func() time.Time        // for tests; nil: time.Now
}

const (
	// DefaultDeadline is far longer than any batch takes after its first run.
	DefaultDeadline = 3 * time.Second
	// A backend that failed is tried again after leastRetry. Each further failure doubles the pause, up to mostRetry.
	leastRetry = time.Second
	mostRetry  = time.Minute
)

// Guard decorates a backend that may fail: by an error, by an answer that no net gives (see Item.Check), or by not
// returning. Then another backend answers, and the guarded one is tried again later. The guarded backend works on
// copies, so after a hang it holds nothing that belongs to the caller.
type Guard struct {
	backend Backend
	opts    GuardOptions
	asked   chan *asked // one for each of the backend's Streams

	mu    sync.Mutex // guards what follows
	spare Backend
	retry time.Time     // when the backend is tried again
	pause time.Duration // the length of the pause; 0: the last batch did not fail
	fails int           // failures so far, without those of batches that were pending at one
}

// asked is a goroutine that calls the backend, with the copies that it works on. It belongs to whoever has taken it
// from its Guard.
type asked struct {
	name  string   // of the backend
	work  chan int // the number of items to evaluate, the first ones of refs
	done  chan error
	store []Item // belongs to the goroutine while it works
	refs  []*Item
	timer *time.Timer
	hung  bool // it has not finished a batch that was given up
}

// NewGuard returns a guard of b. Its Close closes b and the spare.
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
	info := b.Info()
	g := &Guard{backend: b, opts: o, asked: make(chan *asked, info.Streams)}
	for range info.Streams {
		a := &asked{name: info.Name, work: make(chan int, 1), done: make(chan error, 1), store: make([]Item, info.MaxBatch),
			refs: make([]*Item, info.MaxBatch), timer: time.NewTimer(time.Hour)}
		for i := range a.store {
			a.refs[i] = &a.store[i]
		}
		go func() {
			for n := range a.work {
				a.done <- b.Evaluate(a.refs[:n])
			}
			close(a.done)
		}()
		g.asked <- a
	}
	return g
}

func (g *Guard) Info() Info { return g.backend.Info() }

// Unwrap is the backend that is guarded.
func (g *Guard) Unwrap() Backend { return g.backend }

func (g *Guard) Evaluate(items []*Item) error {
	if err := g.backend.Info().Admits(len(items)); err != nil {
		return err
	}
	spare, fails := g.instead()
	if spare != nil {
		return spare.Evaluate(items)
	}
	a := <-g.asked
	err := a.try(items, g.opts.Deadline)
	g.asked <- a
	if err == nil {
		g.recovered(fails)
		return nil
	}
	spare, err = g.failed(err, fails)
	if err != nil {
		return err
	}
	return spare.Evaluate(items)
}

// instead is the spare during a pause, and nil otherwise. fails is the number of failures before a batch that begins now.
func (g *Guard) instead() (spare Backend, fails int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pause > 0 && g.opts.now().Before(g.retry) {
		spare = g.spare
	}
	return spare, g.fails
}

// stuck reports whether the backend is still working on a batch that was given up.
func (a *asked) stuck() bool {
	if a.hung {
		select {
		case <-a.done:
			a.hung = false
		default:
		}
	}
	return a.hung
}

// try lets the backend evaluate copies of the items, and copies the results if they pass Check. Errors of the backend
// name it already.
func (a *asked) try(items []*Item, deadline time.Duration) error {
	if a.stuck() {
		return fmt.Errorf("backend %s: %w", a.name, ErrHung)
	}
	for i, it := range items {
		c := &a.store[i]
		c.Position, c.Moves = it.Position, append(c.Moves[:0], it.Moves...)
	}
	a.timer.Reset(deadline)
	a.work <- len(items)
	select {
	case err := <-a.done:
		if err != nil {
			return err
		}
	case <-a.timer.C:
		a.hung = true
		return fmt.Errorf("backend %s: %w in %v", a.name, ErrHung, deadline)
	}
	for i := range items {
		if err := a.store[i].Check(); err != nil {
			return fmt.Errorf("backend %s: %w", a.name, err)
		}
	}
	for i, it := range items {
		it.Eval = a.store[i].Eval
		copy(it.resizePolicy(), a.store[i].Policy)
	}
	return nil
}

// failed notes a failure, and returns the spare, which it opens at the first failure. A batch that was pending at another failure
// does not count: fails is the number of failures when it began.
func (g *Guard) failed(err error, fails int) (Backend, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.spare == nil && g.opts.Spare != nil {
		if spare, reason := g.opts.Spare(); reason != nil {
			err = errors.Join(err, fmt.Errorf("no backend can take over: %w", reason))
		} else {
			g.spare = spare
		}
	}
	if g.spare == nil {
		return nil, err
	}
	if fails != g.fails {
		return g.spare, nil
	}
	g.fails++
	if g.pause == 0 {
		g.opts.Tell(fmt.Sprintf("error: %v; %s takes over", err, g.spare.Info().Name))
	}
	g.pause = min(max(leastRetry, 2*g.pause), mostRetry)
	g.retry = g.opts.now().Add(g.pause)
	return g.spare, nil
}

// recovered notes that the backend has answered a batch, unless it failed with another since this one began.
func (g *Guard) recovered(fails int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if fails != g.fails {
		return
	}
	if g.pause > 0 {
		g.opts.Tell(fmt.Sprintf("backend %s answers again", g.backend.Info().Name))
	}
	g.pause = 0
}

// Close implements Backend. It does not close a backend that hangs; then it returns ErrHung.
func (g *Guard) Close() error {
	stuck := false
	for range cap(g.asked) {
		a := <-g.asked
		close(a.work)
		if a.stuck() {
			stuck = true
		} else {
			<-a.done
		}
	}
	var errs []error
	if g.spare != nil {
		errs = append(errs, g.spare.Close())
	}
	if stuck {
		errs = append(errs, fmt.Errorf("backend %s: %w; not closed", g.backend.Info().Name, ErrHung))
	} else {
		errs = append(errs, g.backend.Close())
	}
	return errors.Join(errs...)
}
