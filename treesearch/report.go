package treesearch

import (
	"fmt"
	"math/rand/v2"
	"time"

	"tesla/search"
)

// Result is the move to play, reported a last time, and why the search ended early where the backend failed.
func (l *Loop) Result() (search.Result, error) {
	roots := l.hooks.Roots()
	if len(roots) == 0 { // the backend failed before the root was known
		return l.any(), l.err
	}
	if l.hooks.Verbose && l.Report != nil {
		l.Report(search.Info{Roots: l.hooks.Stats()})
	}
	l.tell(true)
	info := l.info(l.pick(roots), 1)
	res := search.Result{Best: info.PV[0], Info: info}
	if len(info.PV) > 1 {
		res.Ponder = info.PV[1]
	}
	return res, l.err
}

// tell reports the principal variations when the depth changed, after a while, or always.
func (l *Loop) tell(always bool) {
	if l.Report == nil || !l.hooks.Rooted() {
		return
	}
	depth := l.hooks.Depth()
	if !always && depth == l.told.depth && time.Since(l.told.at) < tellEvery {
		return
	}
	l.told.depth, l.told.at = depth, time.Now()
	for i := range min(len(l.hooks.Roots()), max(1, l.Limits.MultiPV)) {
		l.Report(l.info(i, i+1))
	}
	if l.hooks.Verbose {
		l.Report(search.Info{Text: l.batches()})
	}
}

// info describes the i-th root move.
func (l *Loop) info(i, rank int) search.Info {
	spent := time.Since(l.Started)
	info := search.Info{Depth: l.hooks.Depth(), SelDepth: max(l.SelDepth, 1), MultiPV: rank, Nodes: l.Evals, Evals: l.Evals, Time: spent}
	if spent > 0 {
		info.NPS = int64(l.Rate(spent))
	}
	if batches := l.Pipeline.Stats().Since(l.waited).Batches; batches > 0 {
		info.Fill = min(1, float64(l.sent-int64(l.pending))/float64(batches*int64(l.Batch)))
	}
	l.hooks.Tell(i, &info)
	return info
}

// batches describes the evaluation side: leaves a batch, rates, the share of the evaluations' time that the search used, and that of time
// in which the net did not run. The net evaluates quiet positions beside the leaves.
func (l *Loop) batches() string {
	s := l.Pipeline.Stats().Since(l.waited)
	batches := max(1, float64(s.Batches))
	mean := float64(l.sent-int64(l.pending)) / batches
	return fmt.Sprintf("batches %d mean %.1f fill %.0f%% ahead %d net evals %d evals/s %.0f searching %.0f%% of compute, queue %.2f ms a batch, net idle %.1f%%",
		s.Batches, mean, 100*mean/float64(l.Batch), l.ahead, s.Items, float64(l.Evals)/max(1e-9, s.Elapsed.Seconds()), 100*s.Used(),
		1000*s.Queue.Seconds()/batches, 100*s.NetIdle())
}

// any is the result of a search that failed before its root was known: any legal move.
func (l *Loop) any() search.Result {
	moves := l.Limits.SearchMoves
	if len(moves) == 0 {
		moves = l.Game.Pos.LegalMoves(nil)
	}
	return search.Result{Best: moves[0], Info: search.Info{Depth: 1, SelDepth: 1, MultiPV: 1, WDL: [3]int{0, 1000, 0},
		Time: time.Since(l.Started), PV: moves[:1]}}
}

// pick is the index of the root move to play: the first, or one drawn at random where the strength is limited.
func (l *Loop) pick(roots []Root) int {
	if l.Limits.Temperature <= 0 {
		return 0
	}
	values := make([]float64, len(roots))
	for i := range values {
		values[i] = roots[i].Q
	}
	return search.Draw(values, l.Limits.Temperature, rand.Float64())
}
