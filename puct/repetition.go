package puct

import (
	"tesla/board"
	"tesla/search"
)

// A draw by repetition of a position on the path from the root holds until the game has come past that position: then
// only its third occurrence is a draw. The draws that rest on it are taken back, and a descent judges them anew. A draw
// by a third occurrence, two of them in the game, stays one while the game goes on. A node of several lines may be at a
// position that only some of them repeat: where the game took one of those, it becomes a draw.

// note keeps how many plies before an edge's position, some plies below the root, the one is that it repeats, unless
// that was played.
func (e *edge) note(back, ply int) {
	if back > 0 && back <= ply {
		e.bits |= uint32(back/2) << backShift
	}
}

// drawn are the positions that a game makes draws where a line reaches them; nil where no node can be at one.
func (pr *promoter) drawn(g *board.Game) map[uint64]bool {
	if !pr.opts.Share {
		return nil
	}
	drawn, seen := map[uint64]bool{g.Pos.Key: true}, map[uint64]bool{} // the root counts as part of the line
	for _, key := range g.Keys() {
		drawn[key] = drawn[key] || seen[key]
		seen[key] = true
	}
	return drawn
}

// rejudge judges the draws by repetition anew at a node some plies below the new root and at all nodes below it, which
// it marks as kept, and recomputes the nodes that this changes.
func (t *tree) rejudge(i uint32, ply int, drawn map[uint64]bool) {
	n := &t.Nodes.Items[i]
	n.flags |= nodeKept
	own, changed := n.n, false
	for k := range int(n.tried) {
		e := t.edge(n, k)
		own -= e.n
		child := &t.Nodes.Items[e.child]
		switch {
		case e.back() > ply+1:
			n.mass -= e.prior
			*e = edge{bits: e.bits & moveMask, prior: e.prior}
			changed = true
		case e.child == none:
		case drawn[child.key]:
			e.child, e.q = none, 0
			e.prove(0)
			if child.key == t.Nodes.Items[t.root].key {
				e.note(ply+1, ply+1)
			}
			changed = true
		default:
			if child.flags&nodeKept == 0 {
				t.rejudge(e.child, ply+1, drawn)
			}
			if child.flags&nodeChanged != 0 {
				e.follow(child)
				changed = true
			}
		}
	}
	if changed {
		t.recompute(n, own)
	}
}

// follow brings an edge up to date with its node, which has changed: it may have fewer evaluations, and may be proven no
// more.
func (e *edge) follow(n *node) {
	e.n, e.q = min(e.n, n.n), -n.q
	e.bits &^= edgeProven
	if n.flags&nodeProven != 0 {
		e.prove(search.Towards(int(n.cp)))
	}
}

// recompute makes a node's values those of its edges. own is how many of its evaluations were its own.
func (t *tree) recompute(n *node, own uint32) {
	sum, evals := float64(own)*float64(n.value), own
	for k := range int(n.tried) {
		e := t.edge(n, k)
		sum += float64(e.n) * float64(e.q)
		evals += e.n
	}
	n.n, n.q = evals, float32(sum/float64(max(1, evals)))
	n.flags = n.flags&^nodeProven | nodeChanged
	if cp, ok := t.proven(n); ok {
		n.prove(cp)
	}
}

// sweep gives the nodes back that rejudge did not mark.
func (t *tree) sweep() {
	for i := uint32(1); i < t.Nodes.Top(); i++ {
		switch n := &t.Nodes.Items[i]; {
		case n.flags&nodeUsed == 0:
		case n.flags&nodeKept == 0:
			t.index.Leave(i)
			t.Give(i, n.chunk)
		default:
			n.flags &^= nodeKept | nodeChanged
		}
	}
}
