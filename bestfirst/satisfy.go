package bestfirst

import (
	"math/bits"
	"time"
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

// timeUp weighs the best expected gain against the price of time.
func (s *Searcher) timeUp(spent time.Duration) bool {
	soft := s.loop.Budget.Soft
	switch {
	case spent >= s.loop.Budget.Hard:
		return true
	case soft >= s.loop.Budget.Hard: // a fixed time is to be used
		return false
	case !s.opts.Satisfy:
		return spent >= soft
	case s.forced() && s.loop.Evals > 1:
		return true
	}
	share := spent.Seconds() / soft.Seconds()
	promised := float64(s.gain()) * s.loop.Rate(spent) * soft.Seconds()
	return share >= mostShare || share >= leastShare && promised < price*share*share
}

// forced tells whether at most one root move is not known to lose.
func (s *Searcher) forced() bool {
	left := 0
	for i := range s.roots {
		if !s.roots[i].edge.lost() {
			left++
		}
	}
	return left <= 1
}

// anyProven tells whether any root move is proven.
func (s *Searcher) anyProven() bool {
	n := &s.tree.Nodes.Items[s.tree.root]
	for i := range int(n.tried) {
		if s.tree.edge(n, i).has(edgeProven) {
			return true
		}
	}
	return false
}

// depth is the nominal depth of the root: doublings of its evaluations.
func (s *Searcher) depth() int { return bits.Len32(s.tree.Nodes.Items[s.tree.root].n) }
