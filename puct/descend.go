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
	path  []step
	raw   float32                    // the net's value, by Expand
	index treesearch.CorrectionIndex // by Expand
}

// cpuctBase is the evaluations of a node at which its exploration constant has grown by CPuctFactor ln 2, as in
// AlphaZero (Silver et al. 2018).
const cpuctBase = 19652

// The exploration constant of a node is larger where the values below it deviate more from their mean, as in KataGo
// (D. J. Wu, "Other Methods Implemented in KataGo", 2021) and Monty: what one more evaluation tells is worth more there.
const (
	// usualDeviation is where the constant is as it is without.
	usualDeviation = 0.13
	// deviationPrior is the evaluations that a new node counts as having, of the usual deviation.
	deviationPrior = 10
)

// deviation is the deviation, q units, of the values of the evaluations that came through a node, most of it the usual
// one where they are few.
func (n *node) deviation() float64 {
	const usual = usualDeviation * usualDeviation
	evals := float64(n.n)
	return math.Sqrt((evals*float64(n.square) + deviationPrior*usual) / (evals + deviationPrior))
}

// descend follows the highest bounds from the root, and counts an evaluation as pending at every node and edge of the
// path. It ends at an edge without a node, at a leaf that is to be deepened or for whose edges there is no memory, or at a
// proven edge. It returns false where it ends at an edge that is pending already, or below which nothing is left to search: a
// collision. What that counted stays until a batch returns, so that other descents choose other edges. Afterwards pr.line
// holds the positions of the path, the last one reached.
func (pr *promoter) descend() bool {
	t := pr.tree
	pr.path = pr.path[:0]
	for at, ply := t.root, 0; ; ply++ {
		n := &t.Nodes.Items[at]
		n.pend++
		slot := -1
		if ply < maxPly {
			slot = pr.choose(n, ply == 0)
		}
		if slot < 0 {
			pr.collide()
			pr.collided = append(pr.collided, &n.pend)
			return false
		}
		e := t.edge(n, slot)
		t.Prefetch(e.child)
		e.pend++
		pr.path = append(pr.path, step{at, e})
		pr.line[ply].Make(e.move(), &pr.line[ply+1])
		t.PrefetchEdges(t.Nodes.Items[e.child].chunk)
		if reached, ended := pr.arrive(e, n, slot); !reached {
			pr.collide()
			return false
		} else if ended {
			return true
		}
		at = e.child
		if !pr.furnish(at, &pr.line[ply+1], false) {
			return true
		}
	}
}

// arrive tells whether a descent ends at an edge of a node; reached is false where it collides with a pending one.
func (pr *promoter) arrive(e *edge, n *node, slot int) (reached, ended bool) {
	child := &pr.tree.Nodes.Items[e.child]
	if child.flags&nodeProven != 0 { // perhaps in another line
		e.prove(search.Towards(int(child.cp)))
	}
	switch {
	case e.has(edgePending):
		return false, true
	case e.has(edgeProven):
		return true, true
	case e.child == none:
		n.try(slot, e)
		return true, true
	case pr.inPlace(child):
		return child.flags&nodeDeepening == 0, true // or it is deepened for another line
	}
	return true, false
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
	for _, st := range pr.path {
		pr.collided = append(pr.collided, &pr.tree.Nodes.Items[st.node].pend, &st.edge.pend)
	}
}

