package puct

import (
	"math"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

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
			return treesearch.Line(m, e.child, pr.bestOf)
		}
	}
	return nil
}

// SnapshotRoot implements treesearch.Tree.
func (pr *promoter) SnapshotRoot() (search.TreeNode, uint32) {
	n := pr.root()
	t := search.TreeNode{N: n.n + uint32(n.pend), Pending: uint32(n.pend), Q: n.q, Net: n.raw, Valued: true, Proven: n.flags&nodeProven != 0}
	if t.Proven {
		t.Q = float32(search.CPToQ(int(n.cp)))
	}
	return t, pr.tree.root
}

// Replies implements treesearch.Tree.
func (pr *promoter) Replies(node uint32, add func(slot int, evals uint32)) {
	n := &pr.tree.Nodes.Items[node]
	for i := range int(n.tried) {
		if e := pr.tree.edge(n, i); e.n+uint32(e.pend) > 0 {
			add(i, e.n+uint32(e.pend))
		}
	}
}

// SnapshotEdge implements treesearch.Tree.
func (pr *promoter) SnapshotEdge(node uint32, slot int) (search.TreeNode, uint32) {
	n := &pr.tree.Nodes.Items[node]
	e := pr.tree.edge(n, slot)
	best, _ := pr.bestOf(node)
	t := search.TreeNode{Slot: uint8(slot), Move: e.move(), N: e.n + uint32(e.pend), Pending: uint32(e.pend), Net: float32(math.NaN()), Prior: e.prior,
		Valued: e.n > 0, Best: e.move() == best, Proven: e.has(edgeProven)}
	if t.Valued {
		t.Q = e.value()
	}
	if e.child != none {
		t.Net = -pr.tree.Nodes.Items[e.child].raw
	}
	switch {
	case e.has(edgeWaits):
		t.Waiting = search.ForTables
	case e.has(edgePending) && e.child != none:
		t.Waiting = search.ForDeeper
	case e.has(edgePending):
		t.Waiting = search.ForNet
	case e.pend > 0:
		t.Waiting = search.ForBelow
	}
	return t, e.child
}

// Size implements treesearch.Tree.
func (pr *promoter) Size() int { return pr.tree.Nodes.Used() }
