package alphabeta

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/internal/cores"
	"tesla/nnue"
	"tesla/search"
	"tesla/search/sure"
	"tesla/tablebase"
	"tesla/tt128"
)

// Searcher searches with several threads, which a driver makes work together. It implements search.Searcher.
type Searcher struct {
	driver  driver
	threads []*Thread
	tables  []*tt128.Table // the caller's, then those that the Searcher owns
	ponders chan struct{}  // PonderHit sends here
	now     func() time.Time
	sure    *sure.Model // judges the first line; nil: nothing does
	places  [][]int     // the cores of each thread; nil: the system decides
}

// driver is how threads work together. It belongs to one Searcher.
type driver interface {
	// begin begins a search, before any thread does.
	begin(x *running)
	// iterate searches the root to a depth, on the calling goroutine and on those that help. guess is the value of the
	// root a depth before. It returns false when the search was stopped. The line is then that of a move that was found
	// to be better than the others so far, if any.
	iterate(x *running, depth, guess int) (Line, bool)
	// choose is the line that is played: best, which is the first thread's, or a better one of another thread. It is
	// called when the first thread has ended.
	choose(best Line) Line
	// help is what a thread other than the first does until x.quit is closed. number is its index in x.threads.
	help(x *running, t *Thread, number int)
}

// solo is the part of a driver whose first thread iterates without regard to the others, and plays its own line.
type solo struct{}

func (solo) iterate(x *running, depth, guess int) (Line, bool) {
	return x.threads[0].iterate(depth, guess)
}

func (solo) choose(best Line) Line { return best }

// newSearcher makes a Searcher with a number of threads on a net and a table, which stay the caller's.
func newSearcher(d driver, net *nnue.Net, table *tt128.Table, threads int, o Options) (*Searcher, error) {
	s := &Searcher{driver: d, tables: []*tt128.Table{table}, ponders: make(chan struct{}, 1), now: time.Now}
	s.places = cores.Places(max(threads, 1))
	for i := range max(threads, 1) {
		if o.Local && i > 0 {
			own, err := tt128.New(table.Megabytes())
			if err != nil {
				return nil, errors.Join(fmt.Errorf("table of thread %d: %w", i+1, err), s.Close())
			}
			s.tables, table = append(s.tables, own), own
		}
		s.threads = append(s.threads, NewThread(net, table, o.Mode))
	}
	return s, nil
}

// UseTables has the threads probe endgame tables; nil is none. It is called between searches.
func (s *Searcher) UseTables(tables *tablebase.Prober) {
	for _, t := range s.threads {
		t.UseTables(tables)
	}
}

// PonderHit starts the clock of a search with Limits.Ponder.
func (s *Searcher) PonderHit() {
	select {
	case s.ponders <- struct{}{}:
	default:
	}
}

// NewGame clears the tables and the histories.
func (s *Searcher) NewGame() {
	for _, table := range s.tables {
		table.Clear()
	}
	for _, t := range s.threads {
		t.Forget()
	}
}

// Close frees the tables that the Searcher owns.
func (s *Searcher) Close() (err error) {
	for _, table := range s.tables[1:] {
		err = errors.Join(err, table.Close())
	}
	return err
}

// running is one search of a Searcher.
type running struct {
	*Searcher
	clock
	ctx    context.Context
	limits search.Limits
	report func(search.Info) // may be nil
	ranking
	sureness
	ended atomic.Bool   // the first thread has stopped, and the helpers must
	quit  chan struct{} // is closed then

	nodes, evals atomic.Int64 // of all threads, when each last told
	ahead        atomic.Int64 // nodes before a ponderhit started the clock anew
}

// Search implements search.Searcher. In a position without legal moves it returns the zero Result. The error is always
// nil: the searching threads compute the net themselves, and that cannot fail.
func (s *Searcher) Search(
	ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info),
) (search.Result, error) {
	roots := distinct(limits.SearchMoves)
	if len(roots) == 0 {
		roots = g.Pos.LegalMoves(nil)
	}
	if len(roots) == 0 {
		return search.Result{}, nil
	}
	select {
	case <-s.ponders: // of a search before
	default:
	}
	x := &running{Searcher: s, ctx: ctx, limits: limits, quit: make(chan struct{}), report: report}
	x.clock.begin(s.now, limits.Budget(&g.Pos), !limits.Ponder && !limits.Infinite)
	for _, table := range s.tables {
		table.NewSearch()
	}
	for i, t := range s.threads {
		t.begin(&g.Pos, g.Keys())
		if i == 0 {
			x.rank(t, roots)
		}
		t.limit, t.evalLimit, t.roots, t.stop, t.every = 0, 0, limits.SearchMoves, x.watch(t), x.interval()
	}
	lead := s.threads[0]
	lead.current = x.current(lead)
	if len(s.threads) == 1 {
		lead.limit, lead.evalLimit = limits.Nodes, limits.Evals
	}
	s.driver.begin(x)
	var helpers sync.WaitGroup
	for i, t := range s.threads[1:] {
		helpers.Go(func() {
			defer s.settle(i + 1)()
			s.driver.help(x, t, i+1)
		})
	}
	leave := s.settle(0)
	whole := x.lead(lead)
	x.park()
	x.end()
	leave()
	helpers.Wait()
	for _, t := range s.threads {
		x.count(t)
	}
	if path := s.Path(); path > 0 && report != nil {
		work, spent := x.nodes.Load(), x.elapsed()*time.Duration(len(s.threads))
		report(search.Info{Text: fmt.Sprintf("work %d nodes, critical path %d: parallelism %.1f; idle %.1f %%", work, path,
			float64(work)/float64(path), 100*s.Idle().Seconds()/max(spent.Seconds(), 1e-9))})
	}
	return x.finish(whole), nil
}

// end stops the helpers.
func (x *running) end() {
	if !x.ended.Swap(true) {
		close(x.quit)
	}
}

// settle binds the calling goroutine to the place of a thread until leave is called. Where the system forbids it, because
// the allowed cores have changed since, the thread runs anywhere.
func (s *Searcher) settle(thread int) (leave func()) {
	if s.places != nil {
		if leave, err := cores.Pin(s.places[thread]); err == nil {
			return leave
		}
	}
	return func() {}
}

// slack is the reciprocal of the share of a limit by which threads together may exceed it.
const slack = 128

// interval is the number of nodes between two calls of a thread's stop function. With several threads it is so small
// that what they have not told yet is less than the slack.
func (x *running) interval() int64 {
	every := int64(stopNodes)
	for _, limit := range []int64{x.limits.Nodes, x.limits.Evals} {
		if threads := int64(len(x.threads)); threads > 1 && limit > 0 {
			every = min(every, max(1, limit/(slack*threads)))
		}
	}
	return every
}

// watch is the stop function of a thread. With several threads it also compares what all have done with the limits.
func (x *running) watch(t *Thread) func() bool {
	return func() bool {
		x.count(t)
		if l := &x.limits; len(x.threads) > 1 &&
			(l.Nodes > 0 && x.nodes.Load() >= l.Nodes || l.Evals > 0 && x.evals.Load() >= l.Evals) {
			x.end()
		}
		return x.over()
	}
}

// count adds what a thread has done since the last call to the common count. The thread calls it, or nobody does.
func (x *running) count(t *Thread) {
	done := work{t.nodes, t.Evals()}
	x.nodes.Add(done.nodes - t.told.nodes)
	x.evals.Add(done.evals - t.told.evals)
	t.told = done
}

func (x *running) mostDepth() int {
	if d := x.limits.Depth; d > 0 {
		return min(d, MaxDepth)
	}
	return MaxDepth
}
