package puct

import "tesla/treesearch"

// A draw by repetition of a position on the path from the root holds until the game has come past that position: then
// only its third occurrence is a draw. The draws that rest on it are taken back, and a descent judges them anew. A draw
// by a third occurrence, two of them in the game, stays one while the game goes on.

// note keeps how many plies before an edge's position, some plies below the root, the one is that it repeats, unless
// that was played.
func (t *tree) note(e *edge, back, ply int) {
	if back > 0 && back <= ply {
		e.bits |= uint32(back/2) << backShift
		t.repeats = true
	}
}

// reopenBelow makes the edges untried, below the node of an edge at some plies below the root, that repeat positions
// before the root. Their evaluations, all of draws, count no more: it returns how many.
func (t *tree) reopenBelow(above *edge, ply int) (gone uint32) {
	n, below := &t.Nodes.Items[above.child], uint32(0)
	for k := range int(n.tried) {
		switch e := t.edge(n, k); {
		case e.back() > ply+1:
			gone += e.n
			n.mass -= e.prior
			*e = edge{bits: e.bits & moveMask, prior: e.prior}
		case e.child != none:
			gone += t.reopenBelow(e, ply+1)
		}
		below += t.edge(n, k).n
	}
	if gone == 0 {
		return 0
	}
	if _, ok := t.proven(n); !ok && above.has(edgeProven) {
		above.bits &^= edgeProven
		gone = above.n - below - 1 - uint32(n.plies)/treesearch.DeepenBy // with those that came after the proof
	}
	above.q *= float32(above.n) / float32(above.n-gone)
	above.n -= gone
	return gone
}
