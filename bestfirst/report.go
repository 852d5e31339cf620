package bestfirst

import (
	"cmp"
	"math"
	"slices"

	"tesla/board"
	"tesla/search"
	"tesla/search/treesearch"
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

// errorOf is the scale of the distance of an edge's value to its value after very many evaluations, q units. It falls with
// the evaluations of the edge.
func (rk *ranking) errorOf(e *edge) float32 {
	return rk.tables.sigma[e.sigmaCode()] * rk.tables.err[bucketN(e.n)]
}

// RootMoves implements treesearch.Tree: they are in playOrder.
func (pr *promoter) RootMoves(full int) []treesearch.RootMove {
	pr.moves = pr.moves[:0]
	if pr.tree.root == none {
		return pr.moves
	}
	draws := float64(pr.root().draw) / 65535
	order := pr.policy.playOrder()
	for i := range order {
		r := &order[i]
		e := r.edge
		m := treesearch.RootMove{Valued: e.has(edgeValued), Draws: draws, CP: cpOf(valueOf(r.q)),
			RootMove: search.RootMove{Move: e.move(), N: int64(e.n), Policy: float64(e.prior) / 65535, Q: float64(r.q), Proven: e.has(edgeProven)}}
		if m.Proven {
			m.CP = int(e.value)
		} else if !m.Valued && pr.opts.PUCT != nil { // what it assumes says nothing of the move
			m.CP = cpOf(valueOf(pr.root().q))
		}
		if pr.model != nil {
			m.Error = float64(pr.model.errorOf(e))
		}
		if i < full {
			pr.describe(r, &m.RootMove)
		}
		pr.moves = append(pr.moves, m)
	}
	return pr.moves
}

// describe makes a root move full.
func (pr *promoter) describe(r *rootMove, to *search.RootMove) {
	to.V, to.Sigma, to.PV = math.NaN(), codeSigma(r.edge.sigmaCode()), pr.tree.line(r.edge)
	if child := r.edge.child; child != none {
		to.V = -float64(pr.tree.Nodes.Items[child].net())
	}
	if pr.model != nil {
		to.Gain = float64(pr.model.gainOf(r))
	}
}

// line is an edge's move, and the best moves after it.
func (t *tree) line(e *edge) []board.Move {
	line := []board.Move{e.move()}
	for at := e.child; at != none; {
		m, next := t.bestOf(at)
		if m == board.NullMove {
			break
		}
		line, at = append(line, m), next
	}
	return line
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
