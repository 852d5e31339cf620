package puct

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"tesla/board"
	"tesla/search"
)

// told is what the last report said.
type told struct {
	depth int
	at    time.Time
}

// tellEvery is the longest silence.
const tellEvery = time.Second

// better orders the moves of a node for play: wins first, the nearest mate of them; then by evaluations, by value, and by
// prior; losses last, the farthest mate first.
func better(a, b *edge) int {
	return cmp.Or(cmp.Compare(b.mate(), a.mate()), cmp.Compare(b.n, a.n), cmp.Compare(b.q, a.q), cmp.Compare(b.prior, a.prior))
}

// mate is the score of a proven mate, 0 where there is none.
func (e *edge) mate() int16 {
	if e.has(edgeProven) && (e.cp >= search.Proven || e.cp <= -search.Proven) {
		return e.cp
	}
	return 0
}

// choose orders the root moves for play.
func (s *Searcher) choose() []*edge {
	n := &s.tree.nodes.Items[s.tree.root]
	s.ordered = s.ordered[:0]
	for k := range int(n.moves) {
		if e := s.tree.edge(n, k); s.allowed(e.move()) {
			s.ordered = append(s.ordered, e)
		}
	}
	slices.SortStableFunc(s.ordered, better)
	return s.ordered
}

// tell reports the principal variations when the depth changed, or after a while.
func (s *Searcher) tell(always bool) {
	if s.tree.root == none || s.report == nil {
		return
	}
	depth := s.depth()
	if !always && depth == s.told.depth && time.Since(s.told.at) < tellEvery {
		return
	}
	order := s.choose()
	if len(order) == 0 {
		return
	}
	s.told = told{depth, time.Now()}
	for i := range min(len(order), max(1, s.limits.MultiPV)) {
		s.report(s.info(order[i], i+1))
	}
	if s.opts.Verbose {
		s.report(search.Info{Text: s.batches()})
	}
}

// info describes one root move.
func (s *Searcher) info(e *edge, rank int) search.Info {
	spent := time.Since(s.started)
	score := search.ScoreFromQ(float64(e.q))
	if e.has(edgeProven) {
		score = search.ScoreFromCP(int(e.cp))
	}
	info := search.Info{
		Depth: s.depth(), SelDepth: max(s.selDepth, 1), MultiPV: rank, Score: score,
		WDL: score.WDL(float64(s.tree.nodes.Items[s.tree.root].draw)), Nodes: s.evals, Evals: s.evals,
		Hashfull: s.tree.permille(), Time: spent, PV: s.pv(e),
	}
	if sec := spent.Seconds(); sec > 0 {
		info.NPS = int64(float64(s.evals) / sec)
	}
	if batches := s.pipeline.Stats().Batches - s.waited.Batches; batches > 0 {
		info.Fill = min(1, float64(s.sent)/float64(batches*int64(s.opts.BatchSize))) // some may be under way
	}
	return info
}

// pv is a root move and the best moves after it.
func (s *Searcher) pv(e *edge) []board.Move {
	line := []board.Move{e.move()}
	for at := e.child; at != none; {
		n := &s.tree.nodes.Items[at]
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
	if len(order) == 0 { // the backend failed before the root was known: any legal move
		moves := s.limits.SearchMoves
		if len(moves) == 0 {
			moves = g.Pos.LegalMoves(nil)
		}
		return search.Result{Best: moves[0], Info: search.Info{Depth: 1, SelDepth: 1, MultiPV: 1, WDL: [3]int{0, 1000, 0},
			Time: time.Since(s.started), PV: moves[:1]}}
	}
	if s.opts.Verbose && s.report != nil {
		s.report(search.Info{Roots: s.moveStats(order)})
	}
	s.tell(true)
	info := s.info(order[s.drawMove(order)], 1)
	res := search.Result{Best: info.PV[0], Info: info}
	if len(info.PV) > 1 {
		res.Ponder = info.PV[1]
	}
	return res
}

// drawMove is the move to play: the first, or one drawn at random where the strength is limited.
func (s *Searcher) drawMove(order []*edge) int {
	if s.limits.Temperature <= 0 {
		return 0
	}
	q := make([]float64, len(order))
	for i, e := range order {
		if q[i] = float64(e.q); e.n == 0 {
			q[i] = -1
		}
	}
	return search.Draw(q, s.limits.Temperature)
}

// batches describes the evaluation side: leaves a batch, rates, and the share of the compute time that the search used. The
// net evaluates quiet positions beside the leaves.
func (s *Searcher) batches() string {
	now, was := s.pipeline.Stats(), s.waited
	count, compute, wait := now.Batches-was.Batches, now.Compute-was.Compute, now.Wait-was.Wait
	mean := float64(s.sent) / max(1, float64(count))
	used := 1 - wait.Seconds()/max(1e-9, compute.Seconds())
	return fmt.Sprintf("batches %d mean %.1f fill %.0f%% net evals %d evals/s %.0f searching %.0f%% of compute", count, mean,
		100*mean/float64(s.opts.BatchSize), now.Items-was.Items, float64(s.evals)/max(1e-9, time.Since(s.started).Seconds()), 100*max(0, used))
}

// moveStats lists the root moves, the worst first.
func (s *Searcher) moveStats(order []*edge) []search.RootMove {
	stats := make([]search.RootMove, 0, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		e, v := order[i], math.NaN()
		if e.child != none {
			v = -float64(s.tree.nodes.Items[e.child].value)
		}
		stats = append(stats, search.RootMove{Move: e.move(), N: int64(e.n), Policy: float64(e.prior), Q: float64(e.q), V: v})
	}
	return stats
}
