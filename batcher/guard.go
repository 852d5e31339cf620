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
	asked   chan *asked // one for each of the backend's Streams

	mu    sync.Mutex // of what follows
	spare Backend
	retry time.Time     // the backend is not asked before
	pause time.Duration // until then; 0: it has not failed since it last answered
}

// asked is a goroutine that asks the backend, and the copies that it asks for. It belongs to who has taken it from its Guard.
type asked struct {
	work  chan int // items to evaluate, the first of refs
	done  chan error
	store []Item // the goroutine's while it works
	refs  []*Item
	timer *time.Timer
	hung  bool // work was given and is not done
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
	info := b.Info()
	g := &Guard{backend: b, opts: o, asked: make(chan *asked, info.Streams)}
	for range info.Streams {
		a := &asked{work: make(chan int, 1), done: make(chan error, 1), store: make([]Item, info.MaxBatch),
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

// Info implements Backend.
func (g *Guard) Info() Info { return g.backend.Info() }

// Unwrap is the backend that is guarded.
func (g *Guard) Unwrap() Backend { return g.backend }

// Evaluate implements Backend.
func (g *Guard) Evaluate(items []*Item) error {
	if err := g.backend.Info().Admits(len(items)); err != nil {
		return err
	}
	if spare := g.instead(); spare != nil {
		return spare.Evaluate(items)
	}
	a := <-g.asked
	err := a.try(items, g.opts.Deadline)
	g.asked <- a
	if err == nil {
		g.recovered()
		return nil
	}
	spare, err := g.failed(err)
	if err != nil {
		return err
	}
	return spare.Evaluate(items)
}

// instead is the spare while the backend is not to be asked, and nil otherwise.
func (g *Guard) instead() Backend {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pause > 0 && g.opts.now().Before(g.retry) {
		return g.spare
	}
	return nil
}

// stuck tells whether the backend still works on a batch that was given up.
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

// try has the backend evaluate copies of the items, and copies the results if they are sound.
func (a *asked) try(items []*Item, deadline time.Duration) error {
	if a.stuck() {
		return ErrHung
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
		return fmt.Errorf("%w in %v", ErrHung, deadline)
	}
	for i := range items {
		if err := a.store[i].Check(); err != nil {
			return err
		}
	}
	for i, it := range items {
		it.Eval = a.store[i].Eval
		copy(it.resizePolicy(), a.store[i].Policy)
	}
	return nil
}

// failed notes why the backend failed, and returns what takes over.
func (g *Guard) failed(err error) (Backend, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	info := g.backend.Info()
	if g.spare == nil && g.opts.Spare != nil {
		if spare, reason := g.opts.Spare(); reason != nil {
			err = errors.Join(err, fmt.Errorf("and nothing takes over: %w", reason))
		} else if g.spare = spare; spare.Info().MaxBatch < info.MaxBatch {
			g.spare = NewSplit(spare, info.MaxBatch)
		}
	}
	if g.spare == nil {
		return nil, fmt.Errorf("backend %s: %w", info.Name, err)
	}
	if g.pause == 0 {
		g.opts.Tell(fmt.Sprintf("error: backend %s: %v; %s takes over", info.Name, err, g.spare.Info().Name))
	}
	g.pause = min(max(leastRetry, 2*g.pause), mostRetry)
	g.retry = g.opts.now().Add(g.pause)
	return g.spare, nil
}

// recovered notes that the backend answered.
func (g *Guard) recovered() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pause > 0 {
		g.opts.Tell(fmt.Sprintf("backend %s answers again", g.backend.Info().Name))
	}
	g.pause = 0
}

// Close implements Backend. A backend that hangs is left alone, and an error says so.
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
