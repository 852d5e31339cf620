package bestfirst

import (
	"math/bits"

	"tesla/search"
	"tesla/search/treesearch"
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
	// timeUp is treesearch.Tree's TimeUp.
	timeUp(c treesearch.Clock) search.End
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
	pr.policy, pr.model, pr.fresh = rk, rk, uint32(tb.fresh)<<sigmaShift
	if pr.opts.Trace != nil {
		pr.tracer = rk
	}
	return nil
}

// TimeUp implements treesearch.Tree.
func (pr *promoter) TimeUp(c treesearch.Clock) search.End { return pr.policy.timeUp(c) }

// State implements treesearch.Tree: the depth counts the doublings of the root's evaluations.
func (pr *promoter) State() treesearch.State {
	n := pr.root()
	s := treesearch.State{Depth: bits.Len32(n.n), Nodes: pr.tree.Nodes.Used(), Hashfull: pr.tree.Permille()}
	for i := 0; i < int(n.tried) && !s.Proven; i++ {
		s.Proven = pr.tree.edge(n, i).has(edgeProven)
	}
	return s
}
