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

// Searcher searches with several threads, which work together by a method. It implements search.Searcher.
type Searcher struct {
	method  method
	threads []*Thread
	tables  []*tt128.Table // the caller's, then those of its own
	ponders chan struct{}
}

// method is how threads work together. A method belongs to one Searcher.
type method interface {
	// begin begins a search, before any thread does.
	begin(x *running)
	// iterate searches the root to a depth, guess being its value a depth before, on the calling goroutine and on those
	// that help. It is false when the search was stopped: the line is then that of a move that was found better, if any.
	iterate(x *running, depth, guess int) (Line, bool)
	// choose is the line to play: best, the first thread's, or a better one of another. It is asked when the first has ended.
	choose(best Line) Line
	// help is what thread number, from 1 on, does beside the first until x.quit is closed.
	help(x *running, t *Thread, number int)
}

// alone is what methods have in common: the first thread iterates by itself, and its line is played.
type alone struct{}

func (alone) iterate(x *running, depth, guess int) (Line, bool) {
	return x.threads[0].iterate(depth, guess)
}

func (alone) choose(best Line) Line { return best }

// newSearcher makes a searcher with so many threads on a net and a table, which stay the caller's.
func newSearcher(m method, net *nnue.Net, table *tt128.Table, threads int, o Options) (*Searcher, error) {
	s := &Searcher{method: m, tables: []*tt128.Table{table}, ponders: make(chan struct{}, 1)}
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

// PonderHit starts the clock of a search that was begun with Limits.Ponder.
func (s *Searcher) PonderHit() {
	select {
	case s.ponders <- struct{}{}:
	default:
	}
}

// NewGame clears the table and the histories.
func (s *Searcher) NewGame() {
	for _, table := range s.tables {
		table.Clear()
	}
	for _, t := range s.threads {
		t.Forget()
	}
}

// Messages is the number of parts of splits that threads gave each other in the last search.
func (s *Searcher) Messages() (n int64) {
	for _, t := range s.threads {
		n += t.messages
	}
	return n
}

// MessageCost is the time from giving a part to a thread that waits to its beginning, measured at the first call.
func (s *Searcher) MessageCost() time.Duration { return messageCost() }

var messageCost = sync.OnceValue(func() time.Duration {
	const turns = 20000
	to, back := make(chan *split, 1), make(chan *split, 1)
	go func() {
		for m := range to {
			back <- m
		}
	}()
	start := time.Now()
	for range turns {
		to <- nil
		<-back
	}
	close(to)
	return time.Since(start) / (2 * turns)
})

// Idle is the time that threads waited for work or for each other in the last search, all together.
func (s *Searcher) Idle() (d time.Duration) {
	for _, t := range s.threads {
		d += t.idled
	}
	return d
}

// Path is the critical path of the last search, in nodes: the longest chain of searches each of which began after the one
// before had ended, if there were threads enough. Zero where moves of nodes are not shared out.
func (s *Searcher) Path() int64 {
	if t := s.threads[0]; t.team != nil {
		return t.path
	}
	return 0
}

// Close frees the tables of its own.
func (s *Searcher) Close() (err error) {
	for _, table := range s.tables[1:] {
		err = errors.Join(err, table.Close())
	}
	return err
}

// The clock. The soft budget times a factor is the last moment to begin another depth: less the more of the nodes the
// best move took and the longer it has stood, more while its score falls.
const (
	effortBase  = 1.9  // factor at no share of the nodes
	effortSlope = 1.6  // less at all of them
	stableBase  = 1.2  // factor after a change of mind
	stableSlope = 0.08 // less for each depth since
	stableMost  = 6    // depths
	fallSlope   = 0.012
	fallMost    = 50 // centipawns
	overrun     = 3  // times the soft budget is what a depth that was begun may take
)

// running is one search of a Searcher.
type running struct {
	*Searcher
	ctx     context.Context
	limits  search.Limits
	started atomic.Pointer[time.Time]
	budget  search.Budget
	clocked atomic.Bool   // the budget counts
	ended   atomic.Bool   // the first thread has stopped, and helpers must
	quit    chan struct{} // closed then
	helped  atomic.Int64  // nodes of the threads but the first, as of their last look
	report  func(search.Info)
}

// Search implements search.Searcher. A position without legal moves gives the zero Result. The error is always nil: the net
// is computed in the searching threads and cannot fail.
func (s *Searcher) Search(ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info)) (search.Result, error) {
	roots := limits.SearchMoves
	if len(roots) == 0 {
		roots = g.Pos.LegalMoves(nil)
	}
	if len(roots) == 0 {
		return search.Result{}, nil
	}
	select {
	case <-s.ponders:
	default:
	}
	x := &running{Searcher: s, ctx: ctx, limits: limits, budget: limits.Budget(&g.Pos), quit: make(chan struct{}), report: report}
	x.start()
	x.clocked.Store(!limits.Ponder && !limits.Infinite)
	for _, table := range s.tables {
		table.NewSearch()
	}
	lead := s.threads[0]
	lead.begin(&g.Pos, g.Keys())
	lead.limit, lead.evalLimit, lead.stop = limits.Nodes, limits.Evals, x.over
	s.method.begin(x)
	var helpers sync.WaitGroup
	for i, t := range s.threads[1:] {
		t.begin(&g.Pos, g.Keys())
		t.limit, t.evalLimit, t.roots, t.stop = 0, 0, limits.SearchMoves, x.helperOver(t)
		helpers.Go(func() { s.method.help(x, t, i+1) })
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

// start starts the clock.
func (x *running) start() {
	now := time.Now()
	x.started.Store(&now)
}

func (x *running) elapsed() time.Duration { return time.Since(*x.started.Load()) }

// end stops the helpers.
func (x *running) end() {
	if !x.ended.Swap(true) {
		close(x.quit)
	}
}

// helperOver is what a helper's search asks now and then: it tells the nodes that were searched meanwhile.
func (x *running) helperOver(t *Thread) func() bool {
	told := int64(0)
	return func() bool {
		x.helped.Add(t.nodes - told)
		told = t.nodes
		return x.over()
	}
}

// lead is the first thread's search, which decides.
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
			line, ok := x.method.iterate(x, depth, found[k].Score)
			if !ok && (k > 0 || len(line.PV) == 0) {
				break
			}
			found[k] = line // of a depth that was cut short: a move better than that of the depth before
			tell(k)
		}
		if x.enough(&res, len(roots), p.factor(&found[0], t)) {
			break
		}
	}
	if x.limits.Temperature > 0 {
		return drawn(res, found, x.limits.Temperature)
	}
	if line := x.method.choose(found[0]); lines == 1 && (line.Depth != found[0].Depth || line.Score != found[0].Score) {
		found[0] = line
		tell(0)
	}
	if !told && x.report != nil {
		x.report(res.Info) // a score precedes the move
	}
	return res
}

