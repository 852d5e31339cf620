package puct

import (
	"math/bits"
	"time"
)

// The clock: a search ends after its soft budget, earlier where no other move can get more evaluations than the one to be
// played has, later, up to mostShare of it, while another has a better value but too few evaluations.
const (
	mostShare  = 2
	leastEvals = 32 // before the clock may end a search early
)

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

// anyProven tells whether any root move may be proven: where not all may be played, more than the root's bits has to be looked at.
func (s *Searcher) anyProven() bool {
	return len(s.loop.Limits.SearchMoves) > 0 || s.tree.above.has(edgeProven)
}

// depth is the nominal depth of the root, as the best-first search counts it: doublings of its evaluations.
func (s *Searcher) depth() int { return bits.Len32(s.tree.above.n) }
