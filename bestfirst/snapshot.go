package bestfirst

import (
	"cmp"
	"container/heap"
	"math"

	"tesla/search"
)

// Snapshots of a search, which are made between batches.

// Watch implements search.Watcher.
func (s *Searcher) Watch(nodes int, tell func(search.Snapshot)) {
	if tell == nil {
		s.promoter.loop.Watch(nil)
		return
	}
	s.promoter.loop.Watch(func(shot search.Snapshot) {
		shot.Tree = s.promoter.grow(nodes)
		tell(shot)
	})
}

// Snapshot implements search.Watcher.
func (s *Searcher) Snapshot(nodes int) (shot search.Snapshot, ok bool) {
	if shot, ok = s.promoter.loop.Snapshot(); ok {
		shot.Tree = s.promoter.grow(nodes)
	}
	return shot, ok
}

// grow lists the edges with the most evaluations, at most a number of them: it takes the best edge that leaves the nodes
// it has, again and again. The replies to a node of several lines follow the first edge that leads there.
func (pr *promoter) grow(most int) []search.TreeNode {
	if most == 0 {
		return nil
	}
	n, at, parent := pr.root(), pr.tree.root, int32(0)
	root := search.TreeNode{Parent: -1, N: n.n, Pending: uint32(n.pend), Q: n.q, Net: n.net(), Sigma: float32(codeSigma(n.sigma)), Valued: true,
		Proven: n.flags&nodeProven != 0}
	all := append(make([]search.TreeNode, 0, min(most, 256)), root)
	seen := map[uint32]bool{at: true}
	var open candidates
	add := func(slot int, evals uint32) { heap.Push(&open, candidate{evals, at, parent, uint8(slot)}) }
	pr.replies(at, add)
	for len(all) < most && len(open) > 0 {
		c := heap.Pop(&open).(candidate)
		n, child := pr.describeEdge(c.node, int(c.slot))
		n.Parent, n.Again = c.parent, child != none && seen[child]
		all = append(all, n)
		if child == none || n.Again {
			continue
		}
		seen[child] = true
		at, parent = child, int32(len(all)-1)
		pr.replies(at, add)
	}
	return all
}

// replies calls add for each edge of a node that has an evaluation or waits for one.
func (pr *promoter) replies(node uint32, add func(slot int, evals uint32)) {
	n := &pr.tree.Nodes.Items[node]
	for i := range n.made() {
		if e := pr.tree.edge(n, i); e.has(edgeValued | edgePending) {
			add(i, e.n)
		} else if i >= int(n.tried) && node != pr.tree.root { // the others have not been tried
			return
		}
	}
}

// describeEdge describes an edge of a node, but for Parent and Again, and tells the node that it leads to.
func (pr *promoter) describeEdge(node uint32, slot int) (search.TreeNode, uint32) {
	n := &pr.tree.Nodes.Items[node]
	e := pr.tree.edge(n, slot)
	t := search.TreeNode{Slot: uint8(slot), Move: e.move(), N: e.n, Net: float32(math.NaN()), Prior: float32(e.prior) / math.MaxUint16,
		Valued: e.has(edgeValued), Best: slot == int(n.best), Proven: e.has(edgeProven)}
	if t.Valued {
		t.Q = qOf[uint16(e.value)]
	}
	if !t.Proven && pr.model != nil {
		t.Gap = pr.model.needOf(n, e, slot)
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
		if path := pr.leaves[ref].path; path[len(path)-1].edge == e {
			return search.ForTables
		}
	}
	return search.ForNet
}

// candidate is an edge that may join a snapshot. Its parent is in it already.
type candidate struct {
	evals  uint32
	node   uint32 // that it leaves
	parent int32  // in the snapshot
	slot   uint8
}

// candidates is a heap of edges, the one with the most evaluations first; of equal ones, the one whose parent came first.
type candidates []candidate

func (t candidates) Less(i, k int) bool {
	a, b := &t[i], &t[k]
	return cmp.Or(cmp.Compare(b.evals, a.evals), cmp.Compare(a.parent, b.parent), cmp.Compare(a.slot, b.slot)) < 0
}

func (t candidates) Len() int      { return len(t) }
func (t candidates) Swap(i, k int) { t[i], t[k] = t[k], t[i] }
func (t *candidates) Push(x any)   { *t = append(*t, x.(candidate)) }

func (t *candidates) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	*t = (*t)[:last]
	return x
}
