package puct

import (
	"math"

	"tesla/batcher"
	"tesla/board"
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

// leaf is a position that waits for its evaluation, and the path to it. The root's is empty.
type leaf struct {
	treesearch.Leaf
	path []step
}

// cpuctBase is the evaluations of a node at which its exploration constant has grown by CPuctFactor ln 2, as in
// AlphaZero (Silver et al. 2018).
const cpuctBase = 19652

// descend follows the highest bounds from the root, and counts an evaluation as pending at every edge of the path. It
// ends at an edge without a node, at a leaf that is to be deepened, or at a proven draw. It returns false where it ends
// at an edge that is pending already, or below which nothing is left to search: a collision. The counts of that then
// stay until a batch returns, so that other descents choose other edges. Afterwards pr.line holds the positions of the
// path, the last one reached.
func (pr *promoter) descend() bool {
	t := pr.tree
	pr.path = pr.path[:0]
	at, above := t.root, &t.above
	above.pend++
	for ply := 0; ; ply++ {
		slot := -1
		if ply < maxPly {
			slot = pr.choose(at, above, ply == 0)
		}
		if slot < 0 {
			pr.collide()
			return false
		}
		n := &t.Nodes.Items[at]
		e := t.edge(n, slot)
		t.Prefetch(e.child)
		e.pend++
		pr.path = append(pr.path, step{at, e})
		pr.line[ply].Make(e.move(), &pr.line[ply+1])
		if e.has(edgePending) {
			pr.collide()
			return false
		}
		if e.has(edgeProven) {
			return true
		}
		if e.child == none {
			n.try(slot, e)
			return true
		}
		if pr.inPlace(&t.Nodes.Items[e.child]) {
			return true
		}
		at, above = e.child, e
		pr.furnish(at, &pr.line[ply+1])
	}
}

// inPlace tells whether a node is a leaf that is deepened before it gets children.
func (pr *promoter) inPlace(n *node) bool {
	return len(pr.opts.Leaves) > 0 && n.tried == 0 && int(n.plies) < pr.opts.Deepen
}

// try notes that an edge is tried.
func (n *node) try(slot int, e *edge) {
	if e.n == 0 {
		n.mass += e.prior
	}
	n.tried = max(n.tried, uint8(slot+1))
}

// collide notes what a descent counted, for Unblock to take back.
func (pr *promoter) collide() {
	pr.collided = append(pr.collided, &pr.tree.above)
	for _, st := range pr.path {
		pr.collided = append(pr.collided, st.edge)
	}
}

// choose is the slot of the edge of a node with the highest bound; -1 where none can be followed. above is the edge
// that leads to the node. Proven mates are not followed, nor edges at their pending limit. A proven draw is visited as
// often as it deserves, so that it counts in the mean of its node and can be played. The bound is PUCT's (Rosin 2011;
// Silver et al. 2017). First-play urgency is from Gelly and Wang (2006), its reduction by the policy that was tried
// from Leela Chess Zero.
func (pr *promoter) choose(at uint32, above *edge, root bool) int {
	t, o := pr.tree, &pr.opts
	n := &t.Nodes.Items[at]
	visits := float64(above.n) + float64(above.pend)
	c := o.CPuct + o.CPuctFactor*math.Log((visits+cpuctBase)/cpuctBase)
	explore := float32(c * math.Sqrt(max(1, visits-1)))
	urgency := -above.q - float32(o.FPU*math.Sqrt(float64(n.mass)))
	best, slot := float32(math.Inf(-1)), -1
	chunk, last := n.chunk, min(int(n.tried)+1, int(n.moves)) // the first untried edge has the highest prior of these
	if root && pr.loop.Restricted() {
		last = int(n.moves)
	}
	for i := range last {
		if i&(treesearch.ChunkSize-1) == 0 && i > 0 {
			chunk = t.Chunks.Next[chunk]
		}
		e := &t.Chunks.Items[chunk][i&(treesearch.ChunkSize-1)]
		if e.decided() != 0 || e.has(edgeWaits) || float64(e.pend) > o.Pending*float64(max(1, e.n)) || root && !pr.loop.Allowed(e.move()) {
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

// visit looks at the position that a descent reached. Draws by rule, mates, stalemates and mates in one are settled at
// once; other positions join the batch.
func (pr *promoter) visit(b *batcher.Batch) {
	ply := len(pr.path)
	pr.loop.Reached(ply)
	last := pr.path[ply-1].edge
	if last.has(edgeProven) {
		pr.settle(pr.path, int(last.cp))
		return
	}
	it := b.Add()
	id, l := pr.takeLeaf()
	if last.child != none {
		l.Further = int(pr.tree.Nodes.Items[last.child].plies) + treesearch.DeepenBy
		it.Moves = pr.line[ply].LegalMoves(it.Moves)
		l.Begin(&pr.line[ply], it.Moves)
	} else if cp, mate, settled := l.Reach(pr.line[:], ply, pr.loop.Game().Keys(), it); settled {
		b.Items = b.Items[:len(b.Items)-1]
		pr.leaves.Give(id)
		if mate != board.NullMove {
			last.child = pr.mateNode(pr.line[ply].Key, mate)
		} else if cp == 0 {
			pr.tree.note(last, pr.loop.Game().Repeats(pr.line[:], ply), ply)
		}
		pr.settle(pr.path, cp)
		return
	} else if cp, found := pr.loop.Probe(&pr.line[ply], id); found != treesearch.Unknown {
		b.Items = b.Items[:len(b.Items)-1]
		if found == treesearch.Known {
			pr.leaves.Give(id)
			pr.settle(pr.path, cp)
			return
		}
		l.path = append(l.path, pr.path...)
		last.bits |= edgePending | edgeWaits
		return
	}
	if len(pr.opts.Leaves) > 0 {
		l.Remember(pr.line[:], ply, pr.loop.Game().Keys())
	}
	l.path = append(l.path, pr.path...)
	last.bits |= edgePending
	it.Position, it.Ref = pr.line[ply], id
}

// mateNode makes a node that holds the mating move alone, so that a line can end with it; none where memory is short.
func (pr *promoter) mateNode(key uint64, mate board.Move) uint32 {
	i := pr.tree.alloc(1)
	if i == none {
		return none
	}
	n := &pr.tree.Nodes.Items[i]
	n.key, n.value, n.mass, n.tried = key, 1, 1, 1
	e := pr.tree.edge(n, 0)
	*e = edge{bits: uint32(mate), n: 1, q: 1, prior: 1}
	e.prove(search.MateScore - 1)
	return i
}

// settle gives the last edge of a path a proven score and backs it up.
func (pr *promoter) settle(path []step, cp int) {
	last := path[len(path)-1].edge
	last.prove(cp)
	pr.backup(path, -float32(search.CPToQ(cp)))
}

// Settle implements treesearch.Tree.
func (pr *promoter) Settle(ref uint32, cp int) {
	l := pr.leaves.At(ref)
	pr.leaves.Give(ref)
	l.path[len(l.path)-1].edge.bits &^= edgePending | edgeWaits
	pr.settle(l.path, cp)
}

// takeLeaf returns an empty leaf, and its number.
func (pr *promoter) takeLeaf() (id uint32, l *leaf) {
	id, l = pr.leaves.Take()
	l.path, l.Further = l.path[:0], 0
	return id, l
}

// RootLeaf implements treesearch.Tree: the root's leaf is the one without a path.
func (pr *promoter) RootLeaf() (ref uint32) {
	ref, _ = pr.takeLeaf()
	return ref
}

// Leaf implements treesearch.Tree.
func (pr *promoter) Leaf(ref uint32) *treesearch.Leaf { return &pr.leaves.At(ref).Leaf }