// second is the reply in a variation, NullMove where it has none.
func second(pv []board.Move) board.Move {
	if len(pv) < 2 {
		return board.NullMove
	}
	return pv[1]
}

// pace is what the clock knows of the depths so far.
type pace struct {
	best            board.Move
	stable, average int // depths since the best move changed; the score, later ones count more
}

// factor is what the soft budget is multiplied by after another depth.
func (p *pace) factor(line *Line, t *Thread) float64 {
	if len(line.PV) == 0 || t.nodes == 0 {
		return 1
	}
	if p.stable++; line.PV[0] != p.best {
		if p.best == board.NullMove {
			p.average = line.Score
		}
		p.best, p.stable = line.PV[0], 0
	}
	f := effortBase - effortSlope*float64(t.effort[p.best])/float64(t.nodes)
	f *= stableBase - stableSlope*float64(min(p.stable, stableMost))
	f *= 1 + fallSlope*float64(max(-fallMost, min(fallMost, p.average-line.Score)))
	p.average = (p.average + line.Score) / 2
	return f
}

// over tells whether the search must end now. Any thread may ask: one of them is awake.
func (x *running) over() bool {
	if x.ended.Load() {
		return true
	}
	if x.due() {
		x.end()
		return true
	}
	return false
}

func (x *running) due() bool {
	select {
	case <-x.ctx.Done():
		return true
	case <-x.ponders:
		x.start()
		x.clocked.Store(!x.limits.Infinite)
	default:
	}
	return x.clocked.Load() && x.budget.Hard > 0 && x.elapsed() >= min(x.budget.Hard, overrun*x.budget.Soft)
}

// enough tells whether another depth is not worth beginning.
func (x *running) enough(res *search.Result, roots int, factor float64) bool {
	if mate := res.Info.Score.Mate; x.limits.Mate > 0 && mate > 0 && mate <= x.limits.Mate {
		return true
	}
	if !x.clocked.Load() || x.budget.Soft <= 0 || x.budget.Soft >= x.budget.Hard { // no clock, or a fixed time
		return false
	}
	return roots == 1 || x.elapsed() >= time.Duration(factor*float64(x.budget.Soft))
}

func (x *running) mostDepth() int {
	if d := x.limits.Depth; d > 0 {
		return min(d, MaxDepth)
	}
	return MaxDepth
}

// park holds an infinite or pondering search that has nothing left to do until it is stopped.
func (x *running) park() {
	for !x.clocked.Load() {
		select {
		case <-x.ctx.Done():
			return
		case <-x.ponders:
			if !x.limits.Infinite {
				return
			}
		}
	}
}

// info is the report of a line.
func (x *running) info(t *Thread, line Line, rank int) search.Info {
	spent := x.elapsed()
	nodes := t.nodes + x.helped.Load()
	info := search.Info{
		Depth: line.Depth, SelDepth: max(line.SelDepth, 1), MultiPV: rank, Score: search.ScoreFromCP(line.Score), Nodes: nodes,
		Evals: t.stack.Evals(), Hashfull: x.tables[0].Hashfull(), Time: spent, PV: line.PV,
	}
	if sec := spent.Seconds(); sec > 0 {
		info.NPS = int64(float64(nodes) / sec)
	}
	return info
}

// without are the moves that do not begin one of the lines.
func without(moves []board.Move, lines []Line) []board.Move {
	var left []board.Move
	for _, m := range moves {
		if !slices.ContainsFunc(lines, func(l Line) bool { return l.PV[0] == m }) {
			left = append(left, m)
		}
	}
	return left
}

// drawn is the result with a root move drawn at random by its value.
func drawn(res search.Result, found []Line, temperature float64) search.Result {
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
