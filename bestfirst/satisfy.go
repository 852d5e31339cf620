package bestfirst

import (
	"math/bits"

	"tesla/treesearch"
)

// Satisfaction: a search under a clock ends when what another soft budget of time promises is worth less than it costs. The price
// rises with the square of the budgets spent, since gains are guessed too large and too small: so searches last as long as the
// square root of what is promised (docs/experiments.md).
const (
	// price is the q that a soft budget of time is worth after one is spent: searches then last one on average.
	price = 0.2
	// leastShare of the soft budget is always spent, and mostShare at most.
	leastShare = 0.3
	mostShare  = 2
)

// TimeUp implements treesearch.Tree: it weighs the best expected gain against the price of time.
func (pr *promoter) TimeUp(c treesearch.Clock) bool {
	switch {
	case c.Spent >= c.Hard:
		return true
	case c.Soft >= c.Hard: // a fixed time is to be used
		return false
	case !pr.opts.Satisfy:
		return c.Spent >= c.Soft
	case pr.forced() && c.Evals > 1:
		return true
	}
	share := c.Spent.Seconds() / c.Soft.Seconds()
	promised := float64(pr.gain()) * c.Rate() * c.Soft.Seconds()
	return share >= mostShare || share >= leastShare && promised < price*share*share
}

// forced tells whether at most one root move is not known to lose.
func (pr *promoter) forced() bool {
	left := 0
	for i := range pr.roots {
		if !pr.roots[i].edge.lost() {
			left++
		}
	}
	return left <= 1
}

// AnyProven tells whether any root move is proven.
func (pr *promoter) AnyProven() bool {
	n := &pr.tree.Nodes.Items[pr.tree.root]
	for i := range int(n.tried) {
		if pr.tree.edge(n, i).has(edgeProven) {
			return true
		}
	}
	return false
}

// Depth is the nominal depth of the root: doublings of its evaluations.
func (pr *promoter) Depth() int { return bits.Len32(pr.tree.Nodes.Items[pr.tree.root].n) }
