package bestfirst

import (
	"math"

	"tesla/search"
	"tesla/search/treesearch"
)

// Satisfaction: a search on a clock ends when what another soft budget of time is expected to gain is worth less than
// the time. The price rises with the square of the budgets spent, since expected gains are too large in some positions
// and too small in others: searches then last as long as the square root of what is expected (docs/log/trees.md#0035,
// docs/log/strength.md#0130).
const (
	// price is the q that a soft budget of time is worth after one is spent.
	price = 0.04
	// leastShare of the soft budget is always spent, and mostShare at most.
	leastShare = 0.3
	mostShare  = 2
)

// timeUp weighs the best expected gain against the price of time.
func (rk *ranking) timeUp(c treesearch.Clock) search.End {
	switch {
	case !rk.opts.Satisfy && c.Spent >= c.Soft:
		return search.EndTime
	case !rk.opts.Satisfy:
		return search.EndUnknown
	case rk.forced() && c.Evals > 1:
		return search.EndSatisfied
	}
	share := c.Spent.Seconds() / c.Soft.Seconds()
	switch {
	case share >= mostShare:
		return search.EndTime
	case share >= leastShare && rk.expected(c.Rate()*c.Soft.Seconds()) < price*share*share:
		return search.EndSatisfied
	}
	return search.EndUnknown
}

// expected is the most that a number of evaluations is expected to gain at the root, q units. A promotion of a move of n evaluations
// takes n more, and gains n times what gainOf says. The next one takes twice as many for the same gain. So a move that is hardly
// tried does not promise its first gain for each of the evaluations.
func (rk *ranking) expected(evals float64) (best float64) {
	for i := range rk.roots {
		if r := &rk.roots[i]; !r.edge.has(edgePending | edgeProven) {
			n := float64(max(1, r.edge.n))
			best = max(best, float64(rk.gainOf(r))*n*math.Log2(1+evals/n))
		}
	}
	return best
}

// gainOf is the expected gain per evaluation of promoting a root move, q units.
func (rk *ranking) gainOf(r *rootMove) float32 { return rk.tables.gainOf(r.edge, r.gap, r.way) }

// forced reports whether all root moves but one are proven losses.
func (rk *ranking) forced() bool {
	left := 0
	for i := range rk.roots {
		if !rk.roots[i].edge.lost() {
			left++
		}
	}
	return left <= 1
}
