package bestfirst

import (
	"tesla/board"
	"tesla/search/treesearch"
)

// Lines that reach a position after the same number of moves share one node, so the tree is a graph without cycles. A
// node's values are functions of its children. A parent that did not lead to a node last learns its value when a
// descent next comes by. An edge counts only the evaluations that came through it, as in Monte Carlo graph search
// (Czech, Korus and Kersting 2021): otherwise a move with few of them would weigh in its node's mean by what other
// lines spent on the position after it.
//
// What depends on the path stays on edges: a draw by repetition or fifty moves is settled before a node is looked for,
// and no further line joins a node that is a proven draw, or one near the fifty moves. Lines that joined it before take
// its draw for theirs. A node of several lines is a proven mate only where the fifty moves come too late in all of them.

// parent is an edge that leads to a shared node.
type parent struct {
	node uint32
	slot uint8
}

// attach hangs a node below an edge of another; false where there is no memory for a further parent.
func (t *tree) attach(at uint32, slot uint8, i uint32) bool {
	n := &t.Nodes.Items[i]
	if n.parent == none {
		n.parent, n.slot = at, slot
	} else {
		k := t.parents.Take()
		if k == none {
			return false
		}
		t.parents.Items[k], t.parents.Next[k] = parent{at, slot}, n.parents
		n.parents = k
	}
	t.edge(&t.Nodes.Items[at], int(slot)).child = i
	t.Nodes.Items[at].kids++
	return true
}

// detach takes a node from the edges that lead to it.
func (t *tree) detach(n *node) {
	free := func(at uint32, slot uint8) {
		p := &t.Nodes.Items[at]
		e := t.edge(p, int(slot))
		if n.flags&nodeProven == 0 { // a proof is backed up, or not told
			e.learn(n)
		}
		e.child = none
		p.kids--
	}
	if n.parent != none {
		free(n.parent, n.slot)
	}
	for k := n.parents; k != none; k = t.parents.Next[k] {
		free(t.parents.Items[k].node, t.parents.Items[k].slot)
	}
	t.parents.GiveAll(n.parents)
	n.parent, n.parents = none, none
}

// slotOf is the slot of an edge of a node.
func (t *tree) slotOf(n *node, e *edge) uint8 {
	for slot, c := 0, n.chunk; ; slot, c = slot+treesearch.ChunkSize, t.Chunks.Next[c] {
		for k := range t.Chunks.Items[c] {
			if &t.Chunks.Items[c][k] == e {
				return uint8(slot + k)
			}
		}
	}
}

// known is find, but none for a proven draw: that may depend on what was played before.
func (t *tree) known(key uint64, ply uint16) uint32 {
	i := t.index.Find(key, ply)
	if n := &t.Nodes.Items[i]; n.flags&nodeProven != 0 && !isDecided(n.value) {
		return none
	}
	return i
}

// shared is the node that a line may share which reaches a position some plies below the root; none where there is
// none.
func (pr *promoter) shared(p *board.Position, ply int) uint32 {
	if !pr.opts.Share || p.Halfmove >= treesearch.ShareHalfmove {
		return none
	}
	i := pr.tree.known(p.Key, pr.plies+uint16(ply))
	if n := &pr.tree.Nodes.Items[i]; n.flags&nodeProven != 0 && !treesearch.InTime(int(n.value), p.Halfmove) {
		return none
	}
	return i
}

// joinShared hangs the shared node of a position, at the end of a path, below the path's last edge, and backs its value
// up; false where there is no such node, or no memory.
func (pr *promoter) joinShared(path []step, p *board.Position) bool {
	i := pr.shared(p, len(path))
	if i == none {
		return false
	}
	last := path[len(path)-1]
	from, n := &pr.tree.Nodes.Items[last.node], &pr.tree.Nodes.Items[i]
	if n.parent == none { // prefetched: the position was perhaps known here before it was reclaimed
		n.n = max(n.n, last.edge.n)
	}
	if !pr.tree.attach(last.node, pr.tree.slotOf(from, last.edge), i) {
		return false
	}
	pr.evaluated(last)
	last.edge.setSigma(n.sigma)
	n.flags |= nodeTouched
	n.clock = max(n.clock, p.Halfmove)
	pr.backup(path)
	return true
}
