package bestfirst

import (
	"math"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/treesearch"
)

// Stage 3, gather: descents fill a batch. What needs no evaluation is settled at once: draws by rule, mates, mates in
// one, positions that endgame tables or a node know, and proven edges.

// mostBlocked is how many blocked descents end the filling of a batch.
const mostBlocked = 8

// leafKind is what a leaf becomes when it is evaluated.
type leafKind uint8

const (
	newLeaf        leafKind = iota // a node below the last edge of its path
	rootLeaf                       // the root
	deepenedLeaf                   // a better value of the node that it is already
	openedLeaf                     // a node below the first edge of one that has no edges yet
	prefetchedLeaf                 // a node without a parent, until a descent reaches its position
)

// leaf is a position that waits for its evaluation.
type leaf struct {
	*treesearch.Leaf
	kind   leafKind
	path   []step                     // to it; empty at the root
	parent board.Position             // before the last move
	node   uint32                     // of a deepenedLeaf or openedLeaf
	mate   board.Move                 // of a rootLeaf, NullMove where no move mates
	raw    int16                      // the net's value, by absorb
	index  treesearch.CorrectionIndex // by absorb
}

// Gather implements treesearch.Tree: it descends until the batch is full, or too many descents were blocked.
func (pr *promoter) Gather(b *batcher.Batch) (progress bool) {
	if pr.tree.root == none {
		pr.visitRoot(b)
		return true
	}
	room := pr.loop.Room(pr.root().n)
	pr.beginDescents()
	visits := 4 * pr.loop.BatchSize() // those settled at once need no room, but stop and clock are looked at between batches
	for missed := 0; b.Len() < room && missed < mostBlocked && visits > 0; visits-- {
		reached := pr.descend()
		if reached == blocked {
			missed++
			continue
		}
		progress = true
		pr.visit(b, reached)
		if pr.loop.Spent() {
			break
		}
	}
	pr.backUpTo(0)
	pr.prefetch(b)
	return progress
}

// visitRoot adds the root to the batch.
func (pr *promoter) visitRoot(b *batcher.Batch) {
	p, it := &pr.loop.Game().Pos, b.Add()
	id, l := pr.takeLeaf(rootLeaf)
	it.Moves = p.LegalMoves(it.Moves)
	it.Position, it.Ref = *p, id
	l.mate, l.Root = l.Begin(p, it.Moves), true
	l.Remember([]board.Position{*p}, 0, pr.loop.Game().Keys())
	pr.loop.Reached(0)
}

// visit looks at what a descent reached.
func (pr *promoter) visit(b *batcher.Batch, reached outcome) {
	last := pr.path[len(pr.path)-1].edge
	pr.loop.Reached(len(pr.path))
	switch reached {
	case provenEdge:
		pr.settle(pr.path, int(last.value))
	case sameLeaf:
		pr.visitLeaf(b, last.child)
	case bareNode:
		pr.visitBare(b, last.child)
	default:
		pr.visitNew(b)
	}
}

// visitNew settles the position that a descent reached, shares the node that it has, or adds it to the batch.
func (pr *promoter) visitNew(b *batcher.Batch) {
	ply := len(pr.path)
	p := &pr.line[ply]
	it := b.Add()
	id, l := pr.takeLeaf(newLeaf)
	cp, mate, settled := l.Reach(pr.line[:], ply, pr.loop.Game().Keys(), it)
	known, found := 0, treesearch.Unknown
	if !settled {
		known, found = pr.loop.Probe(p, id)
	}
	switch {
	case found == treesearch.Waits:
		l.path = append(l.path, pr.path...)
		pr.dropItem(b)
		return
	case !settled && found == treesearch.Unknown && !pr.joinShared(pr.path, p):
		pr.wait(it, id, l)
		return
	}
	pr.drop(b, id)
	switch {
	case mate != board.NullMove:
		pr.settleMate(p, mate)
	case found == treesearch.Known:
		pr.settle(pr.path, known)
	case settled:
		pr.settle(pr.path, cp)
		pr.noteDraw(ply)
	}
}

// Settle implements treesearch.Tree.
func (pr *promoter) Settle(ref uint32, cp int) {
	pr.unblock()
	pr.settle(pr.leaves[ref].path, cp)
	pr.backUpTo(0)
}

// visitLeaf adds a leaf to the batch that is deepened in place.
func (pr *promoter) visitLeaf(b *batcher.Batch, node uint32) {
	p := &pr.line[len(pr.path)]
	it := b.Add()
	id, l := pr.takeLeaf(deepenedLeaf)
	l.node, l.Further = node, int(pr.tree.Nodes.Items[node].plies)+treesearch.DeepenBy
	it.Moves = p.LegalMoves(it.Moves)
	l.Begin(p, it.Moves)
	pr.wait(it, id, l)
}

