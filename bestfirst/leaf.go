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
func (s *Searcher) visit(b *batcher.Batch) {
	ply := len(s.path)
	p := &s.line[ply]
	s.loop.Evals++
	s.loop.SelDepth = max(s.loop.SelDepth, ply)
	last := s.path[ply-1].edge
	if last.has(edgeProven) {
		s.settle(int(last.value))
		return
	}
	it := b.Add()
	id, l := s.takeLeaf()
	if l.node = last.child; l.node != none {
		l.Further = int(s.tree.Nodes.Items[l.node].plies) + treesearch.DeepenBy
		it.Moves = p.LegalMoves(it.Moves)
		l.Begin(p, it.Moves)
		s.wait(it, id, l)
		return
	}
	if cp, mate, settled := l.Reach(s.line[:], ply, s.loop.Game.Keys(), it); settled {
		b.Items = b.Items[:len(b.Items)-1]
		s.freeLeaves = append(s.freeLeaves, id)
		if mate != board.NullMove {
			s.settleMate(p, mate)
		} else {
			s.settle(cp)
		}
		return
	}
	if i := s.shared(p, ply); i != none && s.join(s.path, i) {
		b.Items = b.Items[:len(b.Items)-1]
		s.freeLeaves = append(s.freeLeaves, id)
		return
	}
	s.wait(it, id, l)
}

// wait makes a leaf of the position that a descent reached wait for its evaluation.
func (s *Searcher) wait(it *batcher.Item, id uint32, l *leaf) {
	ply := len(s.path)
	l.path, l.parent = append(l.path, s.path...), s.line[ply-1]
	it.Position, it.Ref = s.line[ply], id
}

// settle gives the reached edge a final value (for the side that moves along it) and backs it up.
func (s *Searcher) settle(cp int) {
	last := s.path[len(s.path)-1]
	s.arrived(last)
	last.edge.settle(cp, edgeProven)
	s.backup(s.path)
}

// settleMate makes a node that holds the mating move alone.
func (s *Searcher) settleMate(p *board.Position, mate board.Move) {
	last := s.path[len(s.path)-1]
	s.arrived(last)
	i := s.tree.alloc(1, s.table)
	if i == none {
		last.edge.settle(-(search.MateScore - 2), edgeProven)
		s.backup(s.path)
		return
	}
	n := &s.tree.Nodes.Items[i]
	n.key, n.flags, n.tried, n.best = p.Key, n.flags|nodeProven, 1, 0
	n.value = search.MateScore - 1
	n.raw = n.value
	n.q = qOf[uint16(n.value)]
	n.base = n.q
	e := s.tree.edge(n, 0)
	*e = edge{bits: uint32(mate), prior: math.MaxUint16}
	e.settle(int(n.value), edgeProven)
	s.link(last, i)
	s.backup(s.path)
}

// arrived notes that an edge's evaluation is there: it is no longer part of its node's rest.
func (s *Searcher) arrived(last step) {
	e := last.edge
	e.bits &^= edgePending
	if !e.has(edgeValued) {
		s.tree.Nodes.Items[last.node].rest -= float32(e.prior) / 65535
	}
}

// link hangs a new node below an edge.
func (s *Searcher) link(last step, i uint32) {
	s.tree.Nodes.Items[i].n = last.edge.n
	s.tree.attach(last.node, s.tree.slotOf(&s.tree.Nodes.Items[last.node], last.edge), i)
}

// expand makes the node of an evaluated leaf and backs its value up.
func (s *Searcher) expand(it *batcher.Item) {
	l := &s.leaves[it.Ref]
	s.freeLeaves = append(s.freeLeaves, it.Ref)
	q := s.valued(it, l)
	var of *Features
	code := sigmaCode(it.Eval.Sigma)
	if s.opts.Trace != nil || s.model.featured() {
		of = s.features(it, l)
		code = sigmaCode(float32(math.Exp(s.model.Scale(of) / s.model.Power)))
	}
	if len(l.path) == 0 {
		s.makeRoot(it, l, q, code)
		return
	}
	ply := len(l.path)
	switch {
	case l.ahead:
		s.keep(it, l, q, code)
		return
	case l.node != none:
		s.deepened(it, l, q)
		return
	}
	if i := s.shared(&it.Position, ply); i != none && s.join(l.path, i) {
		return // another line was faster
	}
	last := l.path[ply-1]
	s.arrived(last)
	last.edge.setSigma(code)
	if last.edge.has(edgeValued) { // reclaimed earlier: what the search knew is better than the net
		q = -qOf[uint16(last.edge.value)]
	} else {
		q = s.remembered(it.Position.Key, q)
	}
	i := s.newNode(it, l, q, code)
	if i == none {
		last.edge.settle(-int(valueOf(q)), 0)
	} else {
		s.enter(i, ply)
		s.link(last, i)
		if s.opts.Trace != nil {
			s.trace(l.path, ply, of)
		}
	}
	s.backup(l.path)
}

// valued is the q of an evaluated leaf, corrected.
func (s *Searcher) valued(it *batcher.Item, l *leaf) float32 {
	q := qOfCP(l.Value(it))
	l.raw = valueOf(q)
	if s.opts.Correct == 0 {
		return q
	}
	l.lesson = s.lessonOf(it, l)
	return s.corrected(q, &l.lesson)
}

