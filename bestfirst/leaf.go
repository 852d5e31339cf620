package bestfirst

import (
	"math"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
	"tesla/tt128"
)

// leaf is a position that waits for its evaluation, and the way to it. The root's has no steps.
type leaf struct {
	treesearch.Leaf
	path   []step
	parent board.Position
	ahead  bool   // it is not needed yet
	node   uint32 // that it is already, where it is searched in place
	raw    int16  // the net's value
	lesson lesson
}

// visit looks at the position that a descent reached. Draws by rule, mates, stalemates and positions with a mate in one
// are settled at once; others join the batch.
func (pr *promoter) visit(b *batcher.Batch) {
	ply := len(pr.path)
	p := &pr.line[ply]
	pr.loop.Reached(ply)
	last := pr.path[ply-1].edge
	if last.has(edgeProven) {
		pr.settle(int(last.value))
		return
	}
	it := b.Add()
	id, l := pr.takeLeaf()
	if l.node = last.child; l.node != none {
		l.Further = int(pr.tree.Nodes.Items[l.node].plies) + treesearch.DeepenBy
		it.Moves = p.LegalMoves(it.Moves)
		l.Begin(p, it.Moves)
		pr.wait(it, id, l)
		return
	}
	if cp, mate, settled := l.Reach(pr.line[:], ply, pr.loop.Game().Keys(), it); settled {
		b.Items = b.Items[:len(b.Items)-1]
		pr.leaves.Give(id)
		if mate != board.NullMove {
			pr.settleMate(p, mate)
		} else {
			pr.settle(cp)
		}
		return
	}
	if i := pr.shared(p, ply); i != none && pr.join(pr.path, i) {
		b.Items = b.Items[:len(b.Items)-1]
		pr.leaves.Give(id)
		return
	}
	pr.wait(it, id, l)
}

// wait makes a leaf of the position that a descent reached wait for its evaluation.
func (pr *promoter) wait(it *batcher.Item, id uint32, l *leaf) {
	ply := len(pr.path)
	l.path, l.parent = append(l.path, pr.path...), pr.line[ply-1]
	it.Position, it.Ref = pr.line[ply], id
}

// settle gives the reached edge a final value (for the side that moves along it) and backs it up.
func (pr *promoter) settle(cp int) {
	last := pr.path[len(pr.path)-1]
	pr.arrived(last)
	last.edge.settle(cp, edgeProven)
	pr.backup(pr.path)
}

// settleMate makes a node that holds the mating move alone.
func (pr *promoter) settleMate(p *board.Position, mate board.Move) {
	last := pr.path[len(pr.path)-1]
	pr.arrived(last)
	i := pr.tree.alloc(1, pr.table)
	if i == none {
		last.edge.settle(-(search.MateScore - 2), edgeProven)
		pr.backup(pr.path)
		return
	}
	n := &pr.tree.Nodes.Items[i]
	n.key, n.flags, n.tried, n.best = p.Key, n.flags|nodeProven, 1, 0
	n.value = search.MateScore - 1
	n.raw = n.value
	n.q = qOf[uint16(n.value)]
	n.base = n.q
	e := pr.tree.edge(n, 0)
	*e = edge{bits: uint32(mate), prior: math.MaxUint16}
	e.settle(int(n.value), edgeProven)
	pr.link(last, i)
	pr.backup(pr.path)
}

// arrived notes that an edge's evaluation is there: it is no longer part of its node's rest.
func (pr *promoter) arrived(last step) {
	e := last.edge
	e.bits &^= edgePending
	if !e.has(edgeValued) {
		pr.tree.Nodes.Items[last.node].rest -= float32(e.prior) / 65535
	}
}

// link hangs a new node below an edge.
func (pr *promoter) link(last step, i uint32) {
	pr.tree.Nodes.Items[i].n = last.edge.n
	pr.tree.attach(last.node, pr.tree.slotOf(&pr.tree.Nodes.Items[last.node], last.edge), i)
}

// Expand implements treesearch.Tree: it makes the node of an evaluated leaf and backs its value up.
func (pr *promoter) Expand(it *batcher.Item) {
	l := pr.leaves.At(it.Ref)
	pr.leaves.Give(it.Ref)
	q := pr.valued(it, l)
	var of *Features
	code := sigmaCode(it.Eval.Sigma)
	if pr.opts.Trace != nil || pr.model.featured() {
		of = pr.features(it, l)
		code = sigmaCode(float32(math.Exp(pr.model.Scale(of) / pr.model.Power)))
	}
	if len(l.path) == 0 {
		pr.makeRoot(it, l, q, code)
		return
	}
	ply := len(l.path)
	switch {
	case l.ahead:
		pr.keep(it, l, q, code)
		return
	case l.node != none:
		pr.deepened(it, l, q)
		return
	}
	if i := pr.shared(&it.Position, ply); i != none && pr.join(l.path, i) {
		return // another line was faster
	}
	last := l.path[ply-1]
	pr.arrived(last)
	last.edge.setSigma(code)
	if last.edge.has(edgeValued) { // reclaimed earlier: what the search knew is better than the net
		q = -qOf[uint16(last.edge.value)]
	} else {
		q = pr.remembered(it.Position.Key, q)
	}
	i := pr.newNode(it, l, q, code)
	if i == none {
		last.edge.settle(-int(valueOf(q)), 0)
	} else {
		pr.enter(i, ply)
		pr.link(last, i)
		if pr.opts.Trace != nil {
			pr.trace(l.path, ply, of)
		}
	}
	pr.backup(l.path)
}

