package treesearch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"tesla/search"
)

// tellEvery is the longest time between two reports.
const tellEvery = time.Second

// result is the move to play, reported a last time, and why the search ended early where the backend failed.
func (l *Loop) result() (search.Result, error) {
	roots := l.tree.RootMoves(0)
	if len(roots) == 0 { // the backend failed before the root was known
		return l.anyMove(), l.err
	}
	first := l.pick(roots)
	if l.opts.Verbose && l.report != nil {
		s := l.snapshot()
		slices.Reverse(s.Roots) // the best one is read last
		l.report(search.Info{Roots: s.Roots})
	}
	info := l.tellLines(first)
	res := search.Result{Best: info.PV[0], Info: info, End: l.why}
	if len(info.PV) > 1 {
		res.Ponder = info.PV[1]
	}
	return res, l.err
}

// tell reports the PVs when the depth changed, or after a while.
func (l *Loop) tell() {
	if depth := l.nominal(); l.report != nil && depth > 0 && (depth != l.told.depth || l.opts.Now().Sub(l.told.at) >= tellEvery) {
		l.tellLines(0)
	}
}

// tellLines reports the PVs: that of a root move, which is played and whose report it returns, then those of the others that
// have a value, the best first.
func (l *Loop) tellLines(first int) search.Info {
	l.told.depth, l.told.at = l.nominal(), l.opts.Now()
	l.look(true)
	full := max(first+1, l.MultiPV())
	if l.report != nil && l.MultiPV() > 1 {
		full = math.MaxInt // those without a value are left out
	}
	roots := l.tree.RootMoves(full)
	if len(roots) == 0 {
		return search.Info{}
	}
	search.MoveToFront(roots, first)
	info := l.info(&roots[0], 1)
	if l.report == nil {
		return info
	}
	l.report(info)
	rank := 1
	for i := 1; i < len(roots) && rank < l.MultiPV(); i++ {
		if roots[i].Valued {
			rank++
			l.report(l.info(&roots[i], rank))
		}
	}
	if l.opts.Verbose {
		l.report(search.Info{Text: l.batches()})
	}
	return info
}

// nominal is the depth that reports give. It does not fall within a search: the tree counts pending evaluations too, and
// a stop cancels them.
func (l *Loop) nominal() int {
	return max(l.tree.State().Depth, l.told.depth)
}

// info is the report on a full root move.
func (l *Loop) info(r *RootMove, rank int) search.Info {
	c := l.clock()
	info := search.Info{Depth: l.nominal(), SelDepth: max(l.selDepth, 1), MultiPV: rank, Nodes: l.evals + l.searched, Evals: l.evals, Time: c.Spent,
		Score: search.ScoreFromCP(r.CP), Hashfull: l.tree.State().Hashfull, PV: r.PV}
	draws := r.Draws
	if r.Proven {
		draws = 1 // unless it is a mate
	}
	info.WDL = info.Score.WDL(draws)
	if c.Spent > 0 {
		info.NPS = int64(float64(c.Counted+l.searched-l.ahead) / c.Spent.Seconds())
	}
	if l.opts.Tables != nil {
		info.TBHits = l.opts.Tables.Hits()
	}
	if batches := l.pipeline.Stats().Since(l.waited).Batches; batches > 0 {
		info.Fill = min(1, float64(l.sent-int64(l.pending))/float64(batches*int64(l.batch)))
	}
	if rank == 1 {
		info.Sure = l.sureness.last
	}
	endMate(l.game.Pos, &info)
	return info
}

// batches is a line on the evaluation side: leaves a batch, rates, the share of the evaluations' time that the search
// took, and the share of the time in which the net did not run. The net evaluates quiet positions beside the leaves.
func (l *Loop) batches() string {
	s := l.pipeline.Stats().Since(l.waited)
	batches := max(1, float64(s.Batches))
	mean := float64(l.sent-int64(l.pending)) / batches
	return fmt.Sprintf("batches %d mean %.1f fill %.0f%% ahead %d net evals %d evals/s %.0f searching %.0f%% of compute, queue %.2f ms a batch, net idle %.1f%%",
		s.Batches, mean, 100*mean/float64(l.batch), l.prefetched, s.Items, float64(l.evals)/max(1e-9, s.Elapsed.Seconds()), 100*s.Used(),
		1000*s.Queue.Seconds()/batches, 100*s.NetIdle())
}

// anyMove is the result of a search that failed before its root was known: any legal move.
func (l *Loop) anyMove() search.Result {
	moves := l.limits.SearchMoves
	if len(moves) == 0 {
		moves = l.game.Pos.LegalMoves(nil)
	}
	return search.Result{Best: moves[0], End: l.why, Info: search.Info{Depth: 1, SelDepth: 1, MultiPV: 1, WDL: [3]int{0, 1000, 0},
		Time: l.clock().Spent, PV: moves[:1]}}
}

// pick is the index of the root move to play: the first, or one drawn at random where the strength is limited.
func (l *Loop) pick(roots []RootMove) int {
	if l.limits.Temperature <= 0 {
		return 0
	}
	values := make([]float64, len(roots))
	for i := range values {
		values[i] = roots[i].Q
	}
	return search.Draw(values, l.limits.Temperature, rand.Float64())
}
