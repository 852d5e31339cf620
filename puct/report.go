package puct

import (
	"cmp"
	"math"
	"slices"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
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

// rootMoves are the root moves as choose orders them.
func (s *Searcher) rootMoves() []treesearch.Root {
	if s.tree.root == none {
		return nil
	}
	s.told = s.told[:0]
	for _, e := range s.choose() {
		q := -1.0
		if e.n > 0 {
			q = float64(e.value())
		}
		s.told = append(s.told, treesearch.Root{Move: e.move(), Q: q, Proven: e.has(edgeProven), CP: int(e.cp)})
	}
	return s.told
}

// tell describes the i-th of the moves that choose ordered.
func (s *Searcher) tell(i int, to *search.Info) {
	e := s.ordered[i]
	to.Score = search.ScoreFromQ(float64(e.q))
	if e.has(edgeProven) {
		to.Score = search.ScoreFromCP(int(e.cp))
	}
	to.WDL = to.Score.WDL(float64(s.tree.Nodes.Items[s.tree.root].draw))
	to.Hashfull, to.PV = s.tree.Permille(), s.pv(e)
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

// moveStats lists the root moves, the worst first.
func (s *Searcher) moveStats() []search.RootMove {
	order := s.choose()
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
