package alphabeta

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/nnue"
	"tesla/search"
	"tesla/tt128"
)

// Searcher searches with several threads, which a driver makes work together. It implements search.Searcher.
type Searcher struct {
	driver  driver
	threads []*Thread
	tables  []*tt128.Table // the caller's, then those that the Searcher owns
	ponders chan struct{}  // PonderHit sends here
	now     func() time.Time
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
	for i := range max(threads, 1) {
		if o.Local && i > 0 {
			own, err := tt128.New(table.Megabytes())
			if err != nil {
				return nil, errors.Join(fmt.Errorf("table of thread %d: %w", i+1, err), s.Close())
			}
			s.tables, table = append(s.tables, own), own
		}
		s.threads = append(s.threads, NewThread(net, table, o.Parts))
	}
	return s, nil
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
	ended  atomic.Bool       // the first thread has stopped, and the helpers must
	quit   chan struct{}     // is closed then
	helped atomic.Int64      // nodes of the helpers when they last told
}

// Search implements search.Searcher. In a position without legal moves it returns the zero Result. The error is always
// nil: the searching threads compute the net themselves, and that cannot fail.
func (s *Searcher) Search(
	ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info),
) (search.Result, error) {
	roots := limits.SearchMoves
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
	lead := s.threads[0]
	lead.begin(&g.Pos, g.Keys())
	lead.limit, lead.evalLimit, lead.stop = limits.Nodes, limits.Evals, x.over
	s.driver.begin(x)
	var helpers sync.WaitGroup
	for i, t := range s.threads[1:] {
		t.begin(&g.Pos, g.Keys())
		t.limit, t.evalLimit, t.roots, t.stop = 0, 0, limits.SearchMoves, x.helperOver(t)
		helpers.Go(func() { s.driver.help(x, t, i+1) })
	}
	res := x.lead(lead, roots)
	x.park()
	x.end()
	helpers.Wait()
	if path := s.Path(); path > 0 && report != nil {
		work, spent := lead.nodes+x.helped.Load(), x.elapsed()*time.Duration(len(s.threads))
		report(search.Info{Text: fmt.Sprintf("work %d nodes, critical path %d: parallelism %.1f; idle %.1f %%", work, path,
			float64(work)/float64(path), 100*s.Idle().Seconds()/max(spent.Seconds(), 1e-9))})
	}
	return res, nil
}

// end stops the helpers.
func (x *running) end() {
	if !x.ended.Swap(true) {
		close(x.quit)
	}
}

// helperOver is the stop function of a helper. It also adds the nodes that the helper has searched since the last call.
func (x *running) helperOver(t *Thread) func() bool {
	told := int64(0)
	return func() bool {
		x.helped.Add(t.nodes - told)
		told = t.nodes
		return x.over()
	}
}

// lead is the search of the first thread, which deepens, reports and decides when to end.
func (x *running) lead(t *Thread, roots []board.Move) search.Result {
	lines := min(max(1, x.limits.MultiPV), len(roots))
	if x.limits.Temperature > 0 {
		lines = len(roots)
	}
	found := make([]Line, lines)
	res := search.Result{Best: roots[0], Info: search.Info{Depth: 1, SelDepth: 1, PV: roots[:1]}}
	told := false
	tell := func(k int) {
		info := x.info(t, found[k], k+1)
		if k == 0 {
			res = search.Result{Best: info.PV[0], Ponder: second(info.PV), Info: info}
		}
		if x.report != nil && (k == 0 || k < x.limits.MultiPV) {
			x.report(info)
			told = true
		}
	}
	var p pace
	for depth := 1; depth <= x.mostDepth() && !t.stopped; depth++ {
		for k := range found {
			t.roots = nil
			if k > 0 || len(x.limits.SearchMoves) > 0 {
				t.roots = without(roots, found[:k])
			}
			line, ok := x.driver.iterate(x, depth, found[k].Score)
			if !ok && (k > 0 || len(line.PV) == 0) {
				break
			}
			found[k] = line // where the depth was cut short: a move that is better than that of the depth before
			tell(k)
		}
		if x.enough(&res, len(roots), p.factor(&found[0], t)) {
			break
		}
	}
	if x.limits.Temperature > 0 {
		return drawMove(res, found, x.limits.Temperature)
	}
	if line := x.driver.choose(found[0]); lines == 1 && (line.Depth != found[0].Depth || line.Score != found[0].Score) {
		found[0] = line
		tell(0)
	}
	if !told && x.report != nil {
		x.report(res.Info) // the protocol wants a score before the move
	}
	return res
}

func (x *running) mostDepth() int {
	if d := x.limits.Depth; d > 0 {
		return min(d, MaxDepth)
	}
	return MaxDepth
}

// info is the report of a line.
func (x *running) info(t *Thread, line Line, rank int) search.Info {
	spent := x.elapsed()
	nodes := t.nodes + x.helped.Load()
	info := search.Info{
		Depth: line.Depth, SelDepth: max(line.SelDepth, 1), MultiPV: rank, Score: search.ScoreFromCP(line.Score),
		Nodes: nodes, Evals: t.stack.Evals(), Hashfull: x.tables[0].Hashfull(), Time: spent, PV: line.PV,
	}
	if sec := spent.Seconds(); sec > 0 {
		info.NPS = int64(float64(nodes) / sec)
	}
	return info
}

// second is the reply in a variation, NullMove where it has none.
func second(pv []board.Move) board.Move {
	if len(pv) < 2 {
		return board.NullMove
	}
	return pv[1]
}

// without returns the moves with which none of the lines begins.
func without(moves []board.Move, lines []Line) []board.Move {
	var left []board.Move
	for _, m := range moves {
		if !slices.ContainsFunc(lines, func(l Line) bool { return l.PV[0] == m }) {
			left = append(left, m)
		}
	}
	return left
}

// drawMove is the result with a root move that is drawn at random by its value.
func drawMove(res search.Result, found []Line, temperature float64) search.Result {
	var q []float64
	for _, l := range found {
		if len(l.PV) == 0 {
			break
		}
		q = append(q, search.CPToQ(l.Score))
	}
	if len(q) == 0 {
		return res
	}
	line := found[search.Draw(q, temperature, rand.Float64())]
	res.Best, res.Ponder = line.PV[0], second(line.PV)
	return res
}