// searched takes back what descend noted at a node that is searched in place, but that it is spent.
func (s *Searcher) searched(i uint32) {
	n := &s.tree.Nodes.Items[i]
	n.flags &^= nodeWait
	n.pend--
}

// deepened gives a leaf that was searched in place its new value.
func (s *Searcher) deepened(it *batcher.Item, l *leaf, q float32) {
	s.searched(l.node)
	n := &s.tree.Nodes.Items[l.node]
	n.plies, n.flags = uint8(l.Further), n.flags|nodeTouched
	n.base, n.q, n.value, n.raw = q, q, valueOf(q), l.raw
	s.fill(n, it, l)
	last := l.path[len(l.path)-1]
	last.edge.bits &^= edgePending
	s.backup(l.path)
}

// features are those of an evaluated leaf.
func (s *Searcher) features(it *batcher.Item, l *leaf) *Features {
	p := &it.Position
	of := &Features{Sigma: float64(it.Eval.Sigma), Men: float64((p.Ours | p.Theirs).Count()) / 32, Check: p.InCheck()}
	if ply := len(l.path); ply > 0 {
		of.Capture = l.path[ply-1].edge.move().IsCapture()
	}
	for _, x := range it.Policy {
		of.Entropy += float64(x * s.model.nats(uint16(x*65535)))
	}
	return of
}

// pliesWorth is the doublings of evaluations that a ply of alpha-beta is worth.
const pliesWorth = 0.5

// remembered mixes a net's q with what the table knows of the position, by precision: estimates and, where asked for, what bounds of
// alpha-beta rule out.
func (s *Searcher) remembered(key uint64, q float32) float32 {
	if s.table == nil {
		return q
	}
	e, ok := s.table.Probe(key, 0)
	if !ok {
		return q
	}
	known, w := qOfCP(e.Midpoint()), 0.0
	switch bound := e.Bound(); {
	case e.Kind() == tt128.Estimate: // s falls with the square root of the evaluations, as storeNode has it
		w = tt128.Evaluations(e.Effort())
	case s.opts.Table && !(bound == tt128.BoundLower && known < q || bound == tt128.BoundUpper && known > q):
		w = math.Exp2(pliesWorth * float64(e.Draft()))
	default:
		return q
	}
	return unproven((q + float32(w)*known) / (1 + float32(w)))
}

// newNode allocates a node of an evaluated leaf.
func (s *Searcher) newNode(it *batcher.Item, l *leaf, q float32, code uint8) uint32 {
	i := s.tree.alloc(len(it.Moves), s.table)
	if i == none {
		return none
	}
	n := &s.tree.Nodes.Items[i]
	n.key, n.base, n.q, n.sigma, n.rest, n.level = it.Position.Key, q, q, code, 1, 1
	n.value, n.raw = valueOf(q), l.raw
	s.tree.lessons[i] = l.lesson
	n.draw = uint16(it.Eval.D * 65535)
	s.fill(n, it, l)
	return i
}

// fill gives a node its edges in the order of their priors.
func (s *Searcher) fill(n *node, it *batcher.Item, l *leaf) {
	c := n.chunk
	for k := range l.Order.Len() {
		if k&(treesearch.ChunkSize-1) == 0 && k > 0 {
			c = s.tree.Chunks.Next[c]
		}
		index, prior := l.Order.At(k)
		s.tree.Chunks.Items[c][k&(treesearch.ChunkSize-1)] = edge{bits: uint32(it.Moves[index]) | uint32(s.model.fresh)<<sigmaShift, prior: prior}
	}
}

// enter makes a node known to lines that reach its position after so many plies of the search.
func (s *Searcher) enter(i uint32, ply int) {
	s.tree.Nodes.Items[i].ply = s.plies + uint16(ply)
	s.tree.enter(i)
}

// makeRoot makes the root of a new tree.
func (s *Searcher) makeRoot(it *batcher.Item, l *leaf, q float32, code uint8) {
	i := s.newNode(it, l, q, code)
	if i == none {
		return
	}
	s.tree.root = i
	s.enter(i, 0)
	n := &s.tree.Nodes.Items[i]
	n.n = 1
	s.refresh(n, nil)
}

// proveMate proves the root move that mates at once.
func (s *Searcher) proveMate(mate board.Move) {
	n := &s.tree.Nodes.Items[s.tree.root]
	for k := range int(n.moves) {
		if e := s.tree.edge(n, k); e.move() == mate {
			s.arrived(step{node: s.tree.root, edge: e})
			e.settle(search.MateScore-1, edgeProven)
			n.tried = max(n.tried, uint8(k+1))
		}
	}
	s.refresh(n, nil)
}

// takeLeaf returns a leaf that is not in use, and its index.
func (s *Searcher) takeLeaf() (id uint32, l *leaf) {
	k := len(s.freeLeaves) - 1
	id = s.freeLeaves[k]
	s.freeLeaves = s.freeLeaves[:k]
	l = &s.leaves[id]
	l.path, l.ahead, l.node, l.Further = l.path[:0], false, none, 0
	return id, l
}
