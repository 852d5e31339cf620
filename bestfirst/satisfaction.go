package bestfirst

import (
	"math/bits"

	"tesla/search"
	"tesla/treesearch"
)

// Satisfaction: a search on a clock ends when what another soft budget of time is expected to gain is worth less than
// the time. The price rises with the square of the budgets spent, since expected gains are too large in some positions
// and too small in others: searches then last as long as the square root of what is expected (docs/log).
const (
	// price is the q that a soft budget of time is worth after one is spent: searches then last one on average.
	price = 0.2
	// leastShare of the soft budget is always spent, and mostShare at most.
	leastShare = 0.3
	mostShare  = 2
)

// TimeUp implements treesearch.Tree: it weighs the best expected gain against the price of time.
func (pr *promoter) TimeUp(c treesearch.Clock) search.End {
	switch {
	case c.Spent >= c.Hard:
		return search.EndTime
	case c.Soft >= c.Hard: // a fixed time is to be used
		return search.EndUnknown
	case !pr.opts.Satisfy && c.Spent >= c.Soft:
		return search.EndTime
	case !pr.opts.Satisfy:
		return search.EndUnknown
	case pr.forced() && c.Evals > 1:
		return search.EndSatisfied
	}
	share := c.Spent.Seconds() / c.Soft.Seconds()
	expected := float64(pr.gain()) * c.Rate() * c.Soft.Seconds()
	switch {
	case share >= mostShare:
		return search.EndTime
	case share >= leastShare && expected < price*share*share:
		return search.EndSatisfied
	}
	return search.EndUnknown
}

// gain is the highest expected gain per evaluation at the root, q units.
func (pr *promoter) gain() (best float32) {
	for i := range pr.roots {
		if r := &pr.roots[i]; !r.edge.has(edgePending | edgeProven) {
			best = max(best, pr.tables.gainOf(r.edge, r.gap, r.way))
		}
	}
	return best
}

// forced tells whether all root moves but one are proven losses.
func (pr *promoter) forced() bool {
	left := 0
	for i := range pr.roots {
		if !pr.roots[i].edge.lost() {
			left++
		}
	}
	return left <= 1
}

// AnyProven implements treesearch.Tree.
func (pr *promoter) AnyProven() bool {
	n := pr.root()
	for i := range int(n.tried) {
		if pr.tree.edge(n, i).has(edgeProven) {
			return true
		}
	}
	return false
}

// Depth implements treesearch.Tree: it counts the doublings of the root's evaluations.
func (pr *promoter) Depth() int { return bits.Len32(pr.root().n) }
