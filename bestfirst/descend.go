package bestfirst

import "tesla/search/treesearch"

// Stage 2, descend: from the root along chosen edges, until a position needs to be looked at.

// A burst is a number of descents through a node, before its parent chooses again: one, and a part 2^-burstShift of the
// node's evaluations. Neighbouring descents find what they read in the processor's caches, and what lies above them need not be
// chosen and recomputed for each.
const burstShift = 5

// step is one edge of a descent, and the node that it leaves.
type step struct {
	node  uint32
	asked float32 // of the node that it leads to, see Sample; for traces alone
	edge  *edge
}

// outcome is how a descent ended.
type outcome uint8

const (
	onward      outcome = iota // it has not ended
	blocked                    // nothing that could be promoted here is not pending already
	newPosition                // at an edge without a node
	sameLeaf                   // at a leaf that is deepened in place
	bareNode                   // at a node without edges
	provenEdge                 // at an edge whose node another line has proven
)

// descend follows chosen edges from the root until something is reached. The evaluation is then counted as pending at
// every node and edge of the path. Where it is blocked nothing is pending, and the path counts as a detour. Afterwards
// pr.line holds the positions of the path, the last one reached.
func (pr *promoter) descend() (end outcome) {
	for at := pr.resume(); end == onward; {
		if e := pr.follow(at); e != nil {
			if end, at = pr.arrive(e), e.child; end == onward {
				pr.beginBurst(at)
			}
		} else {
			end = blocked
		}
	}
	pr.descents++
	if end == blocked {
		pr.detour()
		clear(pr.bursts[:]) // the next one begins at the root
	} else {
		pr.spend()
	}
	return end
}

// beginDescents begins those of a batch, at the root.
func (pr *promoter) beginDescents() {
	pr.path, pr.descents = pr.path[:0], 0
	pr.policy.rankRoot()
}

// resume goes up the path of the last descent to a node whose burst has not ended, and returns that node; the root where
// there is none, or it is proven by now.
func (pr *promoter) resume() uint32 {
	ply := len(pr.path) - 1
	for ply > 0 && pr.bursts[ply] <= pr.descents {
		ply--
	}
	if ply > 0 {
		pr.backUpTo(ply)
		if at := pr.path[ply].node; pr.tree.Nodes.Items[at].flags&nodeProven == 0 && pr.furnish(at, &pr.line[ply], false) {
			pr.path = pr.path[:ply]
			return at
		}
	}
	pr.backUpTo(0)
	pr.path = pr.path[:0]
	return pr.tree.root
}

// follow chooses an edge of a node, makes its move and adds it to the path; nil where nothing can be promoted. It skips
// nodes that have reached their pending limit: each of those evaluations was chosen without knowing the others.
func (pr *promoter) follow(at uint32) *edge {
	t, ply := pr.tree, len(pr.path)
	n := &t.Nodes.Items[at]
	for {
		slot := pr.policy.choose(n, ply)
		if slot < 0 {
			return nil
		}
		e := t.edge(n, slot)
		t.Prefetch(e.child)
		pr.line[ply].Make(e.move(), &pr.line[ply+1]) // while the node is fetched
		if e.child == none {
			n.tried = max(n.tried, uint8(slot+1))
		} else if child := &t.Nodes.Items[e.child]; pr.full(child) {
			pr.skip(e)
			continue
		} else {
			t.PrefetchEdges(child.chunk)
		}
		pr.path = append(pr.path, step{node: at, edge: e})
		if pr.tracer != nil {
			pr.path[ply].asked = pr.tracer.asked(n, e, slot)
		}
		return e
	}
}

// beginBurst begins the burst of the node that the path leads to.
func (pr *promoter) beginBurst(at uint32) {
	ply := len(pr.path)
	end := pr.descents + 1 + int(pr.tree.Nodes.Items[at].n>>burstShift)
	if ply > 1 {
		end = min(end, pr.bursts[ply-1])
	}
	pr.bursts[ply] = end
}

