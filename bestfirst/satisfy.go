package bestfirst

import (
	"context"
	"math/bits"
	"time"

	"tesla/search"
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

// ended tells whether a limit ends the search: stop, evaluations, depth, mate or the clock, or nothing is left to find out.
func (s *Searcher) ended(ctx context.Context) bool {
	if s.loop.Over(ctx, s.depth()) {
		return true
	}
	if s.loop.Limits.Mate > 0 {
		if best := s.choose(); len(best) > 0 && best[0].edge.has(edgeProven) && s.loop.MateFound(int(best[0].edge.value)) {
			return true
		}
	}
	spent, counts := s.loop.Clock()
	return counts && s.timeUp(spent) || s.decided()
}

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

// decided tells whether the root is proven: nothing is left to find out, a mate shorter than one that is proven neither. With several
// principal variations the rest may still matter.
func (s *Searcher) decided() bool {
	if !s.anyProven() {
		return false
	}
	best := s.choose()
	if len(best) == 0 {
		return false
	}
	for _, r := range best[:min(len(best), max(1, s.loop.Limits.MultiPV))] {
		if !r.edge.has(edgeProven) {
			return false
		}
	}
	if int(best[0].edge.value) >= search.Proven {
		return true
	}
	for i := range s.roots {
		if !s.roots[i].edge.has(edgeProven) {
			return false
		}
	}
	return true
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
