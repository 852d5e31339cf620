package bestfirst

import (
	"slices"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/treesearch"
)

// Stage 4, absorb: an evaluated leaf becomes part of the tree.

// Abandon implements treesearch.Tree.
func (pr *promoter) Abandon(refs ...uint32) {
	pr.unblock()
	for _, ref := range refs {
		if l := &pr.leaves[ref]; l.kind != prefetchedLeaf {
			pr.unspend(l)
		}
	}
}

// Expand implements treesearch.Tree.
func (pr *promoter) Expand(items []batcher.Item) {
	pr.unblock()
	for i := range items {
		pr.expand(&items[i])
	}
	pr.backUpTo(0)
}

// expand takes one evaluated leaf into the tree.
func (pr *promoter) expand(it *batcher.Item) {
	l := &pr.leaves[it.Ref]
	if l.kind == openedLeaf && !pr.open(it, l) {
		pr.unspend(l)
		pr.loop.Missed()
		return
	}
	q := pr.correctedValue(it, l)
	switch l.kind {
	case rootLeaf:
		pr.expandRoot(it, l, q)
	case deepenedLeaf:
		pr.expandDeepened(it, l, q)
	case prefetchedLeaf:
		pr.expandPrefetched(it, l, q)
	default:
		pr.expandNew(it, l, q)
	}
}

// correctedValue is the q of an evaluated leaf, corrected.
func (pr *promoter) correctedValue(it *batcher.Item, l *leaf) float32 {
	q := qOfCP(l.Value(it))
	l.raw = valueOf(q)
	if pr.opts.Correct == 0 {
		return q
	}
	l.index = pr.correctionIndex(it, l)
	return pr.corrected(q, &l.index)
}

// expandNew makes a node below the last edge of a leaf's path and backs its value up. Without memory for a node the
// value alone is kept.
func (pr *promoter) expandNew(it *batcher.Item, l *leaf, q float32) {
	if pr.joinShared(l.path, &it.Position) {
		return // another line was faster
	}
	ply := len(l.path)
	last := l.path[ply-1]
	pr.evaluated(last)
	last.edge.setSigma(sigmaCode(it.Eval.Sigma))
	if last.edge.has(edgeValued) { // its node was reclaimed: what the search knew is better than the net
		q = -qOf[uint16(last.edge.value)]
	} else {
		q = pr.remembered(it.Position.Key, q)
	}
	if i := pr.newNode(it, l, q); i == none {
		last.edge.settle(-int(valueOf(q)), 0)
	} else {
		pr.enter(i, ply)
		pr.link(last, i)
		if pr.tracer != nil {
			pr.tracer.trace(l.path, ply, &it.Eval)
		}
	}
	pr.backup(l.path)
}

// open gives a node its edges, and makes the first of them part of the leaf's path. It returns false where the position
// after that edge needs another look before its value counts: the next descent brings it.
func (pr *promoter) open(it *batcher.Item, l *leaf) bool {
	n := &pr.tree.Nodes.Items[l.node]
	pr.fill(n, 0, l.Moves, &l.Order)
	p := &it.Position
	if l.Over || p.InsufficientMaterial() || pr.loop.Covers(p) || p.Halfmove >= 4 && (p.Halfmove >= 100 || pr.repeats(l.path, p.Key)) {
		return false
	}
	n.flags &^= nodeAsked
	n.tried = 1
	l.path[len(l.path)-1].edge.bits &^= edgePending
	first := pr.tree.edge(n, 0)
	first.n++
	l.path = append(l.path, step{node: l.node, edge: first})
	return true
}

// repeats reports whether a position came before, in the game or along a path. Such a position is not judged here: Leaf.Reach does
// that when a descent comes to it.
func (pr *promoter) repeats(path []step, key uint64) bool {
	for _, st := range path {
		if pr.tree.Nodes.Items[st.node].key == key {
			return true
		}
	}
	return slices.Contains(pr.loop.Game().Keys(), key)
}

// expandRoot makes the root of a new tree. A move that mates is proven at once; below the root Leaf.Reach settles such positions.
func (pr *promoter) expandRoot(it *batcher.Item, l *leaf, q float32) {
	i := pr.newNode(it, l, q)
	if i == none {
		return
	}
	pr.tree.root = i
	pr.enter(i, 0)
	if !pr.furnish(i, &it.Position, true) {
		pr.tree.root = none
		return
	}
	n := pr.root()
	n.n = 1
	for k := range int(n.moves) {
		if e := pr.tree.edge(n, k); e.move() == l.mate {
			pr.evaluated(step{node: i, edge: e})
			e.settle(search.MateScore-1, edgeProven)
			n.tried = uint8(k + 1)
		}
	}
	pr.policy.refresh(n, nil)
}