// full reports whether a node has reached its pending limit.
func (pr *promoter) full(n *node) bool {
	return float64(n.pend) > pr.opts.Pending*float64(n.n-uint32(n.pend))
}

// skip keeps descents from an edge until a batch returns.
func (pr *promoter) skip(e *edge) {
	e.bits |= edgePending
	pr.skipped = append(pr.skipped, e)
}

// arrive tells what is at the end of the path's last edge.
func (pr *promoter) arrive(e *edge) outcome {
	ply := len(pr.path)
	if e.child == none {
		if e.has(edgeProven) {
			return provenEdge
		}
		pr.tree.index.Prefetch(pr.line[ply].Key, pr.plies+uint16(ply))
		return newPosition
	}
	n := &pr.tree.Nodes.Items[e.child]
	if n.parents != none {
		e.learn(n)
	}
	if e.has(edgeProven) {
		return provenEdge
	}
	switch end := pr.arriveAt(n, ply); {
	case n.flags&nodeAsked != 0: // for another parent, perhaps with another halfmove clock, by which tables cover it or not
		return blocked
	case end == onward && !pr.furnish(e.child, &pr.line[ply], false), end == bareNode && !pr.room(n, treesearch.ChunkSize):
		pr.tree.evict(e.child, pr.table) // its position is evaluated again
		return newPosition
	case end == onward:
		return onward
	default:
		n.flags |= nodeAsked
		n.n++
		n.pend++
		return end
	}
}

// arriveAt tells what a node is to a descent that reached it after some plies.
func (pr *promoter) arriveAt(n *node, ply int) outcome {
	switch {
	case pr.inPlace(n):
		return sameLeaf
	case n.moves == 0 && ply < maxPly && pr.tracer == nil && pr.loop.Opens() && !pr.loop.Covers(&pr.line[ply]):
		return bareNode
	}
	return onward
}

// inPlace reports whether a node is a leaf that is deepened before it gets children.
func (pr *promoter) inPlace(n *node) bool {
	return len(pr.opts.Leaves) > 0 && n.tried == 0 && int(n.plies) < pr.opts.Deepen && n.flags&nodeProven == 0
}

// spend counts a pending evaluation along the path.
func (pr *promoter) spend() {
	for _, st := range pr.path {
		n := &pr.tree.Nodes.Items[st.node]
		n.n++
		n.pend++
		st.edge.n++
	}
	pr.path[len(pr.path)-1].edge.bits |= edgePending
}

// unspend takes back what spend counted, and what arrive did at a leaf that is a node.
func (pr *promoter) unspend(l *leaf) {
	if l.node != none {
		pr.endAsking(l.node)
		pr.tree.Nodes.Items[l.node].n--
	}
	for _, st := range l.path {
		n := &pr.tree.Nodes.Items[st.node]
		n.n--
		n.pend--
		st.edge.n--
		st.edge.bits &^= edgePending
	}
}

// detour counts a descent that was blocked at the edges and nodes that led there, so that the next descents choose
// other ones. It is part of their n, though not of the root's, until a batch returns. Only then can there be something
// to promote again.
func (pr *promoter) detour() {
	for _, st := range pr.path {
		if child := st.edge.child; child != none {
			pr.tree.Nodes.Items[child].n++
			st.edge.n++
			pr.detours = append(pr.detours, st.edge)
		}
	}
}

// unblock takes back what detour counted and what skip marked: descents that found nothing may try the same edges again.
func (pr *promoter) unblock() {
	for _, e := range pr.detours {
		e.n--
		if e.child != none {
			pr.tree.Nodes.Items[e.child].n--
		}
	}
	for _, e := range pr.skipped {
		e.bits &^= edgePending
	}
	pr.detours, pr.skipped = pr.detours[:0], pr.skipped[:0]
}
