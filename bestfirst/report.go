package bestfirst

import (
	"math"
	"sort"

	"tesla/board"
	"tesla/loop"
	"tesla/search"
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

// tell reports the principal variations when the depth changed, or after a while.
func (s *Searcher) tell(always bool) {
	if s.tree.root == none || !s.loop.Due(s.depth(), always) {
		return
	}
	order := s.choose()
	for i := range min(len(order), max(1, s.loop.Limits.MultiPV)) {
		s.loop.Report(s.info(&order[i], i+1))
	}
	if s.opts.Verbose {
		s.loop.Report(search.Info{Text: s.loop.Batches("promoting")})
	}
}

// info describes one root move.
func (s *Searcher) info(r *rooted, rank int) search.Info {
	cp := cpOf(valueOf(r.q))
	if r.edge.has(edgeProven) {
		cp = int(r.edge.value)
	}
	info := s.loop.Info(s.depth(), rank)
	info.Score = search.ScoreFromCP(cp)
	info.WDL = info.Score.WDL(float64(s.tree.Nodes.Items[s.tree.root].draw) / 65535)
	info.Hashfull, info.PV = s.tree.Permille(), s.pv(r)
	return info
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

// result reports the outcome a last time.
func (s *Searcher) result(g *board.Game) search.Result {
	var order []rooted
	if s.tree.root != none {
		order = s.choose()
	}
	if len(order) == 0 { // the backend failed before the root was known
		return s.loop.Any(g)
	}
	if s.opts.Verbose && s.loop.Report != nil {
		s.loop.Report(search.Info{Roots: s.moveStats()})
	}
	s.tell(true)
	k := s.loop.Pick(len(order), func(i int) float64 { return float64(order[i].q) })
	return loop.Result(s.info(&order[k], 1))
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