// valued is the q of an evaluated leaf, corrected.
func (pr *promoter) valued(it *batcher.Item, l *leaf) float32 {
	q := qOfCP(l.Value(it))
	l.raw = valueOf(q)
	if pr.opts.Correct == 0 {
		return q
	}
	l.lesson = pr.lessonOf(it, l)
	return pr.corrected(q, &l.lesson)
}

// searched takes back what descend noted at a node that is searched in place, but that it is spent.
func (pr *promoter) searched(i uint32) {
	n := &pr.tree.Nodes.Items[i]
	n.flags &^= nodeWait
	n.pend--
}

// deepened gives a leaf that was searched in place its new value.
func (pr *promoter) deepened(it *batcher.Item, l *leaf, q float32) {
	pr.searched(l.node)
	n := &pr.tree.Nodes.Items[l.node]
	n.plies, n.flags = uint8(l.Further), n.flags|nodeTouched
	n.base, n.q, n.value, n.raw = q, q, valueOf(q), l.raw
	pr.fill(n, it, l)
	last := l.path[len(l.path)-1]
	last.edge.bits &^= edgePending
	pr.backup(l.path)
}

// features are those of an evaluated leaf.
func (pr *promoter) features(it *batcher.Item, l *leaf) *Features {
	p := &it.Position
	of := &Features{Sigma: float64(it.Eval.Sigma), Men: float64((p.Ours | p.Theirs).Count()) / 32, Check: p.InCheck()}
	if ply := len(l.path); ply > 0 {
		of.Capture = l.path[ply-1].edge.move().IsCapture()
	}
	for _, x := range it.Policy {
		of.Entropy += float64(x * pr.model.nats(uint16(x*65535)))
	}
	return of
}

// pliesWorth is the doublings of evaluations that a ply of alpha-beta is worth.
const pliesWorth = 0.5

// remembered mixes a net's q with what the table knows of the position, by precision: estimates and, where asked for, what bounds of
// alpha-beta rule out.
func (pr *promoter) remembered(key uint64, q float32) float32 {
	if pr.table == nil {
		return q
	}
	e, ok := pr.table.Probe(key, 0)
	if !ok {
		return q
	}
	known, w := qOfCP(e.Midpoint()), 0.0
	switch bound := e.Bound(); {
	case e.Kind() == tt128.Estimate: // s falls with the square root of the evaluations, as storeNode has it
		w = tt128.Evaluations(e.Effort())
	case pr.opts.Table && !(bound == tt128.BoundLower && known < q || bound == tt128.BoundUpper && known > q):
		w = math.Exp2(pliesWorth * float64(e.Draft()))
	default:
		return q
	}
	return unproven((q + float32(w)*known) / (1 + float32(w)))
}

// newNode allocates a node of an evaluated leaf.
func (pr *promoter) newNode(it *batcher.Item, l *leaf, q float32, code uint8) uint32 {
	i := pr.tree.alloc(len(it.Moves), pr.table)
	if i == none {
		return none
	}
	n := &pr.tree.Nodes.Items[i]
	n.key, n.base, n.q, n.sigma, n.rest, n.level = it.Position.Key, q, q, code, 1, 1
	n.value, n.raw = valueOf(q), l.raw
	pr.tree.lessons[i] = l.lesson
	n.draw = uint16(it.Eval.D * 65535)
	pr.fill(n, it, l)
	return i
}

// fill gives a node its edges in the order of their priors.
func (pr *promoter) fill(n *node, it *batcher.Item, l *leaf) {
	c := n.chunk
	for k := range l.Order.Len() {
		if k&(treesearch.ChunkSize-1) == 0 && k > 0 {
			c = pr.tree.Chunks.Next[c]
		}
		index, prior := l.Order.At(k)
		pr.tree.Chunks.Items[c][k&(treesearch.ChunkSize-1)] = edge{bits: uint32(it.Moves[index]) | uint32(pr.model.fresh)<<sigmaShift, prior: prior}
	}
}

// enter makes a node known to lines that reach its position after so many plies of the search.
func (pr *promoter) enter(i uint32, ply int) {
	pr.tree.Nodes.Items[i].ply = pr.plies + uint16(ply)
	pr.tree.enter(i)
}

// makeRoot makes the root of a new tree.
func (pr *promoter) makeRoot(it *batcher.Item, l *leaf, q float32, code uint8) {
	i := pr.newNode(it, l, q, code)
	if i == none {
		return
	}
	pr.tree.root = i
	pr.enter(i, 0)
	n := &pr.tree.Nodes.Items[i]
	n.n = 1
	pr.refresh(n, nil)
}

// ProveMate implements treesearch.Tree.
func (pr *promoter) ProveMate(mate board.Move) {
	n := &pr.tree.Nodes.Items[pr.tree.root]
	for k := range int(n.moves) {
		if e := pr.tree.edge(n, k); e.move() == mate {
			pr.arrived(step{node: pr.tree.root, edge: e})
			e.settle(search.MateScore-1, edgeProven)
			n.tried = max(n.tried, uint8(k+1))
		}
	}
	pr.refresh(n, nil)
}

// takeLeaf returns an empty leaf, and its number.
func (pr *promoter) takeLeaf() (id uint32, l *leaf) {
	id, l = pr.leaves.Take()
	l.path, l.ahead, l.node, l.Further = l.path[:0], false, none, 0
	return id, l
}

// RootLeaf implements treesearch.Tree: the root's leaf is the one without a path.
func (pr *promoter) RootLeaf() (ref uint32) {
	ref, _ = pr.takeLeaf()
	return ref
}

// Leaf implements treesearch.Tree.
func (pr *promoter) Leaf(ref uint32) *treesearch.Leaf { return &pr.leaves.At(ref).Leaf }
