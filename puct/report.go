package puct

import (
	"cmp"
	"math"
	"slices"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// better orders the moves of a node for play: proven wins first, the nearest mate before others; then by evaluations,
// value and prior; proven losses last, the farthest mate first.
func better(a, b *edge) int {
	return cmp.Or(cmp.Compare(b.decided(), a.decided()), cmp.Compare(b.n, a.n), cmp.Compare(b.value(), a.value()), cmp.Compare(b.prior, a.prior))
}

// decided is the score of a proven win or loss, 0 of another edge.
func (e *edge) decided() int16 {
	if e.has(edgeProven) && search.IsDecided(int(e.cp)) {
		return e.cp
	}
	return 0
}

// playOrder orders the root moves for play: of those with enough evaluations the one of the best value comes first,
// unless a mate is proven. A higher rank by endgame tables comes before all that.
func (pr *promoter) playOrder() []*edge {
	n := pr.root()
	pr.ordered = pr.ordered[:0]
	for k := range int(n.moves) {
		if e := pr.tree.edge(n, k); pr.loop.Allowed(e.move()) {
			pr.ordered = append(pr.ordered, e)
		}
	}
	slices.SortStableFunc(pr.ordered, func(a, b *edge) int {
		return cmp.Or(cmp.Compare(pr.loop.Rank(b.move()), pr.loop.Rank(a.move())), better(a, b))
	})
	best := 0
	for i, e := range pr.ordered {
		first := pr.ordered[0]
		rivals := pr.loop.Rank(e.move()) == pr.loop.Rank(first.move()) && first.decided() == 0 && e.decided() == 0
		if rivals && float64(e.n) >= pr.opts.Choice*float64(first.n) && e.value() > pr.ordered[best].value() {
			best = i
		}
	}
	slices.Reverse(pr.ordered[:best]) // both turn the best to the front, the others as they were
	slices.Reverse(pr.ordered[:best+1])
	return pr.ordered
}

// RootMoves implements treesearch.Tree: they are in the order of playOrder.
func (pr *promoter) RootMoves() []treesearch.RootMove {
	if pr.tree.root == none {
		return nil
	}
	pr.moves = pr.moves[:0]
	for _, e := range pr.playOrder() {
		q := -1.0
		if e.n > 0 {
			q = float64(e.value())
		}
		pr.moves = append(pr.moves, treesearch.RootMove{Move: e.move(), Q: q, Proven: e.has(edgeProven), CP: int(e.cp)})
	}
	return pr.moves
}

// Describe implements treesearch.Tree.
func (pr *promoter) Describe(i int, to *search.Info) {
	e := pr.ordered[i]
	to.Score = search.ScoreFromQ(float64(e.q))
	if e.has(edgeProven) {
		to.Score = search.ScoreFromCP(int(e.cp))
	}
	draw := float64(pr.root().draw)
	if e.has(edgeProven) {
		draw = 1 // unless it is a mate
	}
	to.WDL = to.Score.WDL(draw)
	to.Hashfull, to.PV = pr.tree.Permille(), treesearch.Line(e.move(), e.child, pr.bestOf)
}

// bestOf is the best move of a node among those with evaluations, NullMove where there is none, and the node that it
// leads to.
func (pr *promoter) bestOf(at uint32) (m board.Move, next uint32) {
	n := &pr.tree.Nodes.Items[at]
	var best *edge
	for k := range int(n.tried) {
		if e := pr.tree.edge(n, k); e.n > 0 && (best == nil || better(e, best) < 0) {
			best = e
		}
	}
	if best == nil {
		return board.NullMove, none
	}
	return best.move(), best.child
}

// MoveStats implements treesearch.Tree.
func (pr *promoter) MoveStats() []search.RootMove {
	order := pr.playOrder()
	stats := make([]search.RootMove, 0, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		e, v := order[i], math.NaN()
		if e.child != none {
			v = -float64(pr.tree.Nodes.Items[e.child].raw)
		}
		stats = append(stats, search.RootMove{Move: e.move(), N: int64(e.n), Policy: float64(e.prior), Q: float64(e.value()), V: v, Proven: e.has(edgeProven)})
	}
	return stats
}
