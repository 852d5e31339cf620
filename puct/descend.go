package puct

import (
	"math"

	"tesla/batcher"
	"tesla/search"
	"tesla/treesearch"
)

// maxPly bounds the depth of a descent.
const maxPly = 250

// step is one edge of a descent, and the node that it leaves.
type step struct {
	node uint32
	edge *edge
}

// leaf is a position that waits for its evaluation, and the way to it. The root's has no steps.
type leaf struct {
	treesearch.Leaf
	path []step
}

// cpuctBase is the number of evaluations at which the exploration constant has grown by ln 2 factors (Silver et al. 2018).
const cpuctBase = 19652

// descend follows the bounds from the root to an edge without a node, with one that is searched in place, or that is a proven draw,
// and counts an evaluation as under way at every edge on the way. It returns false where it ends at one that waits for its
// evaluation, or that nothing is left to search below: the counts then stay until absorb, so that other descents take other
// ways. s.line holds the positions, the last one the leaf's.
func (s *Searcher) descend() bool {
	t := s.tree
	s.path = s.path[:0]
	at, above := t.root, &t.above
	above.pend++
	for ply := 0; ; ply++ {
		slot := -1
		if ply < maxPly {
			slot = s.pick(at, above, ply == 0)
		}
		if slot < 0 {
			s.collide()
			return false
		}
		n := &t.Nodes.Items[at]
		e := t.edge(n, slot)
		t.Prefetch(e.child)
		e.pend++
		s.path = append(s.path, step{at, e})
		s.line[ply].Make(e.move(), &s.line[ply+1])
		if e.has(edgeWaits) {
			s.collide()
			return false
		}
		if e.has(edgeProven) {
			return true
		}
		if e.child == none {
			n.try(slot, e)
			return true
		}
		if s.inPlace(&t.Nodes.Items[e.child]) {
			return true
		}
		at, above = e.child, e
	}
}

// inPlace tells whether a node is a leaf that is searched deeper before it gets children.
func (s *Searcher) inPlace(n *node) bool {
	return len(s.opts.Leaves) > 0 && n.tried == 0 && int(n.plies) < s.opts.Deepen
}

// try notes that an edge is tried.
func (n *node) try(slot int, e *edge) {
	if e.n == 0 {
		n.mass += e.prior
	}
	n.tried = max(n.tried, uint8(slot+1))
}

// collide notes the descent's counts, to be taken back.
func (s *Searcher) collide() {
	s.collided = append(s.collided, &s.tree.above)
	for _, st := range s.path {
		s.collided = append(s.collided, st.edge)
	}
}

// pick chooses the edge of a node with the highest bound, but for proven mates and where too much is under way; -1 where there is no other. A proven draw is visited
// as often as it deserves, so that it counts in the mean of its node and can be played. First-play urgency is Gelly and Wang's
// (2006), its reduction by the policy mass that was tried Leela's.
func (s *Searcher) pick(at uint32, above *edge, root bool) int {
	t, o := s.tree, &s.opts
	n := &t.Nodes.Items[at]
	visits := float64(above.n) + float64(above.pend)
	c := o.CPuct + o.CPuctFactor*math.Log((visits+cpuctBase)/cpuctBase)
	explore := float32(c * math.Sqrt(max(1, visits-1)))
	urgency := -above.q - float32(o.FPU*math.Sqrt(float64(n.mass)))
	best, slot := float32(math.Inf(-1)), -1
	chunk, last := n.chunk, min(int(n.tried)+1, int(n.moves)) // the first untried edge has the highest prior of these
	if root && len(s.loop.Limits.SearchMoves) > 0 {
		last = int(n.moves)
	}
	for i := range last {
		if i&(treesearch.ChunkSize-1) == 0 && i > 0 {
			chunk = t.Chunks.Next[chunk]
		}
		e := &t.Chunks.Items[chunk][i&(treesearch.ChunkSize-1)]
		if e.mate() != 0 || float64(e.pend) > o.Flight*float64(max(1, e.n)) || root && !s.loop.Allowed(e.move()) {
			continue
		}
		q, done, lost := urgency, float32(1), float32(o.VirtualLoss)*float32(e.pend)
		if e.n > 0 {
			q, done = e.value(), float32(e.n)
		}
		q = (q*done - lost) / (done + lost)
		if v := q + explore*e.prior/(1+float32(e.n)+float32(e.pend)); v > best {
			best, slot = v, i
		}
	}
	return slot
}

// visit looks at the position that a descent reached. Draws by rule, mates, stalemates and positions with a mate in one are
// settled at once; others join the batch.
func (s *Searcher) visit(b *batcher.Batch) {
	ply := len(s.path)
	s.loop.Evals++
	s.loop.SelDepth = max(s.loop.SelDepth, ply)
	last := s.path[ply-1].edge
	if last.has(edgeProven) {
		s.settle(int(last.cp))
		return
	}
	it := b.Add()
	id, l := s.takeLeaf()
	if last.child != none {
		l.Further = int(s.tree.Nodes.Items[last.child].plies) + treesearch.DeepenBy
		it.Moves = s.line[ply].LegalMoves(it.Moves)
		l.Begin(&s.line[ply], it.Moves)
	} else if cp, _, settled := l.Reach(s.line[:], ply, s.loop.Game.Keys(), it); settled {
		b.Items = b.Items[:len(b.Items)-1]
		s.free = append(s.free, id)
		s.settle(cp)
		return
	}
	l.path = append(l.path, s.path...)
	last.bits |= edgeWaits
	it.Position, it.Ref = s.line[ply], id
}

// settle proves the reached edge and backs its score up.
func (s *Searcher) settle(cp int) {
	last := s.path[len(s.path)-1].edge
	last.prove(cp)
	s.backup(s.path, -float32(search.CPToQ(cp)))
}

// takeLeaf returns a leaf that is not in use, and its index.
func (s *Searcher) takeLeaf() (id uint32, l *leaf) {
	last := len(s.free) - 1
	id = s.free[last]
	s.free = s.free[:last]
	l = &s.leaves[id]
	l.path, l.Further = l.path[:0], 0
	return id, l
}
