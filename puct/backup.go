package puct

import (
	"math"
	"math/bits"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// Expand implements treesearch.Tree.
func (pr *promoter) Expand(items []batcher.Item) {
	for i := range items {
		pr.expand(&items[i])
	}
}

// expand makes the node of a leaf and backs its value up. Without memory for a node the value alone is kept.
func (pr *promoter) expand(it *batcher.Item) {
	l := pr.leaves.At(it.Ref)
	pr.leaves.Give(it.Ref)
	q := pr.correctedValue(it, l)
	if l.Further > 0 {
		pr.expandDeepened(it, l, q)
		return
	}
	ply := len(l.path)
	if ply > 0 && pr.join(l.path, &it.Position) {
		return // another line was faster
	}
	i := pr.newNode(it, l, q)
	if i != none {
		pr.enter(i, ply)
	}
	if ply == 0 {
		if i != none && pr.furnish(i, &it.Position, true) {
			pr.tree.root = i
		}
		return
	}
	e := l.path[ply-1].edge
	if e.child = i; i != none {
		pr.tree.Nodes.Items[i].n = e.n + 1 // the evaluations before it had a node are of the same position
	}
	e.bits &^= edgePending
	pr.backup(l.path, q)
}

// correctedValue is the q of an evaluated leaf with a share of its correction.
func (pr *promoter) correctedValue(it *batcher.Item, l *leaf) float32 {
	l.raw = float32(search.CPToQ(l.Value(it)))
	if pr.opts.Correct == 0 {
		return l.raw
	}
	l.index = treesearch.CorrectionIndexOf(&it.Position, pr.before(l.path, 2), pr.before(l.path, 1))
	return max(-1, min(1, l.raw+float32(pr.opts.Correct)*pr.corrections.Sum(&l.index)))
}

// before is the move some plies before the end of a path, perhaps one of the game; NullMove where there is none.
func (pr *promoter) before(path []step, plies int) board.Move {
	if i := len(path) - plies; i >= 0 {
		return path[i].edge.move()
	}
	return pr.loop.Before(plies - len(path))
}

// newNode allocates a node of an evaluated leaf.
func (pr *promoter) newNode(it *batcher.Item, l *leaf, q float32) uint32 {
	t := pr.tree
	edges := len(it.Moves)
	if pr.loop.Bare() {
		edges = 0
	}
	i := t.alloc(edges)
	if i == none {
		return none
	}
	n := &t.Nodes.Items[i]
	n.key, n.n, n.level, n.q, n.draw, n.clock = it.Position.Key, 1, 1, q, it.Eval.D, it.Position.Halfmove
	n.value, n.raw, n.index = q, l.raw, l.index
	if edges > 0 {
		pr.fill(n, 0, it.Moves, &l.Order)
	}
	return i
}

// furnish gives a node the edges that a descent needs to go on from it, or all: those of the first chunk, the others once
// these are tried, which is rare. It returns false where memory is too short for that. p is the node's position.
func (pr *promoter) furnish(i uint32, p *board.Position, all bool) bool {
	t := pr.tree
	n := &t.Nodes.Items[i]
	if n.moves == 0 {
		if !t.Extend(&n.chunk, treesearch.ChunkSize) {
			return false
		}
		moves, order := pr.loop.Order(p)
		if len(moves) > treesearch.ChunkSize {
			n.flags |= nodeFew
		}
		pr.fill(n, 0, moves, order)
	}
	if n.flags&nodeFew == 0 || !all && n.tried < treesearch.ChunkSize {
		return true
	}
	if !t.Extend(&n.chunk, int(n.moves)) {
		return !all
	}
	moves, order := pr.loop.Order(p)
	var first [treesearch.ChunkSize]board.Move
	for k := range first {
		first[k] = t.edge(n, k).move()
	}
	order.Lead(moves, first[:])
	n.flags &^= nodeFew
	pr.fill(n, treesearch.ChunkSize, moves, order)
	return true
}

// expandDeepened gives a leaf that was deepened in place its new value, which replaces the earlier ones in all means
// above it.
func (pr *promoter) expandDeepened(it *batcher.Item, l *leaf, q float32) {
	e := l.path[len(l.path)-1].edge
	n := &pr.tree.Nodes.Items[e.child]
	n.flags &^= nodeDeepening
	n.n++
	n.q, n.plies = q, uint8(l.Further)
	n.value, n.raw, n.index = q, l.raw, l.index
	pr.fill(n, 0, it.Moves, &l.Order)
	e.bits &^= edgePending
	pr.backup(l.path, q)
}

// fill gives a node its edges in the order of their priors, from a slot on that begins a chunk.
func (pr *promoter) fill(n *node, from int, moves []board.Move, order *treesearch.Order) {
	n.moves = uint8(len(moves))
	t, c := pr.tree, n.chunk
	for k := range n.made() {
		if k&(treesearch.ChunkSize-1) == 0 && k > 0 {
			c = t.Chunks.Next[c]
		}
		if k < from {
			continue
		}
		index, prior := order.At(k)
		t.Chunks.Items[c][k&(treesearch.ChunkSize-1)] = edge{bits: uint32(moves[index]), prior: float32(prior) / 65535}
	}
}

// backup counts an evaluation of a value, for the side to move at the end of a path, at the path's edges and nodes,
// where it is no longer pending, and proves the nodes that are proven by it.
func (pr *promoter) backup(path []step, q float32) {
	t := pr.tree
	for i := len(path) - 1; i >= 0; i-- {
		n, e := &t.Nodes.Items[path[i].node], path[i].edge
		q = -q
		count, mean := float32(e.n), e.q
		e.pend--
		e.n++
		if e.child == none || i == len(path)-1 && e.has(edgeProven) {
			e.q += (q - mean) / float32(e.n)
		} else {
			e.q = -t.Nodes.Items[e.child].q
		}
		n.count(q, float32(e.n), e.q, count, mean)
		if level := uint8(bits.Len32(n.n)); level > n.level {
			n.level = level
			pr.learn(n)
		}
		if !e.has(edgeProven) {
			continue
		}
		if cp, ok := t.proven(n); ok { // perhaps by a nearer mate than before
			n.prove(cp)
			if i > 0 {
				path[i-1].edge.prove(search.Towards(cp))
			}
		}
	}
}

// count adds an evaluation of a value that came through an edge to a node. The edge had a number of evaluations and a
// mean before, and has others now: its node's mean may have changed by what came there on other lines.
func (n *node) count(q, count, mean, before, meanBefore float32) {
	n.pend--
	n.n++
	old := n.q
	n.q += (count*(mean-old) - before*(meanBefore-old)) / float32(n.n)
	n.square += (max(0, (q-old)*(q-n.q)) - n.square) / float32(n.n)
}

// learn moves a node's corrections towards what its mean is beyond the net's value.
func (pr *promoter) learn(n *node) {
	if pr.opts.Correct > 0 && n.flags&nodeProven == 0 {
		pr.corrections.Learn(&n.index, pr.opts.Learn, n.level, n.q-n.raw)
	}
}

// proven is the proven score of a node, its best edge's: false where no edge is a proven win and not all are proven, or
// where the fifty moves may come before the mate in another line.
func (t *tree) proven(n *node) (cp int, ok bool) {
	best, all := math.MinInt16, n.moves > 0 && n.tried == n.moves
	for k := range int(n.tried) {
		if e := t.edge(n, k); e.has(edgeProven) {
			best = max(best, int(e.cp))
		} else {
			all = false
		}
	}
	return best, (all || best >= search.Decided) && (n.flags&nodeShared == 0 || treesearch.InTime(best, n.clock))
}

// ProveMate implements treesearch.Tree.
func (pr *promoter) ProveMate(mate board.Move) {
	n := &pr.tree.Nodes.Items[pr.tree.root]
	for k := range int(n.moves) {
		if e := pr.tree.edge(n, k); e.move() == mate {
			n.try(k, e)
			e.n, e.q = 1, 1
			e.prove(search.MateScore - 1)
			n.prove(search.MateScore - 1)
		}
	}
}
