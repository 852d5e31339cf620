package alphabeta

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

// ranking is what a search has found: the best line, the best one that begins with another move, and so on (MultiPV).
// All lines come from the same depth, the first is the best one, and no two begin with the same move.
type ranking struct {
	roots  []board.Move // the moves that are searched
	lines  int          // that are searched for
	found  []Line       // at the last depth at which all were found; empty before
	static Line         // a first move, with the static value of the root
	draws  float64      // the net's share of draws at the root, see Thread.draws
	told   bool         // the lines found were reported
}

// rank begins the ranking. The thread is at the root.
func (x *running) rank(t *Thread, roots []board.Move) {
	cp, draws := t.stack.ValueAndDraws(&t.pos[0])
	t.stack.ResetEvals()
	x.roots, x.draws, x.lines = roots, draws, min(max(1, x.limits.MultiPV), len(roots))
	if x.limits.Temperature > 0 {
		x.lines = len(roots)
	}
	x.static = Line{Depth: 1, Score: cp, PV: roots[:1]}
}

// lead is the search of the first thread, which deepens, reports and decides when to end. It reports whether the last
// depth was searched to its end.
func (x *running) lead(t *Thread) (whole bool) {
	var p pace
	for depth := 1; depth <= x.mostDepth() && !t.stopped; depth++ {
		found, whole := x.iteration(t, depth)
		if !whole {
			x.keep(found)
			return false
		}
		x.found = found
		x.count(t)
		best := &found[0]
		x.judge(t, best)
		x.tell()
		if x.isSure() || x.enough(best.Score, len(x.roots), p.factor(best, t)) {
			break
		}
	}
	return !t.stopped
}

// guess is what the first depth begins with: what another searcher estimated of the root, else the static value.
func (x *running) guess(t *Thread) int {
	if e, ok := t.table.Probe(t.pos[0].Key, 0); ok && e.Kind() == tt128.Estimate {
		return e.Midpoint()
	}
	return x.static.Score
}

// iteration searches for all lines to a depth, and returns them best first. whole is false when it was stopped. Then the
// last of the lines that were searched is a bound.
func (x *running) iteration(t *Thread, depth int) (found []Line, whole bool) {
	defer func() { slices.SortStableFunc(found, x.order) }()
	for k := range x.lines {
		t.roots = nil
		if k > 0 || len(x.limits.SearchMoves) > 0 {
			t.roots = x.highest(without(x.roots, found))
		}
		var guess int
		if k < len(x.found) {
			guess = x.found[k].Score
		} else {
			guess = x.guess(t)
		}
		line, ok := x.driver.iterate(x, depth, guess)
		if !ok && len(line.PV) > 0 { // a move that is better than those that were searched before it
			line.Bound = search.Lower
			found = append(found, line)
		}
		if !ok {
			return found, false
		}
		found = append(found, line)
	}
	return found, true
}

// order orders lines for play: by the ranks that endgame tables give their first moves, then by their scores.
func (x *running) order(a, b Line) int {
	ranks := x.limits.Ranks
	return cmp.Or(cmp.Compare(ranks[b.PV[0]], ranks[a.PV[0]]), cmp.Compare(b.Score, a.Score))
}

// highest returns the moves that endgame tables rank highest, or all where they do not know them.
func (x *running) highest(moves []board.Move) []board.Move {
	ranks := x.limits.Ranks
	if ranks == nil {
		return moves
	}
	best := math.MinInt
	for _, m := range moves {
		best = max(best, ranks[m])
	}
	return slices.DeleteFunc(moves, func(m board.Move) bool { return ranks[m] < best })
}

// keep takes over what is useful of a depth that was cut short. Of several lines it keeps those of the depth before.
func (x *running) keep(cut []Line) {
	switch {
	case len(cut) == 0:
	case len(x.found) == 0:
		x.found = cut
	case x.lines == 1 && betterCut(&cut[0], &x.found[0]):
		x.found = cut
	}
}

