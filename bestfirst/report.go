package bestfirst

import (
	"cmp"
	"slices"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// choiceShare is the part of the best move's evaluations that a root move needs to be played.
const choiceShare = 0.1

// playOrder orders the root moves for play: by their ranks by endgame tables, and those of one rank so: proven wins, then
// moves with enough evaluations by their lower confidence bounds, then the others by value: those with few evaluations,
// those with none, and proven losses last.
func (rk *ranking) playOrder() []rootMove {
	if rk.rankRoot(); len(rk.roots) == 0 {
		return nil
	}
	enough := choiceShare * float64(rk.roots[0].edge.n)
	rk.ordered = append(rk.ordered[:0], rk.roots...)
	for i := range rk.ordered {
		r := &rk.ordered[i]
		r.order = r.q
		switch e := r.edge; {
		case e.lost():
			r.order -= 8
		case e.has(edgeProven):
		case !e.has(edgeValued):
			r.order -= 4
		case float64(e.n) < enough:
			r.order -= 2
		default:
			r.order -= float32(rk.opts.LCB) * rk.errorOf(e)
		}
	}
	slices.SortStableFunc(rk.ordered, func(a, b rootMove) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.order, a.order))
	})
	return rk.ordered
}

// errorOf is that of the change model: it falls with the evaluations of the edge.
func (rk *ranking) errorOf(e *edge) float32 {
	return rk.tables.sigma[e.sigmaCode()] * rk.tables.err[bucketN(e.n)]
}

// RootMoves implements treesearch.Tree: they are in playOrder.
func (pr *promoter) RootMoves() []treesearch.RootMove {
	if pr.tree.root == none {
		return nil
	}
	pr.moves = pr.moves[:0]
	for _, r := range pr.policy.playOrder() {
		e := r.edge
		pr.moves = append(pr.moves, treesearch.RootMove{Move: e.move(), Q: float64(r.q), N: e.n, Prior: float64(e.prior) / 65535,
			Error: float64(pr.policy.errorOf(e)), Draws: float64(pr.root().draw) / 65535, Proven: e.has(edgeProven), CP: int(e.value)})
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
	draw := float64(pr.root().draw) / 65535
	if r.edge.has(edgeProven) {
		draw = 1 // unless it is a mate
	}
	to.WDL = to.Score.WDL(draw)
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
