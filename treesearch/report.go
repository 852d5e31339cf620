package treesearch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tesla/board"
	"tesla/search"
)

// tellEvery is the longest time between two reports.
const tellEvery = time.Second

// result is the move to play, reported a last time, and why the search ended early where the backend failed.
func (l *Loop) result() (search.Result, error) {
	roots := l.tree.RootMoves()
	if len(roots) == 0 { // the backend failed before the root was known
		return l.anyMove(), l.err
	}
	if l.opts.Verbose && l.report != nil {
		s := l.snapshot(0)
		slices.Reverse(s.Roots) // the best one is read last
		l.report(search.Info{Roots: s.Roots})
	}
	first := l.pick(roots)
	l.tellLines(first)
	info := l.info(first, 1)
	res := search.Result{Best: info.PV[0], Info: info, End: l.why}
	if len(info.PV) > 1 {
		res.Ponder = info.PV[1]
	}
	return res, l.err
}

// tell reports the PVs when the depth changed, or after a while.
func (l *Loop) tell() {
	if depth := l.nominal(); depth > 0 && (depth != l.told.depth || l.opts.Now().Sub(l.told.at) >= tellEvery) {
		l.tellLines(0)
	}
}

// tellLines reports the PVs: that of a root move, which is played, then those of the others, the best first.
func (l *Loop) tellLines(first int) {
	if l.report == nil {
		return
	}
	l.told.depth, l.told.at = l.nominal(), l.opts.Now()
	l.look(true)
	order := make([]int, len(l.tree.RootMoves()))
	for i := range order {
		order[i] = i
	}
	search.MoveToFront(order, first)
	for i, of := range order[:min(len(order), l.MultiPV())] {
		l.report(l.info(of, i+1))
	}
	if l.opts.Verbose {
		l.report(search.Info{Text: l.batches()})
	}
}

// nominal is the depth that reports give. It does not fall within a search: the tree counts pending evaluations too, and
// a stop cancels them.
func (l *Loop) nominal() int {
	depth, _ := l.tree.Root()
	return max(depth, l.told.depth)
}

// info is the report on the i-th root move.
func (l *Loop) info(i, rank int) search.Info {
	c := l.clock()
	info := search.Info{Depth: l.nominal(), SelDepth: max(l.selDepth, 1), MultiPV: rank, Nodes: l.evals + l.searched, Evals: l.evals, Time: c.Spent}
	if c.Spent > 0 {
		info.NPS = int64(float64(c.Counted+l.searched-l.ahead) / c.Spent.Seconds())
	}
	if l.opts.Tables != nil {
		info.TBHits = l.opts.Tables.Hits()
	}
	if batches := l.pipeline.Stats().Since(l.waited).Batches; batches > 0 {
		info.Fill = min(1, float64(l.sent-int64(l.pending))/float64(batches*int64(l.batch)))
	}
	l.tree.Describe(i, &info)
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

// Line is a PV: a move, and the best moves after it. follow is the best move of a node, and the node that it leads to;
// it is asked until there is none, 0.
func Line(first board.Move, node uint32, follow func(node uint32) (m board.Move, next uint32)) []board.Move {
	line := []board.Move{first}
	for node != 0 {
		var m board.Move
		if m, node = follow(node); m == board.NullMove {
			break
		}
		line = append(line, m)
	}
	return line
}