// betterCut reports whether the line of a depth that was cut short takes the place of the line of the depth before. A
// mate that was found stays until a shorter one is found. A line that is mated says nothing new of its move, for another
// move may be better.
func betterCut(cut, before *Line) bool {
	switch {
	case before.Score >= search.Decided:
		return cut.Score > before.Score
	case cut.Score <= -search.Decided:
		return cut.PV[0] != before.PV[0]
	}
	return true
}

// fill gives the ranks that no depth has reached a line. Such a move is no better than the last one that was searched.
func (x *running) fill() {
	if len(x.found) == 0 {
		x.found = append(x.found, x.static)
	}
	for _, m := range without(x.roots, x.found)[:x.lines-len(x.found)] {
		last := &x.found[len(x.found)-1]
		x.found = append(x.found, Line{Depth: last.Depth, Score: last.Score, Bound: search.Upper, PV: []board.Move{m}})
	}
}

// finish completes the ranking when all threads have ended, and is the result. If the last depth was cut short, another
// thread has found a better line, or another line is drawn for play, it reports the lines again, with the final count of
// nodes. The first is the one that is played.
func (x *running) finish(whole bool) search.Result {
	if x.lines == 1 && !x.isSure() { // what it is sure of is the first thread's
		var lead Line
		if len(x.found) > 0 {
			lead = x.found[0]
		}
		best := x.driver.choose(lead)
		whole = whole && best.Depth == lead.Depth && best.Score == lead.Score && slices.Equal(best.PV, lead.PV)
		if len(best.PV) > 0 {
			x.found = []Line{best}
		}
	}
	if x.limits.Temperature > 0 {
		k := drawLine(x.found, x.limits.Temperature)
		search.MoveToFront(x.found, k)
		whole = whole && k == 0
	}
	x.fill()
	if !whole || !x.told {
		x.tell() // the protocol wants a score before the move
	}
	info := x.info(&x.found[0], 1)
	return search.Result{Best: info.PV[0], Ponder: second(info.PV), Info: info}
}

// tell reports the lines found.
func (x *running) tell() {
	if x.report == nil {
		return
	}
	for k := range x.found[:min(len(x.found), max(1, x.limits.MultiPV))] {
		x.report(x.info(&x.found[k], k+1))
	}
	x.told = true
}

// current reports the root moves that a thread begins, where that was asked for.
func (x *running) current(t *Thread) func(m board.Move, number int) {
	if x.report == nil || !x.limits.Current {
		return nil
	}
	return func(m board.Move, number int) {
		if spent := x.elapsed(); spent >= search.CurrentAfter {
			x.report(search.Info{Depth: t.rootDepth, Current: m, Number: number, Time: spent})
		}
	}
}

// info is the report of a line.
func (x *running) info(line *Line, rank int) search.Info {
	spent := x.elapsed()
	info := search.Info{
		Depth: line.Depth, SelDepth: max(line.SelDepth, 1), MultiPV: rank, Score: search.ScoreFromCP(line.Score), Bound: line.Bound,
		Nodes: x.nodes.Load(), NPS: x.rate(spent), Evals: x.evals.Load(), Hashfull: x.tables[0].Hashfull(), Time: spent, PV: line.PV,
	}
	if rank == 1 {
		info.Sure.Stretch = x.last.Stretch // of any first move
		if len(line.PV) > 0 && line.PV[0] == x.choice.First() {
			info.Sure = x.last
		}
	}
	if tables := x.threads[0].tables; tables != nil {
		info.TBHits = tables.Hits()
	}
	info.WDL = info.Score.WDL(x.draws * (1 - math.Abs(search.CPToQ(line.Score))))
	return info
}

// second is the reply in a variation, NullMove where it has none.
func second(pv []board.Move) board.Move {
	if len(pv) < 2 {
		return board.NullMove
	}
	return pv[1]
}

// distinct returns the moves, each once.
func distinct(moves []board.Move) (once []board.Move) {
	for _, m := range moves {
		if !slices.Contains(once, m) {
			once = append(once, m)
		}
	}
	return once
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

// drawLine draws one of the lines at random by their values; 0 where there is none.
func drawLine(found []Line, temperature float64) int {
	q := make([]float64, len(found))
	for i := range found {
		q[i] = search.CPToQ(found[i].Score)
	}
	return search.Draw(q, temperature, rand.Float64())
}
