package puct

import (
	"math"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// expand makes the node of an evaluated leaf and backs its value up. Without memory for a node the value alone is kept.
func (s *Searcher) expand(it *batcher.Item) {
	l := &s.leaves[it.Ref]
	s.free = append(s.free, it.Ref)
	q := float32(search.CPToQ(l.Value(it)))
	if l.Further > 0 {
		s.deepened(it, l, q)
		return
	}
	i := s.newNode(it, l, q)
	if len(l.path) == 0 {
		s.tree.root = i
		s.tree.above.n, s.tree.above.q = 1, -q
		return
	}
	e := l.path[len(l.path)-1].edge
	e.child = i
	e.bits &^= edgeWaits
	s.backup(l.path, q)
}

// newNode allocates a node of an evaluated leaf.
func (s *Searcher) newNode(it *batcher.Item, l *leaf, q float32) uint32 {
	t := s.tree
	i := t.alloc(len(it.Moves))
	if i == none {
		return none
	}
	n := &t.Nodes.Items[i]
	n.key, n.value, n.draw = it.Position.Key, q, it.Eval.D
	s.fill(n, it, l)
	return i
}

// deepened gives a leaf that was searched in place its new value, in place of the earlier ones in all means above it.
func (s *Searcher) deepened(it *batcher.Item, l *leaf, q float32) {
	e := l.path[len(l.path)-1].edge
	n := &s.tree.Nodes.Items[e.child]
	n.value, n.plies = q, uint8(l.Further)
	s.fill(n, it, l)
	e.bits &^= edgeWaits
	done := float32(e.n)
	s.backup(l.path, q*(done+1)+e.q*done) // e.q is the other side's
}

// fill gives a node its edges in the order of their priors.
func (s *Searcher) fill(n *node, it *batcher.Item, l *leaf) {
	t, c := s.tree, n.chunk
	for k := range l.Order.Len() {
		if k&(treesearch.ChunkSize-1) == 0 && k > 0 {
			c = t.Chunks.Next[c]
		}
		index, prior := l.Order.At(k)
		t.Chunks.Items[c][k&(treesearch.ChunkSize-1)] = edge{bits: uint32(it.Moves[index]), prior: float32(prior) / 65535}
	}
}

// backup adds a leaf's value, for the side to move there, to the edges of its path, where it is under way no more, and proves
// what its proven edges prove.
func (s *Searcher) backup(path []step, q float32) {
	for i := len(path) - 1; i >= 0; i-- {
		q = -q
		path[i].edge.add(q)
		above := &s.tree.above
		if i > 0 {
			above = path[i-1].edge
		}
		if e := path[i].edge; e.has(edgeProven) && !above.has(edgeProven) {
			if cp, ok := s.proves(&s.tree.Nodes.Items[path[i].node], e); ok {
				above.prove(search.Towards(cp))
			}
		}
	}
	s.tree.above.add(-q)
}

// add counts a value.
func (e *edge) add(q float32) {
	e.pend--
	e.n++
	e.q += (q - e.q) / float32(e.n)
}

// proves is the score of a node one of whose edges was just proven: that edge's where it wins, or the best of all where all
// are proven.
func (s *Searcher) proves(n *node, e *edge) (cp int, ok bool) {
	if e.cp >= search.Proven {
		return int(e.cp), true
	}
	if n.tried < n.moves {
		return 0, false
	}
	best := math.MinInt16
	for k := range int(n.moves) {
		o := s.tree.edge(n, k)
		if !o.has(edgeProven) {
			return 0, false
		}
		best = max(best, int(o.cp))
	}
	return best, true
}

// proveMate proves the root move that mates at once.
func (s *Searcher) proveMate(mate board.Move) {
	n := &s.tree.Nodes.Items[s.tree.root]
	for k := range int(n.moves) {
		if e := s.tree.edge(n, k); e.move() == mate {
			n.try(k, e)
			e.n, e.q = 1, 1
			e.prove(search.MateScore - 1)
			s.tree.above.prove(search.Towards(search.MateScore - 1))
		}
	}
}
