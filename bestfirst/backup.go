package bestfirst

import (
	"math"
	"math/bits"

	"tesla/search/treesearch"
)

// Stage 5, back up: the nodes of a path are recomputed, from the leaf's parent to the root.
//
// To the best-first search a node has two values. q, by which its edges are ranked, is that of its best move, of which the rest, the
// moves without an evaluation, may be one. value, which its parents see, is a mean of the net's value and the moves' by their
// evaluations, unless Tuning.Width is 0. A node is proven when a move is a proven win, or when all moves are proven.

// rareLevel is the doublings of evaluations from which on a node's mean is taken less often than they come: each would
// move it by a 256th at most.
const rareLevel = 8

// climb is a path whose nodes are to be recomputed. Leaves that follow each other have most of their paths in common, so
// a node is recomputed when a leaf comes whose path does not lead through it along the same edge.
type climb struct {
	path  []step
	evals [maxPly + 2]uint16 // the number of them that the node of each step has not counted as completed yet
}

// backup has the nodes of a path recomputed, now or by backUpTo. Its evaluation is pending until then.
func (pr *promoter) backup(path []step) {
	c, common := &pr.climb, 0
	for common < len(c.path) && common < len(path) && c.path[common].edge == path[common].edge {
		c.evals[common]++
		common++
	}
	pr.backUpTo(common)
	c.path = append(c.path, path[common:]...)
	for i := common; i < len(path); i++ {
		c.evals[i] = 1
	}
}

// backUpTo recomputes the nodes that backup has left, from the last one up to those some plies below the root.
func (pr *promoter) backUpTo(ply int) {
	c := &pr.climb
	for i := len(c.path) - 1; i >= ply; i-- {
		n, e := &pr.tree.Nodes.Items[c.path[i].node], c.path[i].edge
		if e.child != none {
			e.learn(&pr.tree.Nodes.Items[e.child])
		}
		n.pend -= c.evals[i]
		before := n.value
		pr.policy.refresh(n, e)
		if n.parents != none && n.value != before && n.flags&nodeProven != 0 && isDecided(n.value) {
			pr.tell(c.path[i].node)
		}
		if level := uint8(bits.Len32(n.n - uint32(n.pend))); level > n.level {
			n.level = level
			pr.doubled(c.path, i, n)
		}
	}
	c.path = c.path[:min(ply, len(c.path))]
}

// doubled is called for the node that an edge of a path leaves, when its completed evaluations have doubled.
func (pr *promoter) doubled(path []step, ply int, n *node) {
	if pr.opts.Correct > 0 {
		pr.learn(path[ply].node)
	}
	if pr.tracer != nil {
		pr.tracer.trace(path, ply, nil)
	}
}

// refresh recomputes a node after a change of one of its edges, or of any where changed is nil.
func (rk *ranking) refresh(n *node, changed *edge) {
	tb, t := rk.tables, rk.tree
	n.flags |= nodeTouched
	top := tb.natsOf(t.Chunks.Items[n.chunk][0].prior)
	all, same := false, rk.update(n, changed, top)
	if !same {
		all = rk.compare(n, top)
	}
	if n.best != noSlot {
		e := t.edge(n, int(n.best))
		if e.has(edgeProven) && (all || isWin(e.value)) && (n.parents == none || treesearch.InTime(int(e.value), n.clock)) {
			// of proven losses the longest is the best
			n.q, n.value = n.first, e.value
			n.flags |= nodeProven
			return
		}
	}
	n.flags &^= nodeProven
	rest, ok := tb.restValue(n, top)
	best := n.first
	switch {
	case n.best == noSlot:
		best = n.base
	case ok && rest > best:
		best += n.rest * (rest - best) // the best move is one of the rest with the probability of their mass
	}
	n.q = unproven(best) // not every move is a proven loss, so the node is not lost for certain
	switch done := n.n - uint32(n.pend); {
	case tb.perWidth == 0 || n.best == noSlot:
		n.value = valueOf(n.q)
	case !same || done&(1<<max(0, int(n.level)-rareLevel)-1) == 0:
		n.value = valueOf(rk.average(n, top))
	}
}

// update keeps first, second and best up to date where the changed edge alone tells that the best edge is the same;
// else it returns false.
func (rk *ranking) update(n *node, changed *edge, top float32) bool {
	if changed == nil || changed.has(edgeProven) || n.best == noSlot {
		return false
	}
	v := rk.tables.valueOf(n, changed, top)
	switch same := rk.tree.edge(n, int(n.best)) == changed; {
	case same && v >= n.second:
		n.first = v
	case !same && v <= n.first:
		n.second = max(n.second, v)
	default:
		return false
	}
	return true
}

// compare finds the best edge, its value and the next one's among the edges with an evaluation, and whether all edges
// are proven.
func (rk *ranking) compare(n *node, top float32) (all bool) {
	tb, t := rk.tables, rk.tree
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
		if v := tb.valueOf(n, e, top); v > n.first {
			n.best, n.first, n.second = uint8(i), v, n.first
		} else {
			n.second = max(n.second, v)
		}
	}
	return all
}

// average is the mean of the node's own value and its edges', by evaluations, and less the further one lies below the
// best. It is no less than the best proven value.
func (rk *ranking) average(n *node, top float32) float32 {
	f, t := &rk.frame, rk.tree
	f.sum(n, top)
	var p pair
	for c, from := n.chunk, 0; from < int(n.tried); from += lanes {
		count := min(int(n.tried)-from, lanes)
		p, c = t.pairAt(c, count)
		f.average(n, p, count)
	}
	if f.weights == 0 { // all that was tried loses
		return n.q
	}
	here := float32(max(1, int32(n.n-f.evals)))
	return unproven(max(f.proven, (f.weighted+here*n.base)/(f.weights+here)))
}
