package alphabeta

import (
	"slices"

	"tesla/board"
)

// MaxDepth is the deepest iteration, in plies.
const MaxDepth = 64

// Line is the result of an iteration: a score and a principal variation.
type Line struct {
	Depth, SelDepth int
	Score           int
	PV              []board.Move
}

// Deepen searches p to depth 1, 2, .. most plies (iterative deepening) within a number of nodes, 0 for none, and until stop, unless nil,
// says so, and returns the last depth that it completed; its PV, the thread's own memory, is empty where there is no legal move or
// not even the first was completed.
func (t *Thread) Deepen(p *board.Position, most int, nodes int64, stop func() bool) Line {
	t.begin(p, nil)
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

// Evals is the number of values of the net that the last search computed.
func (t *Thread) Evals() int64 { return t.stack.Evals() }

// iterate searches the root to a depth, guess being its value a depth before; false when it was stopped: the line is then
// that of a move that was found better, if any was.
func (t *Thread) iterate(depth, guess int) (Line, bool) {
	t.rootLine = t.rootLine[:0]
	t.aspire(depth, guess)
	line := Line{Depth: depth, SelDepth: t.selDepth, Score: t.rootScore, PV: slices.Clone(t.rootLine)}
	return line, !t.stopped && len(line.PV) > 0
}

// aspire searches the root with a window around the value of the depth before, wider where it fails.
func (t *Thread) aspire(depth, guess int) int {
	t.rootDepth = depth
	if !t.parts.Aspiration || depth < aspirationDepth {
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
			if t.parts.FailHighReduction {
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
