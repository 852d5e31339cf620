package bestfirst

import (
	"math"
	"math/bits"

	"tesla/board"
	"tesla/tt128"
)

// backup recomputes the nodes of a path from the leaf's parent to the root. Each step's evaluation is no longer pending.
func (s *Searcher) backup(path []step) {
	for i := len(path) - 1; i >= 0; i-- {
		n, e := &s.tree.nodes[path[i].node], path[i].edge
		if e.child != none {
			c := &s.tree.nodes[e.child]
			flags := uint32(0)
			if c.flags&nodeProven != 0 {
				flags = edgeProven
			}
			e.settle(towards(int(c.value)), flags)
		}
		n.pend--
		s.refresh(n)
		if s.opts.Trace != nil {
			s.trace(path[i].node, path[i].asked, nil)
		}
	}
}

// towards is a child's value as its parent's edge sees it: negated, a proven mate one ply farther.
func towards(cp int) int {
	switch cp = -cp; {
	case cp >= proven:
		cp--
	case cp <= -proven:
		cp++
	}
	return cp
}

// refresh recomputes a node's value: the best of its evaluated edges and of the rest. It is proven when an edge is a
// proven win, or when all edges are proven: then the best of them, the longest way to be mated or a draw.
func (s *Searcher) refresh(n *node) {
	m, t := s.model, s.tree
	n.flags |= nodeTouched
	top := m.nats(t.chunks[n.chunk][0].prior)
	best, slot, all := float32(math.Inf(-1)), noSlot, n.tried == n.moves
	c := n.chunk
	for i := range int(n.tried) {
		if i&(chunkSize-1) == 0 && i > 0 {
			c = t.next[c]
		}
		e := &t.chunks[c][i&(chunkSize-1)]
		if !e.has(edgeValued) {
			all = false
			continue
		}
		if !e.has(edgeProven) {
			all = false
		}
		if v := m.value(n, e, top); v > best {
			best, slot = v, i
		}
	}
	if slot != noSlot {
		e := t.edge(n, slot)
		if e.has(edgeProven) && (all || e.cp >= proven) {
			n.best, n.q, n.value = uint8(slot), best, e.cp
			n.flags |= nodeProven
			return
		}
	}
	n.flags &^= nodeProven
	rest, ok := m.restValue(n, top)
	switch {
	case slot == noSlot:
		best = n.base
	case ok && rest > best:
		best += n.rest * (rest - best) // the best move is among the untried ones with the probability of their mass
	}
	// Not every move is known to lose, so a node that is not proven is not lost for certain.
	n.q = max(-0.999, min(0.999, best))
	n.best, n.value = uint8(slot), cpOf(n.q)
}

// trace tells Options.Trace the value of a node when the evaluations completed below it reach a power of two; l is the
// leaf that a new node was.
func (s *Searcher) trace(i uint32, asked float32, l *leaf) {
	n := &s.tree.nodes[i]
	done := n.n - n.pend
	level := uint8(bits.Len32(done))
	if level <= n.traced {
		return
	}
	n.traced = level
	sample := Sample{Node: uint64(s.serial)<<32 | uint64(i), N: done, Q: n.q, Asked: asked,
		Sigma: float32(codeSigma(n.sigma)), Proven: n.flags&nodeProven != 0}
	if l != nil {
		from := l.path[len(l.path)-1]
		p := &s.tree.nodes[from.node]
		sample.Parent = p.base
		sample.Nats = s.model.nats(from.edge.prior) - s.model.nats(s.tree.chunks[p.chunk][0].prior)
	}
	s.opts.Trace(sample)
}

// storeNode writes a node's value to the transposition table: an estimate, or a bound where it is proven.
func storeNode(table *tt128.Table, t *tree, n *node) {
	move := board.NullMove
	if n.best != noSlot {
		move = t.edge(n, int(n.best)).move()
	}
	if n.flags&nodeProven != 0 {
		if v := int(n.value); v >= proven || v <= -proven { // draws may depend on the path
			table.Store(n.key, 0, tt128.NewDraft(v, v, tt128.MaxDraft, move, false))
		}
		return
	}
	cp := int(n.value)
	sigma := codeSigma(n.sigma) / math.Sqrt(float64(n.n))
	width := int(cpOf(min(1, n.q+float32(sigma)))) - cp
	table.Store(n.key, 0, tt128.NewEstimate(cp, width, tt128.EffortOf(int64(n.n)), move, false))
}
