package puct

import (
	"math"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// Expand implements treesearch.Tree: it makes the node of a leaf and backs its value up. Without memory for a node the
// value alone is kept.
func (pr *promoter) Expand(it *batcher.Item) {
	l := pr.leaves.At(it.Ref)
	pr.leaves.Give(it.Ref)
	q := float32(search.CPToQ(l.Value(it)))
	if l.Further > 0 {
		pr.expandDeepened(it, l, q)
		return
	}
	i := pr.newNode(it, l, q)
	if len(l.path) == 0 {
		pr.tree.root = i
		pr.furnish(i, &it.Position)
		pr.tree.above.n, pr.tree.above.q = 1, -q
		return
	}
	e := l.path[len(l.path)-1].edge
	e.child = i
	e.bits &^= edgePending
	pr.backup(l.path, q)
}

// newNode allocates a node of an evaluated leaf.
func (pr *promoter) newNode(it *batcher.Item, l *leaf, q float32) uint32 {
	t := pr.tree
	i := t.alloc(len(it.Moves))
	if i == none {
		return none
	}
	n := &t.Nodes.Items[i]
	n.key, n.value, n.draw = it.Position.Key, q, it.Eval.D
	if pr.loop.Bare() {
		n.moves = 0
	} else {
		pr.fill(n, it.Moves, &l.Order)
	}
	return i
}

// furnish gives a node its edges, where it has none yet. p is its position.
func (pr *promoter) furnish(i uint32, p *board.Position) {
	if n := &pr.tree.Nodes.Items[i]; i != none && n.moves == 0 {
		moves, order := pr.loop.Order(p)
		pr.fill(n, moves, order)
	}
}

// expandDeepened gives a leaf that was deepened in place its new value, which replaces the earlier ones in all means
// above it.
func (pr *promoter) expandDeepened(it *batcher.Item, l *leaf, q float32) {
	e := l.path[len(l.path)-1].edge
	n := &pr.tree.Nodes.Items[e.child]
	n.value, n.plies = q, uint8(l.Further)
	pr.fill(n, it.Moves, &l.Order)
	e.bits &^= edgePending
	done := float32(e.n)
	pr.backup(l.path, q*(done+1)+e.q*done) // e.q is the other side's
}

// fill gives a node its edges in the order of their priors.
func (pr *promoter) fill(n *node, moves []board.Move, order *treesearch.Order) {
	n.moves = uint8(len(moves))
	t, c := pr.tree, n.chunk
	for k := range order.Len() {
		if k&(treesearch.ChunkSize-1) == 0 && k > 0 {
			c = t.Chunks.Next[c]
		}
		index, prior := order.At(k)
		t.Chunks.Items[c][k&(treesearch.ChunkSize-1)] = edge{bits: uint32(moves[index]), prior: float32(prior) / 65535}
	}
}

// backup adds a leaf's value, for the side to move there, to the edges of its path, where it is no longer pending, and
// proves the edges whose nodes are proven by it.
func (pr *promoter) backup(path []step, q float32) {
	for i := len(path) - 1; i >= 0; i-- {
		q = -q
		path[i].edge.add(q)
		above := &pr.tree.above
		if i > 0 {
			above = path[i-1].edge
		}
		if e := path[i].edge; e.has(edgeProven) {
			if cp, ok := pr.tree.proven(&pr.tree.Nodes.Items[path[i].node]); ok { // perhaps by a nearer mate than before
				above.prove(search.Towards(cp))
			}
		}
	}
	pr.tree.above.add(-q)
}

// add counts an evaluation and its value.
func (e *edge) add(q float32) {
	e.pend--
	e.n++
	e.q += (q - e.q) / float32(e.n)
}

// proven is the proven score of a node, its best edge's: false where no edge is a proven win and not all are proven.
func (t *tree) proven(n *node) (cp int, ok bool) {
	best, all := math.MinInt16, n.tried == n.moves
	for k := range int(n.tried) {
		if e := t.edge(n, k); e.has(edgeProven) {
			best = max(best, int(e.cp))
		} else {
			all = false
		}
	}
	return best, all || best >= search.Decided
}

// ProveMate implements treesearch.Tree.
func (pr *promoter) ProveMate(mate board.Move) {
	n := &pr.tree.Nodes.Items[pr.tree.root]
	for k := range int(n.moves) {
		if e := pr.tree.edge(n, k); e.move() == mate {
			n.try(k, e)
			e.n, e.q = 1, 1
			e.prove(search.MateScore - 1)
			pr.tree.above.prove(search.Towards(search.MateScore - 1))
		}
	}
}
