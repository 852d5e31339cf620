package bestfirst

import "tesla/tt128"

// When the tree is full, nodes are reclaimed by the CLOCK algorithm (Corbató, "A Paging Experiment with the Multics
// System", 1968): a hand goes round the nodes; a node that was touched, by a backup, since the hand last passed is
// spared once more, another is freed. Only nodes without children in memory and without pending evaluations can go, so
// the tree shrinks from its leaves.

// alloc makes a node with uninitialized edges, and reclaims what memory that needs. It returns none when no node can
// go.
func (t *tree) alloc(moves int, table *tt128.Table) uint32 {
	i := t.Nodes.Take()
	for i == none && t.reclaim(table) {
		i = t.Nodes.Take()
	}
	if i == none {
		return none
	}
	n := &t.Nodes.Items[i]
	*n = node{moves: uint8(moves), best: noSlot, flags: nodeUsed | nodeTouched}
	if !t.ensure(n, moves, table) {
		t.Give(i, none)
		return none
	}
	return i
}

// ensure gives a node chunks for some edges, and reclaims what memory that needs. It returns false when no node can go.
func (t *tree) ensure(n *node, edges int, table *tt128.Table) (ok bool) {
	n.pend++ // so that it stays
	for ok = t.Extend(&n.chunk, edges); !ok && t.reclaim(table); ok = t.Extend(&n.chunk, edges) {
	}
	n.pend--
	return ok
}

// reclaim frees one node; false where none can go. It takes constant amortized time: a node that the hand passes was
// touched or grew since.
func (t *tree) reclaim(table *tt128.Table) bool {
	for range 2 * int(t.Nodes.Top()) {
		if t.hand++; t.hand >= t.Nodes.Top() {
			t.hand = 1
		}
		n := &t.Nodes.Items[t.hand]
		if n.flags&nodeUsed == 0 || n.kids > 0 || n.pend > 0 || t.hand == t.root {
			continue
		}
		if n.flags&nodeTouched != 0 {
			n.flags &^= nodeTouched
			continue
		}
		t.evict(t.hand, table)
		return true
	}
	return false
}

// evict gives a node's memory back. Its value stays in its parents' edges and, once something was spent on it, in the
// transposition table.
func (t *tree) evict(i uint32, table *tt128.Table) {
	n := &t.Nodes.Items[i]
	t.index.Leave(i)
	t.moveDraws(i)
	t.detach(n)
	if table != nil && n.n > 1 {
		storeNode(table, t, n, false)
	}
	t.evicted++
	t.Give(i, n.chunk)
}
