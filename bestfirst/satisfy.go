package bestfirst

import (
	"context"
	"math/bits"
	"time"

	"tesla/search"
)

// Satisfaction: a search under a clock ends early when the best promotion is expected to gain less than time is worth,
// and late when its best move is not the one that it has looked at most.
const (
	// price is the q that a soft budget of time is worth. A guess until measured under the clock.
	price = 0.002
	// leastShare of the soft budget is always spent, and mostShare at most.
	leastShare = 0.5
	mostShare  = 2
	// leastEvals before satisfaction may end a search.
	leastEvals = 32
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
		if best := s.choose(); len(best) > 0 && best[0].edge.has(edgeProven) {
			if in := search.ScoreFromCP(int(best[0].edge.cp)).Mate; in > 0 && in <= m {
				return true
			}
		}
	}
	return s.clocked && s.budget.Hard > 0 && s.timeUp(time.Since(s.started))
}

// timeUp weighs the best expected gain against the price of time.
func (s *Searcher) timeUp(spent time.Duration) bool {
	soft := s.budget.Soft
	switch {
	case spent >= s.budget.Hard:
		return true
	case soft >= s.budget.Hard: // a fixed time is to be used
		return false
	case len(s.roots) == 1 && s.evals > 1:
		return true
	case s.evals < leastEvals || spent < time.Duration(leastShare*float64(soft)):
		return false
	}
	if spent < soft {
		return float64(s.gain())*float64(s.evals)/spent.Seconds()*soft.Seconds() < price
	}
	return spent >= mostShare*soft || s.settled()
}

// settled tells whether the best move is also the one with the most evaluations.
func (s *Searcher) settled() bool {
	best := s.choose()[0].edge
	for i := range s.roots {
		if s.roots[i].edge.n > best.n {
			return false
		}
	}
	return true
}

// decided tells whether the root is proven: nothing is left to find out. With several principal variations or a search
// for a mate of given length the rest may still matter.
func (s *Searcher) decided() bool {
	best := s.choose()
	if len(best) == 0 {
		return false
	}
	for _, r := range best[:min(len(best), max(1, s.limits.MultiPV))] {
		if !r.edge.has(edgeProven) {
			return false
		}
	}
	if int(best[0].edge.cp) >= search.Proven {
		return true
	}
	for i := range s.roots {
		if !s.roots[i].edge.has(edgeProven) {
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

// depth is the nominal depth of the root: doublings of its evaluations.
func (s *Searcher) depth() int { return bits.Len32(s.tree.nodes.Items[s.tree.root].n) }