// expandDeepened gives a leaf that was deepened in place its new value.
func (pr *promoter) expandDeepened(it *batcher.Item, l *leaf, q float32) {
	pr.endAsking(l.node)
	n := &pr.tree.Nodes.Items[l.node]
	n.plies, n.flags = uint8(l.Further), n.flags|nodeTouched
	n.base, n.q, n.value, n.raw = q, q, valueOf(q), l.raw
	if pr.tree.ensure(n, len(it.Moves), pr.table) {
		n.flags |= allMade
		pr.fill(n, 0, it.Moves, &l.Order)
	}
	l.path[len(l.path)-1].edge.bits &^= edgePending
	pr.backup(l.path)
}

// endAsking notes that no leaf deepens or opens a node any more; the evaluation stays counted.
func (pr *promoter) endAsking(i uint32) {
	n := &pr.tree.Nodes.Items[i]
	n.flags &^= nodeAsked
	n.pend--
}

// expandPrefetched makes a node that has no parent yet, unless its position got one meanwhile.
func (pr *promoter) expandPrefetched(it *batcher.Item, l *leaf, q float32) {
	ply := len(l.path)
	if pr.shared(&it.Position, ply) != none {
		return
	}
	if i := pr.newNode(it, l, pr.remembered(it.Position.Key, q)); i != none {
		pr.tree.Nodes.Items[i].n = 1
		pr.enter(i, ply)
	}
}

// newNode makes a node of an evaluated leaf, none where memory is short.
func (pr *promoter) newNode(it *batcher.Item, l *leaf, q float32) uint32 {
	edges := len(it.Moves)
	if pr.loop.Bare() {
		edges = 0
	}
	i := pr.tree.alloc(edges, pr.table)
	if i == none {
		return none
	}
	n := &pr.tree.Nodes.Items[i]
	n.key, n.base, n.q, n.sigma, n.rest, n.level = it.Position.Key, q, q, sigmaCode(it.Eval.Sigma), 1, 1
	n.value, n.raw, n.clock = valueOf(q), l.raw, it.Position.Halfmove
	pr.tree.indices[i] = l.index
	n.draw = uint16(it.Eval.D * 65535)
	if edges > 0 {
		n.flags |= allMade
		pr.fill(n, 0, it.Moves, &l.Order)
	}
	return i
}

// furnish gives a node the edges that a descent needs to go on from it, or all: those of the first chunk, and further ones once
// all that are made are tried, which is rare. It returns false where memory is too short for that. p is the node's position.
func (pr *promoter) furnish(i uint32, p *board.Position, all bool) bool {
	n := &pr.tree.Nodes.Items[i]
	if n.moves == 0 {
		if !pr.room(n, treesearch.ChunkSize) {
			return false
		}
		moves, order := pr.loop.Order(p)
		pr.fill(n, 0, moves, order)
	}
	made := n.made()
	if made == int(n.moves) || !all && int(n.tried) < made {
		return true
	}
	stage := n.flags&allMade + nodeStage
	if all {
		stage = allMade
	}
	if !pr.room(n, madeAt(stage, n.moves)) {
		return !all
	}
	moves, order := pr.loop.Order(p)
	var lead [fewMost]board.Move
	for k := range made {
		lead[k] = pr.tree.edge(n, k).move()
	}
	order.Lead(moves, lead[:made])
	n.flags = n.flags&^allMade | stage
	pr.fill(n, made, moves, order)
	return true
}

// room gives a node chunks for some edges; false where memory is short. Nodes that are reclaimed for it may have edges that
// unblock would come back to, so that comes first.
func (pr *promoter) room(n *node, edges int) bool {
	if pr.tree.Extend(&n.chunk, edges) {
		return true
	}
	pr.unblock()
	return pr.tree.ensure(n, edges, pr.table)
}

// fill gives a node those of its edges that its stage asks for, in the order of their priors, from a slot on that begins a chunk.
func (pr *promoter) fill(n *node, from int, moves []board.Move, order *treesearch.Order) {
	n.moves = uint8(len(moves))
	c, fresh := n.chunk, pr.fresh
	for k := range n.made() {
		if k&(treesearch.ChunkSize-1) == 0 && k > 0 {
			c = pr.tree.Chunks.Next[c]
		}
		if k < from {
			continue
		}
		index, prior := order.At(k)
		pr.tree.Chunks.Items[c][k&(treesearch.ChunkSize-1)] = edge{bits: uint32(moves[index]) | fresh, prior: prior}
	}
}

// enter makes a node known to lines that reach its position some plies below the root.
func (pr *promoter) enter(i uint32, ply int) {
	pr.tree.Nodes.Items[i].ply = pr.plies + uint16(ply)
	pr.tree.index.Enter(i)
}

// evaluated notes that the last edge of a path has its first evaluation: it is no longer part of its node's rest.
func (pr *promoter) evaluated(last step) {
	e := last.edge
	e.bits &^= edgePending
	if !e.has(edgeValued) {
		pr.tree.Nodes.Items[last.node].rest -= float32(e.prior) / 65535
	}
}

// link hangs a new node below the last edge of a path.
func (pr *promoter) link(last step, i uint32) {
	pr.tree.Nodes.Items[i].n = last.edge.n
	pr.tree.attach(last.node, pr.tree.slotOf(&pr.tree.Nodes.Items[last.node], last.edge), i)
}
