package bestfirst

import (
	"math"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// What the loop asks of the tree for a snapshot of the search, between batches.

// Watch implements search.Watcher.
func (s *Searcher) Watch(nodes int, tell func(search.Snapshot)) { s.promoter.loop.Watch(nodes, tell) }

// Snapshot implements search.Watcher.
func (s *Searcher) Snapshot(nodes int) (search.Snapshot, bool) {
	return s.promoter.loop.Snapshot(nodes)
}

// PV implements treesearch.Tree.
func (pr *promoter) PV(m board.Move) []board.Move {
	n := pr.root()
	for i := range int(n.moves) {
		if e := pr.tree.edge(n, i); e.move() == m {
			return treesearch.Line(m, e.child, pr.tree.bestOf)
		}
	}
	return nil
}

// SnapshotRoot implements treesearch.Tree.
func (pr *promoter) SnapshotRoot() (search.TreeNode, uint32) {
	n := pr.root()
	return search.TreeNode{N: n.n, Pending: uint32(n.pend), Q: n.q, Net: n.net(), Sigma: float32(codeSigma(n.sigma)), Valued: true,
		Proven: n.flags&nodeProven != 0}, pr.tree.root
}

// Replies implements treesearch.Tree.
func (pr *promoter) Replies(node uint32, add func(slot int, evals uint32)) {
	n := &pr.tree.Nodes.Items[node]
	c := n.chunk
	for i := range n.made() {
		if i&(treesearch.ChunkSize-1) == 0 && i > 0 {
			c = pr.tree.Chunks.Next[c]
		}
		if e := &pr.tree.Chunks.Items[c][i&(treesearch.ChunkSize-1)]; e.has(edgeValued | edgePending) {
			add(i, e.n)
		} else if i >= int(n.tried) && node != pr.tree.root { // the others have not been tried
			return
		}
	}
}

// SnapshotEdge implements treesearch.Tree.
func (pr *promoter) SnapshotEdge(node uint32, slot int) (search.TreeNode, uint32) {
	n := &pr.tree.Nodes.Items[node]
	e := pr.tree.edge(n, slot)
	t := search.TreeNode{Slot: uint8(slot), Move: e.move(), N: e.n, Net: float32(math.NaN()), Prior: float32(e.prior) / math.MaxUint16,
		Valued: e.has(edgeValued), Best: slot == int(n.best), Proven: e.has(edgeProven)}
	if t.Valued {
		t.Q = qOf[uint16(e.value)]
	}
	if !t.Proven {
		t.Gap = pr.policy.needOf(n, e, slot)
	}
	if e.child == none {
		t.Waiting = pr.waitingFor(e)
		return t, none
	}
	child := &pr.tree.Nodes.Items[e.child]
	t.Net, t.Sigma, t.Pending = -child.net(), float32(codeSigma(child.sigma)), uint32(child.pend)
	switch {
	case child.flags&nodeAsked != 0 && len(pr.opts.Leaves) > 0:
		t.Waiting = search.ForDeeper
	case child.pend > 0:
		t.Waiting = search.ForBelow
	}
	return t, e.child
}

// needOf is by how much the value of an edge must rise, or fall where negative, to change which move is best; 0 where
// there is no other move with a value.
func (rk *ranking) needOf(n *node, e *edge, slot int) float32 {
	if n != rk.root() {
		rk.frame.ask(n, rk.tables.natsOf(rk.tree.Chunks.Items[n.chunk][0].prior))
	} else if !rk.loop.Allowed(e.move()) {
		return 0
	}
	need := -rk.asked(n, e, slot) // a child that falls is worth more to the side that moves there
	if math.IsInf(float64(need), 0) {
		return 0
	}
	return need
}

// waitingFor is what an edge without a node waits for.
func (pr *promoter) waitingFor(e *edge) search.Waiting {
	if !e.has(edgePending) {
		return search.ForNothing
	}
	for ref := range pr.loop.Waiting() {
		if path := pr.leaves.At(ref).path; path[len(path)-1].edge == e {
			return search.ForTables
		}
	}
	return search.ForNet
}

// Size implements treesearch.Tree.
func (pr *promoter) Size() int { return pr.tree.Nodes.Used() }
