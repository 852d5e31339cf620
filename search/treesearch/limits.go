package treesearch

import (
	"context"
	"math"
	"slices"

	"tesla/board"
	"tesla/search"
)

// PonderHit starts the clock of a search that was begun with Limits.Ponder. It may be called from any goroutine, at any
// time.
func (l *Loop) PonderHit() {
	select {
	case l.ponders <- struct{}{}:
	default: // one is noted already
	}
}

// ended tells why a limit ends the search: stop, evaluations, depth, mate or the clock, or nothing is left to find out. It
// is search.EndUnknown where none does.
func (l *Loop) ended(ctx context.Context) search.End {
	if end := l.over(ctx); end != search.EndUnknown {
		return end
	}
	if l.mateFound() {
		return search.EndMate
	}
	if end := l.timeUp(); end != search.EndUnknown {
		return end
	}
	if end := l.sure(); end != search.EndUnknown {
		return end
	}
	if l.decided() {
		return search.EndProven
	}
	return search.EndUnknown
}

// over reports whether a stop, or the limit of evaluations or depth, ends the search. A ponderhit starts the clock.
func (l *Loop) over(ctx context.Context) search.End {
	select {
	case <-ctx.Done():
		return search.EndStopped
	case <-l.ponders:
		if l.limits.Ponder { // only the first ponderhit counts
			l.limits.Ponder, l.clocked = false, !l.limits.Infinite
			l.started, l.before, l.ahead = l.opts.Now(), l.evals, l.searched
			l.setEnd()
		}
	default:
	}
	if l.Spent() {
		return search.EndEvals
	}
	if l.limits.Depth > 0 && l.tree.State().Depth >= l.limits.Depth {
		return search.EndDepth
	}
	return search.EndUnknown
}

// counts reports whether a clock counts.
func (l *Loop) counts() bool { return l.clocked && l.budget.Hard > 0 }

// clock is the time that the search has and has spent.
func (l *Loop) clock() Clock {
	return Clock{Budget: l.budget, Spent: l.opts.Now().Sub(l.started), Evals: l.evals, Counted: l.evals - l.before}
}

// timeUp reports whether and why the clock ends the search.
func (l *Loop) timeUp() search.End {
	if !l.counts() {
		return search.EndUnknown
	}
	switch c := l.clock(); {
	case c.Spent >= c.Hard:
		return search.EndTime
	case c.Soft >= c.Hard: // a fixed time is to be used
		return search.EndUnknown
	default:
		return l.tree.TimeUp(c)
	}
}

// timed reports whether time or a stop ends the search: then it need not repeat.
func (l *Loop) timed() bool { return l.counts() || l.limits.Infinite || l.limits.Ponder }

// setEnd sets the time when the clock has leaves given up.
func (l *Loop) setEnd() {
	if l.counts() {
		end := l.started.Add(l.budget.Hard)
		l.end.Store(&end)
	}
}

// hurried tells deepeners, on other goroutines, to end: a leaf may take longer than the clock has.
func (l *Loop) hurried() bool {
	select {
	case <-l.stop:
		return true
	default:
	}
	end := l.end.Load()
	return end != nil && l.opts.Now().After(*end)
}

// decided reports whether nothing is left to find out: all root moves are proven, or the best one is a proven mate and so
// many moves are proven that all PVs are. A shorter mate than one that is proven is not looked for.
func (l *Loop) decided() bool {
	if !l.tree.State().Proven {
		return false
	}
	roots := l.tree.RootMoves(0)
	open := slices.IndexFunc(roots, func(r RootMove) bool { return !r.Proven })
	return len(roots) > 0 && (open < 0 || roots[0].CP >= search.Decided && open >= l.MultiPV())
}

// mateFound reports whether the proven score of the best move is the mate that was asked for, of either side.
func (l *Loop) mateFound() bool {
	if l.limits.Mate == 0 || !l.tree.State().Proven {
		return false
	}
	best := l.tree.RootMoves(0)
	return len(best) > 0 && best[0].Proven && l.limits.MateFound(search.ScoreFromCP(best[0].CP))
}

// park holds an infinite or pondering search that has nothing left to do until it is stopped.
func (l *Loop) park(ctx context.Context) {
	for l.limits.Infinite || l.limits.Ponder {
		select {
		case <-ctx.Done():
			return
		case <-l.ponders:
			l.limits.Ponder = false
		}
	}
}

// left is how many evaluations the limits leave. Of nodes, each is taken to cost what those that are back did.
func (l *Loop) left() int64 {
	left := int64(math.MaxInt64)
	if n := l.limits.Evals; n > 0 {
		left = n - l.evals
	}
	if n := l.limits.Nodes; n > 0 {
		deepened := float64(l.searched) / float64(max(1, l.evals-int64(l.pending))) // nodes below a leaf
		nodes := float64(n-l.evals-l.searched) - deepened*float64(l.pending)
		left = min(left, int64(math.Ceil(nodes/(1+deepened))))
	}
	return left
}

// Spent reports whether the limit of evaluations or of nodes is reached. Nodes are evaluations and those of deepened leaves.
func (l *Loop) Spent() bool {
	evals, nodes := l.limits.Evals, l.limits.Nodes
	return evals > 0 && l.evals >= evals || nodes > 0 && l.evals+l.searched >= nodes
}

// MultiPV is how many PVs are wanted, at least 1.
func (l *Loop) MultiPV() int { return max(1, l.limits.MultiPV) }

// Restricted reports whether searchmoves limits the root moves.
func (l *Loop) Restricted() bool { return len(l.limits.SearchMoves) > 0 }

// Allowed reports whether searchmoves admits a root move.
func (l *Loop) Allowed(m board.Move) bool {
	return !l.Restricted() || slices.Contains(l.limits.SearchMoves, m)
}

// Rank is the rank that endgame tables give a root move, 0 where they do not know the root.
func (l *Loop) Rank(m board.Move) int { return l.limits.Ranks[m] }
