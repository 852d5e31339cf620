package bestfirst

import (
	"tesla/batcher"
	"tesla/board"
)

// Where a batch has slots that cost next to nothing, positions are evaluated ahead: those after the next moves of the nodes that its leaves
// hang from. Half of them and more are asked for later. They are nodes without parents until a descent reaches their position, which shares
// them (share.go); those that none reaches are reclaimed first.

// lookAhead fills what slots a batch has left, with the next move of each leaf's node first.
func (pr *promoter) lookAhead(b *batcher.Batch) {
	room := pr.loop.Spare(b)
	if !pr.opts.Share || pr.opts.Trace != nil || room == 0 { // a trace is of leaves that are needed
		return
	}
	needed := b.Items
	for further, left := 1, true; left; further++ {
		left = false
		for i := range needed {
			of := pr.leaves.At(needed[i].Ref)
			last := of.path[len(of.path)-1]
			n := &pr.tree.Nodes.Items[last.node]
			slot := int(pr.tree.slotOf(n, last.edge)) + further
			if slot >= int(n.moves) {
				continue
			}
			left = true
			if e := pr.tree.edge(n, slot); !e.has(edgePending|edgeValued|edgeAhead) && pr.ask(b, of, e) {
				if room--; room == 0 {
					return
				}
			}
		}
	}
}

// ask adds the position after another edge of a leaf's node to a batch; false where it needs no evaluation.
func (pr *promoter) ask(b *batcher.Batch, of *leaf, e *edge) bool {
	e.bits |= edgeAhead
	it := b.Add()
	id, l := pr.takeLeaf()
	p := &it.Position
	of.parent.Make(e.move(), p)
	it.Moves = p.LegalMoves(it.Moves)
	if p.Halfmove >= shareHalfmove || len(it.Moves) == 0 || l.Begin(p, it.Moves) != board.NullMove || pr.shared(p, len(of.path)) != none {
		b.Items = b.Items[:len(b.Items)-1]
		pr.leaves.Give(id)
		return false
	}
	b.Ahead++
	it.Ref, l.ahead = id, true
	l.path = append(l.path, of.path...)
	l.path[len(l.path)-1].edge = e
	return true
}

// keep makes a node of a leaf that was evaluated ahead.
func (pr *promoter) keep(it *batcher.Item, l *leaf, q float32, code uint8) {
	ply := len(l.path)
	if pr.shared(&it.Position, ply) != none {
		return
	}
	if i := pr.newNode(it, l, pr.remembered(it.Position.Key, q), code); i != none {
		pr.tree.Nodes.Items[i].n = 1
		pr.enter(i, ply)
	}
}
