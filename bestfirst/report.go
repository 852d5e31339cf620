package bestfirst

import (
	"fmt"
	"math"
	"sort"
	"time"

	"tesla/board"
	"tesla/memory"
	"tesla/search"
)

// told is what the last report said.
type told struct {
	depth int
	at    time.Time
}

// tellEvery is the longest silence.
const tellEvery = time.Second

// choiceShare of the evaluations of the best-valued move is what a move needs to be chosen.
const choiceShare = 0.1

// choose orders the root moves for play: proven wins, then the highest value less its error among those with enough
// evaluations, then the rest by value.
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
		case e.has(edgeProven):
		case !e.has(edgeValued):
			r.need -= 4
		case float64(e.n) < enough:
			r.need -= 2
		default:
			r.need -= s.model.sigma[e.sigmaCode()] * s.model.err[bucketN(e.n)]
		}
	}
	sort.SliceStable(order, func(i, k int) bool { return order[i].need > order[k].need })
	s.ordered = order
	return order
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
		s.report(s.info(&order[i], i+1))
	}
	if s.opts.Verbose {
		s.report(search.Info{Text: s.batches()})
	}
}

// info describes one root move.
func (s *Searcher) info(r *rooted, rank int) search.Info {
	n := &s.tree.nodes.Items[s.tree.root]
	spent := time.Since(s.started)
	cp := int(cpOf(r.q))
	if r.edge.has(edgeProven) {
		cp = int(r.edge.cp)
	}
	score := search.ScoreFromCP(cp)
	info := search.Info{
		Depth: s.depth(), SelDepth: max(s.selDepth, 1), MultiPV: rank, Score: score,
		WDL: score.WDL(float64(n.draw) / 65535), Nodes: s.evals, Evals: s.evals, Hashfull: s.tree.permille(), Time: spent, PV: s.pv(r),
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
func (s *Searcher) pv(r *rooted) []board.Move {
	line := []board.Move{r.edge.move()}
	for at := r.edge.child; at != none; {
		n := &s.tree.nodes.Items[at]
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
	if len(order) == 0 { // the backend failed before the root was known: any legal move
		moves := s.limits.SearchMoves
		if len(moves) == 0 {
			moves = g.Pos.LegalMoves(nil)
		}
		return search.Result{Best: moves[0], Info: search.Info{Depth: 1, SelDepth: 1, MultiPV: 1, WDL: [3]int{0, 1000, 0},
			Time: time.Since(s.started), PV: moves[:1]}}
	}
	if s.opts.Verbose && s.report != nil {
		s.report(search.Info{Roots: s.moveStats()})
	}
	s.tell(true)
	info := s.info(&order[s.drawMove(order)], 1)
	res := search.Result{Best: info.PV[0], Info: info}
	if len(info.PV) > 1 {
		res.Ponder = info.PV[1]
	}
	return res
}

// drawMove is the move to play: the first, or one drawn at random where the strength is limited.
func (s *Searcher) drawMove(order []rooted) int {
	if s.limits.Temperature <= 0 {
		return 0
	}
	q := make([]float64, len(order))
	for i, r := range order {
		q[i] = float64(r.q)
	}
	return search.Draw(q, s.limits.Temperature)
}

// batches describes the evaluation side: leaves a batch, rates, and the share of the compute time that the promoter used.
// The net evaluates quiet positions beside the leaves.
func (s *Searcher) batches() string {
	now, was := s.pipeline.Stats(), s.waited
	batches, items := now.Batches-was.Batches, now.Items-was.Items
	compute, wait := now.Compute-was.Compute, now.Wait-was.Wait
	mean := float64(s.sent) / max(1, float64(batches))
	used := 1 - wait.Seconds()/max(1e-9, compute.Seconds())
	eps := float64(s.evals) / max(1e-9, time.Since(s.started).Seconds())
	return fmt.Sprintf("batches %d mean %.1f fill %.0f%% net evals %d evals/s %.0f promoting %.0f%% of compute",
		batches, mean, 100*mean/float64(s.opts.BatchSize), items, eps, 100*max(0, used))
}

// moveStats lists every root move, the worst first.
func (s *Searcher) moveStats() []search.RootMove {
	gains := make(map[board.Move]float32, len(s.roots))
	for i, r := range s.roots {
		gains[r.edge.move()] = s.model.gainOf(r.edge, max(minGap, r.need), s.wayOf(i))
	}
	order := s.choose()
	stats := make([]search.RootMove, 0, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		e, v := order[i].edge, math.NaN()
		if e.child != none {
			v = -float64(s.tree.nodes.Items[e.child].base)
		}
		stats = append(stats, search.RootMove{Move: e.move(), N: int64(e.n), Policy: float64(e.prior) / 65535,
			Q: float64(order[i].q), V: v, Sigma: codeSigma(e.sigmaCode()), Gain: float64(gains[e.move()])})
	}
	return stats
}

// TreeSize is the number of nodes in memory and the bytes that they and their edges take.
func (s *Searcher) TreeSize() (nodes, bytes int) {
	nodes = s.tree.nodes.Used()
	return nodes, nodes*(nodeBytes+memory.ArenaLink) + s.tree.chunks.Used()*chunkBytes
}
