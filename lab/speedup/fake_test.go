package speedup

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
)

// fakeClock stands still but for what fakes spend.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) spend(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// outcome is what a fake search takes and says.
type outcome struct {
	took     time.Duration
	nodes    int64
	best     string
	messages int64
	reached  int64 // 0: the work asked for
}

// lab makes fakes and counts what they do. Side by side they wait for each other, as on a machine with one core.
type lab struct {
	clock   fakeClock
	unit    Unit
	cost    time.Duration // of a message
	idle    time.Duration // of each search
	path    int64         // of each search
	outcome func(base bool, threads int, fen string, work int64) outcome
	before  func(search int) // called before each search, which are counted from 1

	mu                       sync.Mutex
	searches, opened, closed int
	dirty                    bool // a search began without NewGame
	fail                     error
}

type fake struct {
	lab     *lab
	base    bool
	threads int
	clean   bool
	sent    int64
}

func (f *fake) NewGame()                   { f.clean = true }
func (f *fake) PonderHit()                 {}
func (f *fake) Messages() int64            { return f.sent }
func (f *fake) MessageCost() time.Duration { return f.lab.cost }
func (f *fake) Idle() time.Duration        { return f.lab.idle }
func (f *fake) Path() int64                { return f.lab.path }

func (f *fake) Close() error {
	f.lab.mu.Lock()
	defer f.lab.mu.Unlock()
	f.lab.closed++
	return nil
}

func (f *fake) Search(ctx context.Context, g *board.Game, lim search.Limits, _ func(search.Info)) (search.Result,
	error) {
	l := f.lab
	l.mu.Lock()
	l.searches++
	number := l.searches
	l.dirty = l.dirty || !f.clean
	fail := l.fail
	l.mu.Unlock()
	f.clean = false
	if l.before != nil {
		l.before(number)
	}
	work := lim.Evals
	if l.unit == Depth {
		work = int64(lim.Depth)
	}
	o := l.outcome(f.base, f.threads, g.Pos.FEN(false), work)
	l.clock.spend(o.took)
	f.sent = o.messages
	if o.reached == 0 {
		o.reached = work
	}
	if ctx.Err() != nil { // cut short
		o.reached, o.nodes, o.best = 1, 1, "0000"
	}
	info := search.Info{Nodes: o.nodes, Evals: o.reached, Depth: int(o.reached)}
	m, err := g.Pos.ParseMove(o.best)
	if err != nil {
		m = board.NullMove
	}
	return search.Result{Best: m, Info: info}, fail
}

func (l *lab) make(base bool, threads int) (search.Searcher, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened++
	return &fake{lab: l, base: base, threads: threads}, nil
}

// driver registers the fakes, with a baseline of their own core or without.
func (l *lab) driver(baseline bool) Driver {
	d := Driver{Name: "fake", Unit: l.unit, Open: func(n int) (search.Searcher, error) { return l.make(false, n) },
		Baseline: func() (search.Searcher, error) { return l.make(false, 1) }, BaselineName: "fake with one thread", Own: true}
	if baseline {
		d.Baseline, d.BaselineName, d.Own = func() (search.Searcher, error) { return l.make(true, 1) }, "PVS", false
	}
	return d
}

// config measures the fakes on the first positions of the suite.
func (l *lab) config(t *testing.T, baseline bool, positions int, threads ...int) Config {
	t.Helper()
	all, err := ParsePositions(BratkoKopec)
	if err != nil {
		t.Fatal(err)
	}
	l.clock.now = time.Unix(1e9, 0)
	return Config{Driver: l.driver(baseline), Positions: all[:positions], Threads: threads, Repeat: 1, Limit: DefaultLimit,
		Now: l.clock.Now, Backend: "none", Model: "none", Commit: "none", Hash: 1}
}

// checkClosed finds fakes left open and tables left filled.
func (l *lab) checkClosed(t *testing.T) {
	t.Helper()
	if l.opened != l.closed || l.dirty {
		t.Errorf("%d opened, %d closed, dirty %v", l.opened, l.closed, l.dirty)
	}
}

var errFake = errors.New("the fake broke")