// choose is the slot of the edge of a node with the highest bound; -1 where none can be followed. Proven mates are not
// followed, nor edges at their pending limit. A proven draw is visited as often as it deserves, so that it counts in
// the mean of its node and can be played. The bound is PUCT's (Rosin 2011; Silver et al. 2017). First-play urgency is
// from Gelly and Wang (2006), its reduction by the policy that was tried from Leela Chess Zero.
func (pr *promoter) choose(n *node, root bool) int {
	t, o := pr.tree, &pr.opts
	visits := float64(n.n) + float64(n.pend)
	c := o.CPuct + o.CPuctFactor*math.Log((visits+cpuctBase)/cpuctBase)
	if o.Deviation > 0 {
		c *= 1 + o.Deviation*(n.deviation()/usualDeviation-1)
	}
	explore := float32(c * math.Sqrt(max(1, visits-1)))
	urgency := n.q - float32(o.FPU*math.Sqrt(float64(n.mass)))
	best, slot := float32(math.Inf(-1)), -1
	chunk, last := n.chunk, min(int(n.tried)+1, n.made()) // the first untried edge has the highest prior of these
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
		q := urgency
		if e.n > 0 {
			q = e.value()
		}
		if v := q + explore*e.prior/(1+float32(e.n)+float32(e.pend)); v > best {
			best, slot = v, i
		}
	}
	return slot
}

// visit looks at what a descent reached. Draws by rule, mates, stalemates, mates in one, positions that endgame tables or
// a node know and proven edges are settled at once; other positions join the batch.
func (pr *promoter) visit(b *batcher.Batch) {
	ply := len(pr.path)
	pr.loop.Reached(ply)
	last, p := pr.path[ply-1].edge, &pr.line[ply]
	if last.has(edgeProven) {
		pr.settle(pr.path, int(last.cp))
		return
	}
	n := &pr.tree.Nodes.Items[last.child]
	if last.child != none && n.moves == 0 { // memory is full: it counts once more
		n.n++
		pr.backup(pr.path, n.value)
		return
	}
	it := b.Add()
	id, l := pr.takeLeaf()
	if last.child != none {
		n.flags |= nodeDeepening
		l.Further = int(n.plies) + treesearch.DeepenBy
		it.Moves = p.LegalMoves(it.Moves)
		l.Begin(p, it.Moves)
		pr.wait(it, id, l)
		return
	}
	cp, mate, settled := l.Reach(pr.line[:], ply, pr.loop.Game().Keys(), it)
	found := treesearch.Unknown
	if !settled {
		cp, found = pr.loop.Probe(p, id)
	}
	switch {
	case found == treesearch.Waits:
		l.path = append(l.path, pr.path...)
		last.bits |= edgePending | edgeWaits
		b.Items = b.Items[:len(b.Items)-1]
		return
	case !settled && found == treesearch.Unknown && !pr.join(pr.path, p):
		pr.wait(it, id, l)
		return
	}
	b.Items = b.Items[:len(b.Items)-1]
	pr.leaves.Give(id)
	switch {
	case mate != board.NullMove:
		last.child = pr.mateNode(p.Key, ply, mate)
	case settled && cp == 0:
		last.note(pr.loop.Game().Repeats(pr.line[:], ply), ply)
	}
	if settled || found == treesearch.Known {
		pr.settle(pr.path, cp)
	}
}

// wait makes a leaf of the position that a descent reached wait for its evaluation.
func (pr *promoter) wait(it *batcher.Item, id uint32, l *leaf) {
	ply := len(pr.path)
	if len(pr.opts.Leaves) > 0 {
		l.Remember(pr.line[:], ply, pr.loop.Game().Keys())
	}
	l.path = append(l.path, pr.path...)
	pr.path[ply-1].edge.bits |= edgePending
	it.Position, it.Ref = pr.line[ply], id
}

// mateNode makes a node, some plies below the root, that holds the mating move alone, so that a line can end with it;
// none where memory is short.
func (pr *promoter) mateNode(key uint64, ply int, mate board.Move) uint32 {
	i := pr.tree.alloc(1)
	if i == none {
		return none
	}
	n := &pr.tree.Nodes.Items[i]
	n.key, n.ply, n.n, n.q, n.value, n.raw, n.mass, n.tried = key, pr.plies+uint16(ply), 1, 1, 1, 1, 1, 1
	n.prove(search.MateScore - 1)
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
