package bestfirst

import (
	"tesla/search"
	"tesla/treesearch"
)

// Satisfaction: a search on a clock ends when what another soft budget of time is expected to gain is worth less than
// the time. The price rises with the square of the budgets spent, since expected gains are too large in some positions
// and too small in others: searches then last as long as the square root of what is expected (docs/log/trees.md#0035).
const (
	// price is the q that a soft budget of time is worth after one is spent: searches then last one on average.
	price = 0.2
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
	expected := float64(rk.gain()) * c.Rate() * c.Soft.Seconds()
	switch {
	case share >= mostShare:
		return search.EndTime
	case share >= leastShare && expected < price*share*share:
		return search.EndSatisfied
	}
	return search.EndUnknown
}

// gain is the highest expected gain per evaluation at the root, q units.
func (rk *ranking) gain() (best float32) {
	for i := range rk.roots {
		if r := &rk.roots[i]; !r.edge.has(edgePending | edgeProven) {
			best = max(best, rk.gainOf(r))
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
