package puct

import (
	"context"
	"math/bits"
	"time"

	"tesla/search"
)

// The clock: a search ends after its soft budget, earlier where no other move can get more evaluations than the best has,
// later, up to mostShare of it, while the move of the best value is not the one with the most evaluations.
const (
	mostShare  = 2
	leastEvals = 32 // before the clock may end a search early
)

// finished tells whether a limit ends the search: stop, evaluations, depth, mate or the clock.
func (s *Searcher) finished(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-s.ponders:
		s.limits.Ponder, s.clocked = false, !s.limits.Infinite
		s.started = time.Now()
	default:
	}
	if most := s.mostEvals(); most > 0 && s.evals >= most {
		return true
	}
	if d := s.limits.Depth; d > 0 && s.depth() >= d {
		return true
	}
	if m := s.limits.Mate; m > 0 {
		if best := s.choose(); len(best) > 0 && best[0].has(edgeProven) {
			if in := search.ScoreFromCP(int(best[0].cp)).Mate; in > 0 && in <= m {
				return true
			}
		}
	}
	return s.clocked && s.budget.Hard > 0 && s.timeUp(time.Since(s.started))
}

// timeUp tells whether the clock ends the search.
func (s *Searcher) timeUp(spent time.Duration) bool {
	soft := s.budget.Soft
	switch {
	case spent >= s.budget.Hard:
		return true
	case soft >= s.budget.Hard: // a fixed time is to be used
		return false
	}
	order := s.choose()
	switch {
	case len(order) == 1 && s.evals > 1:
		return true
	case s.evals < leastEvals:
		return false
	case spent >= mostShare*soft:
		return true
	case spent >= soft:
		for _, e := range order {
			if e.q > order[0].q && e.n > 0 {
				return false
			}
		}
		return true
	}
	left := float64(s.evals) * (soft - spent).Seconds() / spent.Seconds()
	return float64(order[0].n) > float64(order[1].n)+left
}

// decided tells whether the root is proven: nothing is left to find out. With several principal variations the rest may
// still matter.
func (s *Searcher) decided() bool {
	if len(s.limits.SearchMoves) == 0 && !s.tree.above.has(edgeProven) {
		return false
	}
	best := s.choose()
	if len(best) == 0 {
		return false
	}
	for _, e := range best[:min(len(best), max(1, s.limits.MultiPV))] {
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

// park holds an infinite or pondering search that has nothing left to do until it is stopped.
func (s *Searcher) park(ctx context.Context) {
	for s.limits.Infinite || s.limits.Ponder {
		select {
		case <-ctx.Done():
			return
		case <-s.ponders:
			s.limits.Ponder = false
		}
	}
}

// depth is the nominal depth of the root, as the best-first search counts it: doublings of its evaluations.
func (s *Searcher) depth() int { return bits.Len32(s.tree.above.n) }
