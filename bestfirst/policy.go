package bestfirst

import (
	"math/bits"

	"tesla/search"
	"tesla/treesearch"
)

// policy is all in which two searches on one tree differ: ranking is that of the best-first search, puct that of the baseline. What
// changes a node calls refresh, and nothing else of a policy writes the tree.
type policy interface {
	// rankRoot fills promoter.roots. It is called before the descents of a batch, and before roots are looked at.
	rankRoot()
	// choose is the slot of the edge that a descent follows from a node some plies below the root; -1 where nothing can be promoted.
	choose(n *node, ply int) (slot int)
	// refresh recomputes the values of a node, its best edge and whether it is proven, after a change of one of its edges, or of
	// any where changed is nil.
	refresh(n *node, changed *edge)
	// playOrder is the root moves, the one to play first; none without a root.
	playOrder() []rootMove
	// timeUp reports whether a clock ends the search between its first evaluation and its hard limit.
	timeUp(c treesearch.Clock) search.End
	// errorOf is the scale of the distance of an edge's value to its value after very many evaluations, gainOf what an evaluation of
	// a root move is expected to gain, both q units, and needOf by how much the value of an edge must rise, or fall where negative,
	// to change which move is best; 0 where the policy does not know.
	errorOf(e *edge) float32
	gainOf(r *rootMove) float32
	needOf(n *node, e *edge, slot int) float32
}

// ranking is the policy of the best-first search: the edge is promoted whose value is most likely to change a decision.
type ranking struct {
	*promoter
	tables *tables
	frame  frame
}

// setPolicy gives a promoter the policy of its options.
func (pr *promoter) setPolicy() error {
	if pr.opts.PUCT != nil {
		pr.policy = &puct{promoter: pr, PUCT: *pr.opts.PUCT}
		return nil
	}
	fit, err := FitOf(pr.net)
	if err != nil {
		return err
	}
	if pr.opts.Fit != nil {
		fit = *pr.opts.Fit
	}
	tb := newTables(fit, pr.opts.Tuning)
	rk := &ranking{promoter: pr, tables: tb, frame: newFrame(tb)}
	pr.policy, pr.fresh = rk, uint32(tb.fresh)<<sigmaShift
	if pr.opts.Trace != nil {
		pr.tracer = rk
	}
	return nil
}

// TimeUp implements treesearch.Tree.
func (pr *promoter) TimeUp(c treesearch.Clock) search.End {
	switch {
	case c.Spent >= c.Hard:
		return search.EndTime
	case c.Soft >= c.Hard: // a fixed time is to be used
		return search.EndUnknown
	}
	return pr.policy.timeUp(c)
}

// Root implements treesearch.Tree: the depth counts the doublings of the root's evaluations.
func (pr *promoter) Root() (depth int, proven bool) {
	n := pr.root()
	for i := range int(n.tried) {
		if pr.tree.edge(n, i).has(edgeProven) {
			proven = true
			break
		}
	}
	return bits.Len32(n.n), proven
}
