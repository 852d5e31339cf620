package bestfirst

import (
	"math"
	"math/bits"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
	"tesla/tt128"
)

// backup recomputes the nodes of a path from the leaf's parent to the root. Each step's evaluation is no longer pending.
func (pr *promoter) backup(path []step) {
	for i := len(path) - 1; i >= 0; i-- {
		n, e := &pr.tree.Nodes.Items[path[i].node], path[i].edge
		if e.child != none {
			e.learn(&pr.tree.Nodes.Items[e.child])
		}
		n.pend--
		pr.refresh(n, e)
		if level := uint8(bits.Len32(n.n - uint32(n.pend))); level > n.level {
			n.level = level
			if pr.opts.Correct > 0 {
				pr.learn(path[i].node)
			}
			if pr.opts.Table && pr.table != nil && n.n >= tableEvals && n.flags&nodeProven == 0 {
				storeNode(pr.table, pr.tree, n)
			}
			if pr.opts.Trace != nil {
				pr.trace(path, i, nil)
			}
		}
	}
}

// tableEvals is how many evaluations a position needs for others to be told of it.
const tableEvals = 8

// refresh recomputes a node after a change of one of its edges, or of any where changed is nil: its q, the best of its evaluated
// edges and of the rest, and what it is worth to its parents. It is proven when an edge is a proven win, or when all edges are proven: then the
// best of them, the longest way to be mated or a draw.
func (pr *promoter) refresh(n *node, changed *edge) {
	m, t := pr.model, pr.tree
	n.flags |= nodeTouched
	top := m.nats(t.Chunks.Items[n.chunk][0].prior)
	all, same := false, pr.update(n, changed, top)
	if !same {
		all = pr.compare(n, top)
	}
	if n.best != noSlot {
		e := t.edge(n, int(n.best))
		if e.has(edgeProven) && (all || e.value >= search.Proven) {
			n.q, n.value = n.first, e.value
			n.flags |= nodeProven
			return
		}
	}
	n.flags &^= nodeProven
	rest, ok := m.restValue(n, top)
	best := n.first
	switch {
	case n.best == noSlot:
		best = n.base
	case ok && rest > best:
		best += n.rest * (rest - best) // the best move is among the untried ones with the probability of their mass
	}
	// Not every move is known to lose, so a node that is not proven is not lost for certain.
	n.q = unproven(best)
	switch done := n.n - uint32(n.pend); {
	case m.Mean == 0 || n.best == noSlot:
		n.value = valueOf(n.q)
	case !same || done&(1<<max(0, int(n.level)-rarely)-1) == 0:
		n.value = valueOf(pr.average(n, top))
	}
}

// rarely is the doublings of evaluations from which a node's mean is taken less often than they come: each would move it by a 256th at most.
const rarely = 8

// average is the mean of the node's own value and its edges', by evaluations, and less the further one lies below the best; no less than
// what a proven edge is worth.
func (pr *promoter) average(n *node, top float32) float32 {
	m, t := pr.model, pr.tree
	m.q, m.top, m.first, m.mean = n.q, top, n.first, mean{sure: -1}
	for c, from := n.chunk, 0; from < int(n.tried); c, from = t.Chunks.Next[c], from+treesearch.ChunkSize {
		m.average(n, &t.Chunks.Items[c], min(int(n.tried)-from, treesearch.ChunkSize))
	}
	if m.all == 0 { // all that was tried loses
		return n.q
	}
	here := float32(max(1, int32(n.n-m.below)))
	return unproven(max(m.sure, (m.sum+here*n.base)/(m.all+here)))
}

// update keeps first, second and best up to date where the changed edge alone tells that the best edge is the same.
func (pr *promoter) update(n *node, changed *edge, top float32) bool {
	if changed == nil || changed.has(edgeProven) || n.best == noSlot {
		return false
	}
	v := pr.model.weigh(n, changed, top)
	switch same := pr.tree.edge(n, int(n.best)) == changed; {
	case same && v >= n.second:
		n.first = v
	case !same && v <= n.first:
		n.second = max(n.second, v)
	default:
		return false
	}
	return true
}

// compare finds the best edge, its value and the next one's among the evaluated edges, and whether all are proven.
func (pr *promoter) compare(n *node, top float32) (all bool) {
	m, t := pr.model, pr.tree
	n.best, n.first, n.second = noSlot, float32(math.Inf(-1)), float32(math.Inf(-1))
	all = n.tried == n.moves
	c := n.chunk
	for i := range int(n.tried) {
		if i&(treesearch.ChunkSize-1) == 0 && i > 0 {
			c = t.Chunks.Next[c]
		}
		e := &t.Chunks.Items[c][i&(treesearch.ChunkSize-1)]
		all = all && e.has(edgeProven)
		if !e.has(edgeValued) {
			continue
		}
		if v := m.weigh(n, e, top); v > n.first {
			n.best, n.first, n.second = uint8(i), v, n.first
		} else {
			n.second = max(n.second, v)
		}
	}
	return all
}

// trace tells Options.Trace the value of the node after so many plies of a path, whose completed evaluations have doubled; of are
// the features of a new node.
func (pr *promoter) trace(path []step, ply int, of *Features) {
	var i uint32
	var p *node
	if ply > 0 {
		p = &pr.tree.Nodes.Items[path[ply-1].node]
		i = path[ply-1].edge.child
	} else {
		i = path[0].node
	}
	n := &pr.tree.Nodes.Items[i]
	sample := Sample{Node: i, N: n.n - uint32(n.pend), Q: n.q, Of: of, Proven: n.flags&nodeProven != 0}
	if p != nil {
		sample.Asked = path[ply-1].asked
		sample.Missing = float32(math.Log2(float64(p.n)/float64(n.n))) - 1
	}
	if of != nil {
		sample.Parent = p.q
		sample.Nats = pr.model.nats(path[ply-1].edge.prior) - pr.model.nats(pr.tree.Chunks.Items[p.chunk][0].prior)
	}
	pr.opts.Trace(sample)
}

// storeNode writes a node's value to the transposition table: an estimate, or a bound where it is proven. What rests on a draw is
// not told: that may depend on the path.
func storeNode(table *tt128.Table, t *tree, n *node) {
	move := board.NullMove
	if n.best != noSlot {
		e := t.edge(n, int(n.best))
		if e.has(edgeProven) && e.value < search.Proven && e.value > -search.Proven {
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
