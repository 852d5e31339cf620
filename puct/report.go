package puct

import (
	"cmp"
	"math"
	"slices"

	"tesla/board"
	"tesla/loop"
	"tesla/search"
)

// better orders the moves of a node for play: wins first, the nearest mate of them; then by evaluations, by value, and by
// prior; losses last, the farthest mate first.
func better(a, b *edge) int {
	return cmp.Or(cmp.Compare(b.mate(), a.mate()), cmp.Compare(b.n, a.n), cmp.Compare(b.value(), a.value()), cmp.Compare(b.prior, a.prior))
}

// mate is the score of a proven mate, 0 where there is none.
func (e *edge) mate() int16 {
	if e.has(edgeProven) && (e.cp >= search.Proven || e.cp <= -search.Proven) {
		return e.cp
	}
	return 0
}

// choose orders the root moves for play: the one with the best value comes first among those with enough evaluations, unless
// mate decides.
func (s *Searcher) choose() []*edge {
	n := &s.tree.Nodes.Items[s.tree.root]
	s.ordered = s.ordered[:0]
	for k := range int(n.moves) {
		if e := s.tree.edge(n, k); s.loop.Allowed(e.move()) {
			s.ordered = append(s.ordered, e)
		}
	}
	slices.SortStableFunc(s.ordered, better)
	best := 0
	for i, e := range s.ordered {
		if s.ordered[0].mate() == 0 && e.mate() == 0 && float64(e.n) >= s.opts.Choice*float64(s.ordered[0].n) && e.value() > s.ordered[best].value() {
			best = i
		}
	}
	slices.Reverse(s.ordered[:best]) // both turn the best to the front, the others as they were
	slices.Reverse(s.ordered[:best+1])
	return s.ordered
}

// tell reports the principal variations when the depth changed, or after a while.
func (s *Searcher) tell(always bool) {
	if s.tree.root == none || !s.loop.Due(s.depth(), always) {
		return
	}
	order := s.choose()
	for i := range min(len(order), max(1, s.loop.Limits.MultiPV)) {
		s.loop.Report(s.info(order[i], i+1))
	}
	if s.opts.Verbose {
		s.loop.Report(search.Info{Text: s.loop.Batches("searching")})
	}
}

// info describes one root move.
func (s *Searcher) info(e *edge, rank int) search.Info {
	info := s.loop.Info(s.depth(), rank)
	info.Score = search.ScoreFromQ(float64(e.q))
	if e.has(edgeProven) {
		info.Score = search.ScoreFromCP(int(e.cp))
	}
	info.WDL = info.Score.WDL(float64(s.tree.Nodes.Items[s.tree.root].draw))
	info.Hashfull, info.PV = s.tree.Permille(), s.pv(e)
	return info
}

// pv is a root move and the best moves after it.
func (s *Searcher) pv(e *edge) []board.Move {
	line := []board.Move{e.move()}
	for at := e.child; at != none; {
		n := &s.tree.Nodes.Items[at]
		var best *edge
		for k := range int(n.tried) {
			if e := s.tree.edge(n, k); e.n > 0 && (best == nil || better(e, best) < 0) {
				best = e
			}
		}
		if best == nil {
			break
		}
		line = append(line, best.move())
		at = best.child
	}
	return line
}

// result reports the outcome a last time.
func (s *Searcher) result(g *board.Game) search.Result {
	var order []*edge
	if s.tree.root != none {
		order = s.choose()
	}
	if len(order) == 0 { // the backend failed before the root was known
		return s.loop.Any(g)
	}
	if s.opts.Verbose && s.loop.Report != nil {
		s.loop.Report(search.Info{Roots: s.moveStats(order)})
	}
	s.tell(true)
	k := s.loop.Pick(len(order), func(i int) float64 {
		if order[i].n == 0 {
			return -1
		}
		return float64(order[i].value())
	})
	return loop.Result(s.info(order[k], 1))
}

// moveStats lists the root moves, the worst first.
func (s *Searcher) moveStats(order []*edge) []search.RootMove {
	stats := make([]search.RootMove, 0, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		e, v := order[i], math.NaN()
		if e.child != none {
			v = -float64(s.tree.Nodes.Items[e.child].value)
		}
		stats = append(stats, search.RootMove{Move: e.move(), N: int64(e.n), Policy: float64(e.prior), Q: float64(e.value()), V: v})
	}
	return stats
}
