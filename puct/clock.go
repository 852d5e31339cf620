package puct

import (
	"context"
	"math/bits"
	"time"

	"tesla/search"
)

// The clock: a search ends after its soft budget, earlier where no other move can get more evaluations than the one to be
// played has, later, up to mostShare of it, while another has a better value but too few evaluations.
const (
	mostShare  = 2
	leastEvals = 32 // before the clock may end a search early
)

// ended tells whether a limit ends the search: stop, evaluations, depth, mate or the clock, or nothing is left to find out.
func (s *Searcher) ended(ctx context.Context) bool {
	if s.loop.Over(ctx, s.depth()) {
		return true
	}
	if s.loop.Limits.Mate > 0 {
		if best := s.choose(); len(best) > 0 && best[0].has(edgeProven) && s.loop.MateFound(int(best[0].cp)) {
			return true
		}
	}
	spent, counts := s.loop.Clock()
	return counts && s.timeUp(spent) || s.decided()
}

// timeUp tells whether the clock ends the search.
func (s *Searcher) timeUp(spent time.Duration) bool {
	soft := s.loop.Budget.Soft
	switch {
	case spent >= s.loop.Budget.Hard:
		return true
	case soft >= s.loop.Budget.Hard: // a fixed time is to be used
		return false
	}
	order := s.choose()
	switch {
	case len(order) == 1 && s.loop.Evals > 1:
		return true
	case s.loop.Evals < leastEvals:
		return false
	case spent >= mostShare*soft:
		return true
	case spent >= soft:
		for _, e := range order {
			if e.value() > order[0].value() && e.n > 0 {
				return false
			}
		}
		return true
	}
	left := s.loop.Rate(spent) * (soft - spent).Seconds()
	return float64(order[0].n) > float64(order[1].n)+left
}

// decided tells whether the root is proven: nothing is left to find out, a mate shorter than one that is proven neither. With several
// principal variations the rest may still matter.
func (s *Searcher) decided() bool {
	if len(s.loop.Limits.SearchMoves) == 0 && !s.tree.above.has(edgeProven) {
		return false
	}
	best := s.choose()
	if len(best) == 0 {
		return false
	}
	for _, e := range best[:min(len(best), max(1, s.loop.Limits.MultiPV))] {
		if !e.has(edgeProven) {
			return false
		}
	}
	if int(best[0].cp) >= search.Proven {
		return true
	}
	for _, e := range best {
		if !e.has(edgeProven) {
			return false
		}
	}
	return true
}

// depth is the nominal depth of the root, as the best-first search counts it: doublings of its evaluations.
func (s *Searcher) depth() int { return bits.Len32(s.tree.above.n) }
