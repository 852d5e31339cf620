package alphabeta

import (
	"slices"

	"tesla/board"
	"tesla/search"
)

// MaxDepth is the deepest iteration, in plies.
const MaxDepth = 64

// Line is the result of an iteration.
type Line struct {
	Depth, SelDepth int
	Score           int // centipawns
	Bound           search.Bound
	PV              []board.Move // the principal variation
}

// deepen searches the root that begin set to depth 1, 2, .. most plies (iterative deepening, Slate and Atkin 1977), and returns
// the last depth that it completed. It ends early after a number of nodes, unless that is 0, and when stop returns true, unless
// that is nil. The PV is the thread's own memory. It is empty where there is no legal move, or no depth was completed.
func (t *Thread) deepen(most int, nodes int64, stop func() bool) Line {
	t.limit, t.evalLimit, t.stop, t.roots = nodes, 0, stop, nil
	var last Line
	for depth := 1; depth <= min(most, MaxDepth); depth++ {
		v := t.aspire(depth, last.Score)
		if t.stopped {
			break
		}
		f := &t.frames[0]
		t.line = append(t.line[:0], f.pv[:f.length]...)
		last = Line{Depth: depth, SelDepth: t.selDepth, Score: v, PV: t.line}
	}
	return last
}

// iterate searches the root to a depth. guess is its value a depth before. It returns false when the search was
// stopped. The line is then that of a move that was found to be better than the others so far, if any.
func (t *Thread) iterate(depth, guess int) (Line, bool) {
	t.rootLine = t.rootLine[:0]
	t.aspire(depth, guess)
	line := Line{Depth: depth, SelDepth: t.selDepth, Score: t.rootScore, PV: slices.Clone(t.rootLine)}
	return line, !t.stopped && len(line.PV) > 0
}

// aspire searches the root with a window around the value of the depth before, and with a wider one where the value is
// outside (aspiration windows, Baudet 1978).
func (t *Thread) aspire(depth, guess int) int {
	t.rootDepth = depth
	if depth < aspirationDepth {
		return t.search(0, depth, -infinite, infinite, false)
	}
	window, less := aspirationWindow+t.widen, 0
	alpha, beta := max(-infinite, guess-window), min(infinite, guess+window)
	for {
		v := t.search(0, max(1, depth-less), alpha, beta, false)
		switch {
		case t.stopped:
			return 0
		case v <= alpha:
			beta = (alpha + beta) / 2
			alpha = max(-infinite, v-window)
			less = 0
		case v >= beta:
			beta = min(infinite, v+window)
			if t.selective() {
				less = min(less+1, 3)
			}
		default:
			return v
		}
		if window *= 2; window > aspirationMost {
			alpha, beta = -infinite, infinite
		}
	}
}
