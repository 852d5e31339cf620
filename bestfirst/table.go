package bestfirst

import (
	"math"

	"tesla/board"
	"tesla/tt128"
)

// The transposition table remembers nodes that were reclaimed. With Tuning.Table all nodes that grow are stored there, so
// that searchers of leaves which share it know of them, and the bounds that those found correct the values of new
// nodes.

const (
	// tableEvals is how many evaluations a node needs to be stored while it is in memory.
	tableEvals = 8
	// pliesWorth is the doublings of evaluations that a ply of alpha-beta is worth.
	pliesWorth = 0.5
)

// remembers reports whether the table may know a position. In a tree that never was full it does not.
func (pr *promoter) remembers() bool { return pr.table != nil && !pr.table.Empty() }

// remembered mixes a net's q with what the table knows of the position, by precision: estimates and, with Tuning.Table,
// alpha-beta's bounds, where they rule the net's q out.
func (pr *promoter) remembered(key uint64, q float32) float32 {
	if !pr.remembers() {
		return q
	}
	e, ok := pr.table.Probe(key, 0)
	if !ok {
		return q
	}
	known, w := qOfCP(e.Midpoint()), 0.0
	switch bound := e.Bound(); {
	case e.Kind() == tt128.Estimate: // its error falls with the square root of the evaluations, as storeNode has it
		w = tt128.Evaluations(e.Effort())
	case pr.opts.Table && !(bound == tt128.BoundLower && known < q || bound == tt128.BoundUpper && known > q):
		w = math.Exp2(pliesWorth * float64(e.Draft()))
	default:
		return q
	}
	return unproven((q + float32(w)*known) / (1 + float32(w)))
}

// storeNode writes a node's value to the table: an estimate, or an exact score where it is proven. A proven draw is not
// stored: it may depend on the path.
func storeNode(table *tt128.Table, t *tree, n *node) {
	move := board.NullMove
	if n.best != noSlot {
		e := t.edge(n, int(n.best))
		if e.has(edgeProven) && !isDecided(e.value) {
			return
		}
		move = e.move()
	}
	cp := cpOf(n.value)
	if n.flags&nodeProven != 0 {
		table.Store(n.key, 0, tt128.NewDraft(cp, cp, tt128.MaxDraft, move, false))
		return
	}
	sigma := codeSigma(n.sigma) / math.Sqrt(float64(n.n))
	width := cpOf(valueOf(qOf[uint16(n.value)]+float32(sigma))) - cp
	table.Store(n.key, 0, tt128.NewEstimate(cp, width, tt128.EffortOf(int64(n.n)), move, false))
}
