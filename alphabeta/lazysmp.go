package alphabeta

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/nnue"
	"tesla/search"
	"tesla/tt128"
)

// LazySMP searches with several threads that share nothing but the table: what one has found the others find there. It
// implements search.Searcher.
type LazySMP struct {
	threads []*Thread
	table   *tt128.Table
	ponders chan struct{}
}

// NewLazySMP makes a searcher with so many threads on a net and a table, which stay the caller's.
func NewLazySMP(net *nnue.Net, table *tt128.Table, threads int, parts Parts) *LazySMP {
	s := &LazySMP{table: table, ponders: make(chan struct{}, 1)}
	for range max(threads, 1) {
		s.threads = append(s.threads, NewThread(net, table, parts))
	}
	return s
}

// PonderHit starts the clock of a search that was begun with Limits.Ponder.
func (s *LazySMP) PonderHit() {
	select {
	case s.ponders <- struct{}{}:
	default:
	}
}

// NewGame clears the table and the histories.
func (s *LazySMP) NewGame() {
	s.table.Clear()
	for _, t := range s.threads {
		t.Forget()
	}
}

// Close does nothing: net and table are the caller's.
func (s *LazySMP) Close() error { return nil }

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

// smpSearch is one search of a LazySMP.
type smpSearch struct {
	*LazySMP
	ctx     context.Context
	limits  search.Limits
	started time.Time
	budget  search.Budget
	clocked atomic.Bool // the budget counts
	quit    atomic.Bool
	helped  atomic.Int64 // nodes of the threads but the first, as of their last look
	report  func(search.Info)
}

// Search implements search.Searcher. A position without legal moves gives the zero Result.
func (s *LazySMP) Search(ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info)) search.Result {
	roots := limits.SearchMoves
	if len(roots) == 0 {
		roots = g.Pos.LegalMoves(nil)
	}
	if len(roots) == 0 {
		return search.Result{}
	}
	select {
	case <-s.ponders:
	default:
	}
	x := &smpSearch{LazySMP: s, ctx: ctx, limits: limits, started: time.Now(), budget: limits.Budget(&g.Pos), report: report}
	x.clocked.Store(!limits.Ponder && !limits.Infinite)
	s.table.NewSearch()
	var helpers sync.WaitGroup
	for i, t := range s.threads[1:] {
		helpers.Go(func() { x.help(t, g, i+1) })
	}
	res := x.lead(s.threads[0], g, roots)
	x.park()
	x.quit.Store(true)
	helpers.Wait()
	return res
}

// lead is the first thread's search, which decides.
func (x *smpSearch) lead(t *Thread, g *board.Game, roots []board.Move) search.Result {
	lines := min(max(1, x.limits.MultiPV), len(roots))
	if x.limits.Temperature > 0 {
		lines = len(roots)
	}
	res := search.Result{Best: roots[0], Info: search.Info{Depth: 1, SelDepth: 1, PV: roots[:1]}}
	t.begin(&g.Pos, g.Keys())
	t.limit, t.evalLimit, t.stop = x.limits.Nodes, x.limits.Evals, x.over
	found := make([]Line, lines)
	depth, stable, average := 0, 0, 0
	for depth < x.mostDepth() && !t.stopped {
		depth++
		for k := range found {
			t.roots = nil
			if k > 0 || len(x.limits.SearchMoves) > 0 {
				t.roots = without(roots, found[:k])
			}
			line, ok := t.iterate(depth, found[k].Score)
			if !ok && (k > 0 || len(line.PV) == 0) {
				break
			}
			found[k] = line // of a depth that was cut short: a move better than that of the depth before
			info := x.info(t, line, k+1)
			if k == 0 {
				stable++
				if line.PV[0] != res.Best {
					stable = 0
				}
				res = search.Result{Best: line.PV[0], Ponder: second(line.PV), Info: info}
			}
			if x.report != nil && (k == 0 || k < x.limits.MultiPV) {
				x.report(info)
			}
		}
		score := found[0].Score
		if depth == 1 {
			average = score
		}
		factor := effortBase - effortSlope*float64(t.effort[res.Best])/float64(t.nodes)
		factor *= stableBase - stableSlope*float64(min(stable, stableMost))
		factor *= 1 + fallSlope*float64(max(-fallMost, min(fallMost, average-score)))
		if x.enough(&res, len(roots), factor) {
			break
		}
		average = (average + score) / 2
	}
	if depth == 1 && t.stopped && x.report != nil {
		x.report(res.Info) // a score precedes the move
	}
	if x.limits.Temperature > 0 {
		return drawn(res, found, x.limits.Temperature)
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

// help searches for the table's sake, one thread in two a ply deeper, so that not all do the same.
func (x *smpSearch) help(t *Thread, g *board.Game, number int) {
	t.begin(&g.Pos, g.Keys())
	t.limit, t.evalLimit, t.roots = 0, 0, x.limits.SearchMoves
	told := int64(0)
	t.stop = func() bool {
		x.helped.Add(t.nodes - told)
		told = t.nodes
		return x.quit.Load()
	}
	score := 0
	for depth := 1 + number%2; depth < MaxDepth && !t.stopped; depth++ {
		if line, ok := t.iterate(depth, score); ok {
			score = line.Score
		}
	}
}

// over tells whether the search must end now.
func (x *smpSearch) over() bool {
	select {
	case <-x.ctx.Done():
		return true
	case <-x.ponders:
		x.started = time.Now()
		x.clocked.Store(!x.limits.Infinite)
	default:
	}
	return x.clocked.Load() && x.budget.Hard > 0 && time.Since(x.started) >= min(x.budget.Hard, overrun*x.budget.Soft)
}

// enough tells whether another depth is not worth beginning.
func (x *smpSearch) enough(res *search.Result, roots int, factor float64) bool {
	if mate := res.Info.Score.Mate; x.limits.Mate > 0 && mate > 0 && mate <= x.limits.Mate {
		return true
	}
	if !x.clocked.Load() || x.budget.Soft <= 0 {
		return false
	}
	if x.budget.Soft < x.budget.Hard && roots == 1 { // else the time is fixed
		return true
	}
	return x.budget.Soft < x.budget.Hard && time.Since(x.started) >= time.Duration(factor*float64(x.budget.Soft))
}

func (x *smpSearch) mostDepth() int {
	if d := x.limits.Depth; d > 0 {
		return min(d, MaxDepth)
	}
	return MaxDepth
}

// park holds an infinite or pondering search that has nothing left to do until it is stopped.
func (x *smpSearch) park() {
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
func (x *smpSearch) info(t *Thread, line Line, rank int) search.Info {
	spent := time.Since(x.started)
	nodes := t.nodes + x.helped.Load()
	info := search.Info{
		Depth: line.Depth, SelDepth: max(line.SelDepth, 1), MultiPV: rank, Score: search.ScoreFromCP(line.Score), Nodes: nodes,
		Evals: t.stack.Evals(), Hashfull: x.table.Hashfull(), Time: spent, PV: line.PV,
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
		used := false
		for _, l := range lines {
			used = used || l.PV[0] == m
		}
		if !used {
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
	line := found[search.Draw(q, temperature)]
	res.Best, res.Ponder = line.PV[0], second(line.PV)
	return res
}
