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
func (pr *promoter) choose() []rooted {
	pr.rankRoot()
	if len(pr.roots) == 0 {
		return nil
	}
	enough := choiceShare * float64(pr.roots[0].edge.n)
	order := append(pr.ordered[:0], pr.roots...)
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
			r.need -= float32(pr.opts.Doubt) * pr.model.sigma[e.sigmaCode()] * pr.model.err[bucketN(e.n)]
		}
	}
	sort.SliceStable(order, func(i, k int) bool { return order[i].need > order[k].need })
	pr.ordered = order
	return order
}

// RootMoves implements treesearch.Tree: they are in the order of choose.
func (pr *promoter) RootMoves() []treesearch.RootMove {
	if pr.tree.root == none {
		return nil
	}
	pr.moves = pr.moves[:0]
	for _, r := range pr.choose() {
		pr.moves = append(pr.moves, treesearch.RootMove{Move: r.edge.move(), Q: float64(r.q), Proven: r.edge.has(edgeProven), CP: int(r.edge.value)})
	}
	return pr.moves
}

// Describe implements treesearch.Tree.
func (pr *promoter) Describe(i int, to *search.Info) {
	r := &pr.ordered[i]
	cp := cpOf(valueOf(r.q))
	if r.edge.has(edgeProven) {
		cp = int(r.edge.value)
	}
	to.Score = search.ScoreFromCP(cp)
	to.WDL = to.Score.WDL(float64(pr.tree.Nodes.Items[pr.tree.root].draw) / 65535)
	to.Hashfull, to.PV = pr.tree.Permille(), treesearch.Line(r.edge.move(), r.edge.child, pr.tree.bestOf)
}

// bestOf is the best move of a node, NullMove where none is known, and the node that it leads to.
func (t *tree) bestOf(at uint32) (m board.Move, next uint32) {
	n := &t.Nodes.Items[at]
	if n.best == noSlot {
		return board.NullMove, none
	}
	e := t.edge(n, int(n.best))
	return e.move(), e.child
}

// MoveStats implements treesearch.Tree.
func (pr *promoter) MoveStats() []search.RootMove {
	gains := make(map[board.Move]float32, len(pr.roots))
	for i, r := range pr.roots {
		gains[r.edge.move()] = pr.model.gainOf(r.edge, r.need, pr.wayOf(i))
	}
	order := pr.choose()
	stats := make([]search.RootMove, 0, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		e, v := order[i].edge, math.NaN()
		if e.child != none {
			v = -float64(pr.tree.Nodes.Items[e.child].net())
		}
		stats = append(stats, search.RootMove{Move: e.move(), N: int64(e.n), Policy: float64(e.prior) / 65535,
			Q: float64(order[i].q), V: v, Sigma: codeSigma(e.sigmaCode()), Gain: float64(gains[e.move()])})
	}
	return stats
}