// visitBare adds the first child of a node without edges to the batch, and with it the order of the node's moves.
func (pr *promoter) visitBare(b *batcher.Batch, node uint32) {
	it := b.Add()
	id, l := pr.takeLeaf(openedLeaf)
	l.node, l.Opens = node, true
	pr.wait(it, id, l)
}

// wait makes a leaf of the position that a descent reached wait for its evaluation.
func (pr *promoter) wait(it *batcher.Item, id uint32, l *leaf) {
	ply := len(pr.path)
	l.path, l.parent = append(l.path, pr.path...), pr.line[ply-1]
	it.Position, it.Ref = pr.line[ply], id
	if pr.remembers() {
		pr.table.Prefetch(it.Position.Key) // for remembered
	}
	if len(pr.opts.Leaves) > 0 {
		l.Remember(pr.line[:], ply, pr.loop.Game().Keys())
	}
}

// takeLeaf returns an empty leaf of a kind, and its number.
func (pr *promoter) takeLeaf(kind leafKind) (id uint32, l *leaf) {
	id, waits := pr.loop.TakeLeaf()
	l = &pr.leaves[id]
	l.Leaf, l.kind, l.path, l.node = waits, kind, l.path[:0], none
	return id, l
}

// drop takes the last item from a batch, and gives its leaf back.
func (pr *promoter) drop(b *batcher.Batch, id uint32) {
	pr.dropItem(b)
	pr.loop.GiveLeaf(id)
}

// dropItem takes the last item from a batch.
func (pr *promoter) dropItem(b *batcher.Batch) { b.Items = b.Items[:len(b.Items)-1] }

// settle gives the last edge of a path a proven score, for the side that moves along it, and backs it up.
func (pr *promoter) settle(path []step, cp int) {
	last := path[len(path)-1]
	pr.evaluated(last)
	last.edge.settle(cp, edgeProven)
	pr.backup(path)
}

// settleMate makes a node of the reached position that holds the mating move alone.
func (pr *promoter) settleMate(p *board.Position, mate board.Move) {
	i := pr.tree.alloc(1, pr.table)
	if i == none {
		pr.settle(pr.path, -(search.MateScore - 2))
		return
	}
	last := pr.path[len(pr.path)-1]
	pr.evaluated(last)
	n := &pr.tree.Nodes.Items[i]
	n.key, n.clock, n.flags, n.tried, n.best = p.Key, p.Halfmove, n.flags|nodeProven, 1, 0
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

// prefetch fills the free slots of a batch, which cost next to nothing, with siblings of its leaves: the next move of
// each leaf's parent first. More than half of them are asked for later. They become nodes without parents, which
// descents that reach their positions share (share.go); those that none reaches are reclaimed first.
func (pr *promoter) prefetch(b *batcher.Batch) {
	room := pr.loop.Spare(b)
	if !pr.opts.Share || pr.tracer != nil || room == 0 { // a trace is of leaves that are needed
		return
	}
	needed := b.Items
	for further, left := 1, true; left; further++ {
		left = false
		for i := range needed {
			sibling := &pr.leaves[needed[i].Ref]
			last := sibling.path[len(sibling.path)-1]
			n := &pr.tree.Nodes.Items[last.node]
			slot := int(pr.tree.slotOf(n, last.edge)) + further
			if slot >= int(n.moves) || slot >= n.made() && !pr.furnish(last.node, &sibling.parent, true) {
				continue
			}
			left = true
			if e := pr.tree.edge(n, slot); !e.has(edgePending|edgeValued|edgePrefetched) && pr.prefetchEdge(b, sibling, e) {
				if room--; room == 0 {
					return
				}
			}
		}
	}
}

// prefetchEdge adds the position after another edge of a leaf's parent to a batch; false where it needs no evaluation.
func (pr *promoter) prefetchEdge(b *batcher.Batch, sibling *leaf, e *edge) bool {
	e.bits |= edgePrefetched
	it := b.Add()
	id, l := pr.takeLeaf(prefetchedLeaf)
	p := &it.Position
	sibling.parent.Make(e.move(), p)
	it.Moves = p.LegalMoves(it.Moves)
	if p.Halfmove >= treesearch.ShareHalfmove || len(it.Moves) == 0 || pr.loop.Covers(p) || l.Begin(p, it.Moves) != board.NullMove ||
		pr.shared(p, len(sibling.path)) != none {
		pr.drop(b, id)
		return false
	}
	b.Ahead++
	it.Ref = id
	l.path = append(l.path, sibling.path...)
	l.path[len(l.path)-1].edge = e
	return true
}
