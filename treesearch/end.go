package treesearch

import (
	"context"
	"slices"
	"time"

	"tesla/search"
)

// ended tells whether a limit ends the search: stop, evaluations, depth, mate or the clock, or nothing is left to find out.
func (l *Loop) ended(ctx context.Context) bool {
	if l.over(ctx) {
		return true
	}
	if l.Limits.Mate > 0 && l.hooks.Proven() {
		if best := l.hooks.Roots(); len(best) > 0 && best[0].Proven && l.mateFound(best[0].CP) {
			return true
		}
	}
	spent, counts := l.Clock()
	return counts && l.hooks.TimeUp(spent) || l.decided()
}

// over tells whether a stop, or the limit of leaf requests or depth, ends the search. A ponderhit starts the clock.
func (l *Loop) over(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-l.ponders:
		if l.Limits.Ponder { // said once
			l.Limits.Ponder, l.Clocked = false, !l.Limits.Infinite
			l.Started, l.before = time.Now(), l.Evals
			l.setEnd()
		}
	default:
	}
	return l.Spent() || l.Limits.Depth > 0 && l.hooks.Depth() >= l.Limits.Depth
}

// Clock is the time spent, and whether it counts.
func (l *Loop) Clock() (spent time.Duration, counts bool) {
	return time.Since(l.Started), l.Clocked && l.Budget.Hard > 0
}

// Rate is the evaluations a second since the clock started, so much time ago.
func (l *Loop) Rate(spent time.Duration) float64 { return float64(l.Evals-l.before) / spent.Seconds() }

// timed tells whether time or a stop ends the search: then it need not repeat.
func (l *Loop) timed() bool {
	_, counts := l.Clock()
	return counts || l.Limits.Infinite || l.Limits.Ponder
}

// decided tells whether the root is proven: nothing is left to find out, a mate shorter than one that is proven neither. With several
// principal variations the rest may still matter.
func (l *Loop) decided() bool {
	if !l.hooks.Proven() {
		return false
	}
	roots := l.hooks.Roots()
	open := slices.IndexFunc(roots, func(r Root) bool { return !r.Proven })
	return len(roots) > 0 && (open < 0 || roots[0].CP >= search.Proven && open >= max(1, l.Limits.MultiPV))
}

// mateFound tells whether the proven score of the best move is the mate that was asked for.
func (l *Loop) mateFound(cp int) bool {
	in := search.ScoreFromCP(cp).Mate
	return in > 0 && in <= l.Limits.Mate
}

// park holds an infinite or pondering search that has nothing left to do until it is stopped.
func (l *Loop) park(ctx context.Context) {
	for l.Limits.Infinite || l.Limits.Ponder {
		select {
		case <-ctx.Done():
			return
		case <-l.ponders:
			l.Limits.Ponder = false
		}
	}
}
