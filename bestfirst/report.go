package bestfirst

import (
	"math"
	"sort"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// choiceShare of the evaluations of the best-valued move is what a move needs to be chosen.
const choiceShare = 0.1

// choose orders the root moves for play: proven wins, then the highest value less its error among those with enough
// evaluations, then the rest by value, what is known to lose last.
func (s *Searcher) choose() []rooted {
	s.rankRoot()
	if len(s.roots) == 0 {
		return nil
	}
	enough := choiceShare * float64(s.roots[0].edge.n)
	order := append(s.ordered[:0], s.roots...)
	for i := range order {
		r := &order[i]
		r.need = r.q
		switch e := r.edge; {
		case e.lost():
			r.need -= 8
		case e.has(edgeProven):
		case !e.has(edgeValued):
			r.need -= 4
		case float64(e.n) < enough:
			r.need -= 2
		default:
			r.need -= float32(s.opts.Doubt) * s.model.sigma[e.sigmaCode()] * s.model.err[bucketN(e.n)]
		}
	}
	sort.SliceStable(order, func(i, k int) bool { return order[i].need > order[k].need })
	s.ordered = order
	return order
}

// rootMoves are the root moves as choose orders them.
func (s *Searcher) rootMoves() []treesearch.Root {
	if s.tree.root == none {
		return nil
	}
	s.told = s.told[:0]
	for _, r := range s.choose() {
		s.told = append(s.told, treesearch.Root{Move: r.edge.move(), Q: float64(r.q), Proven: r.edge.has(edgeProven), CP: int(r.edge.value)})
	}
	return s.told
}

// tell describes the i-th of the moves that choose ordered.
func (s *Searcher) tell(i int, to *search.Info) {
	r := &s.ordered[i]
	cp := cpOf(valueOf(r.q))
	if r.edge.has(edgeProven) {
		cp = int(r.edge.value)
	}
	to.Score = search.ScoreFromCP(cp)
	to.WDL = to.Score.WDL(float64(s.tree.Nodes.Items[s.tree.root].draw) / 65535)
	to.Hashfull, to.PV = s.tree.Permille(), s.pv(r)
}

// pv is a root move and the best moves after it.
func (s *Searcher) pv(r *rooted) []board.Move {
	line := []board.Move{r.edge.move()}
	for at := r.edge.child; at != none; {
		n := &s.tree.Nodes.Items[at]
		if n.best == noSlot {
			break
		}
		e := s.tree.edge(n, int(n.best))
		line = append(line, e.move())
		at = e.child
	}
	return line
}

// moveStats lists every root move, the worst first.
func (s *Searcher) moveStats() []search.RootMove {
	gains := make(map[board.Move]float32, len(s.roots))
	for i, r := range s.roots {
		gains[r.edge.move()] = s.model.gainOf(r.edge, r.need, s.wayOf(i))
	}
	order := s.choose()
	stats := make([]search.RootMove, 0, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		e, v := order[i].edge, math.NaN()
		if e.child != none {
			v = -float64(s.tree.Nodes.Items[e.child].net())
		}
		stats = append(stats, search.RootMove{Move: e.move(), N: int64(e.n), Policy: float64(e.prior) / 65535,
			Q: float64(order[i].q), V: v, Sigma: codeSigma(e.sigmaCode()), Gain: float64(gains[e.move()])})
	}
	return stats
}

// TreeSize is the number of nodes in memory and the bytes that they and their edges take.
func (s *Searcher) TreeSize() (nodes, bytes int) {
	return s.tree.Size()
}
