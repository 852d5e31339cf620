package bestfirst

import (
	"math"

	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

// The transposition table remembers nodes that were reclaimed and, when the searcher is closed, all that grew: the next
// searcher on the table goes on from there. In turn the entries of an alpha-beta searcher before this one correct the values
// of new nodes, and give their moves priors (search/treesearch/policy.go). Deepened leaves look for them on their own.

const (
	// publishEvals is how many evaluations a node needs to be stored when the searcher is closed.
	publishEvals = 8
	// An alpha-beta search of evenPlies has the error of a net's value, and its precision doubles every doublingPlies
	// (docs/log/leaves.md#0116).
	evenPlies, doublingPlies = 4, 2.9
)

// remembers reports whether the table may know a position. In a tree that never was full it does not.
func (pr *promoter) remembers() bool { return pr.table != nil && !pr.table.Empty() }

// remembered mixes a net's q with what the table knows of the position, by precision: estimates and, with plain
// leaves, the bounds of an alpha-beta searcher before this one, where they rule the net's q out.
func (pr *promoter) remembered(key uint64, q float32) float32 {
	if !pr.remembers() {
		return q
	}
	e, ok := pr.table.Probe(key, 0)
	if !ok {
		return q
	}
	known, w := qOfCP(e.Midpoint()), 0.0
	switch {
	case e.Kind() == tt128.Estimate: // its error falls with the square root of the evaluations, as storeNode has it
		w = tt128.Evaluations(e.Effort())
	case pr.table.Handed() && len(pr.opts.Leaves) == 0 && rulesOut(e, known, q):
		w = draftWorth(e)
	default:
		return q
	}
	return unproven((q + float32(w)*known) / (1 + float32(w)))
}

// rulesOut reports whether the bounds of an entry, of which known is the middle or the only one, rule a q out.
func rulesOut(e tt128.Entry, known, q float32) bool {
	switch e.Bound() {
	case tt128.BoundNone:
		return false
	case tt128.BoundLower:
		return known > q
	case tt128.BoundUpper:
		return known < q
	}
	return !search.IsDecided(e.Midpoint())
}

// draftWorth is the precision of an alpha-beta search, in evaluations of the net.
func draftWorth(e tt128.Entry) float64 {
	return math.Exp2(float64(e.Draft()-evenPlies) / doublingPlies)
}

// storeNode writes a node's value to the table: an estimate, or an exact score where it is proven. A proven draw is not
// stored: it may depend on the path; nor is an estimate in place of a draft that is worth more,
// whose move becomes that of the principal variation where pv is true.
func storeNode(table *tt128.Table, t *tree, n *node, pv bool) {
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
		table.Store(n.key, 0, tt128.NewDraft(cp, cp, tt128.MaxDraft, move, pv))
		return
	}
	if e, ok := table.Probe(n.key, 0); ok && e.Kind() == tt128.Draft && draftWorth(e) >= float64(n.n) {
		if pv {
			table.Store(n.key, 0, tt128.NewDraft(e.Lower(), e.Upper(), e.Draft(), move, true))
		}
		return
	}
	sigma := codeSigma(n.sigma) / math.Sqrt(float64(n.n))
	width := cpOf(valueOf(qOf[uint16(n.value)]+float32(sigma))) - cp
	table.Store(n.key, 0, tt128.NewEstimate(cp, width, tt128.EffortOf(int64(n.n)), move, pv))
}

// publish stores the nodes that grew, those of the principal variation marked as such.
func (pr *promoter) publish() {
	if pr.table == nil {
		return
	}
	t := pr.tree
	for i := range t.Nodes.Top() {
		if n := &t.Nodes.Items[i]; n.flags&nodeUsed != 0 && n.n >= publishEvals {
			storeNode(pr.table, t, n, false)
		}
	}
	for at := t.root; at != none && t.Nodes.Items[at].n >= publishEvals; _, at = t.bestOf(at) {
		storeNode(pr.table, t, &t.Nodes.Items[at], true)
	}
}
