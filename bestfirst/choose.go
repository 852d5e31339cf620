package bestfirst

import (
	"tesla/search"
)

// Stage 1, choose: which edge of a node is worth the next evaluation to the best-first search.
//
// Which move is best at a node changes if the best one falls below the second best (disprove), or another rises above
// the best (prove). Each edge thus has a gap that its value must cross, and a direction. The edge is chosen whose gap
// is most likely to be crossed per evaluation, weighted by its prior.

// maxPly bounds the depth of a descent.
const maxPly = 250

// choose is the slot of the edge to promote at a node some plies below the root; -1 where nothing can be promoted.
func (rk *ranking) choose(n *node, ply int) int {
	switch {
	case ply == 0:
		return rk.chooseRoot()
	case ply >= maxPly:
		return -1
	}
	f, t := &rk.frame, rk.tree
	f.ask(n, f.tables.natsOf(t.Chunks.Items[n.chunk][0].prior))
	ratio, slot := float32(-1), -1
	last := min(int(n.tried)+1, n.made()) // the first edge without an evaluation stands for the rest
	var p pair
	for c, from := n.chunk, 0; from < last; from += lanes {
		count := min(last-from, lanes)
		p, c = t.pairAt(c, count)
		f.rank(n, p, int(n.best)-from, count)
		for i, r := range f.ratios[:count] {
			if r > ratio {
				ratio, slot = r, from+i
			}
		}
	}
	return slot
}

// rootMove is a root move as the ranking sees it.
type rootMove struct {
	edge  *edge
	slot  int
	way   int     // in which its child must move to change the decision
	q     float32 // value
	gap   float32 // how far it must move
	rank  int     // by endgame tables; 0: they do not know the root
	ratio float32 // by ratioOf, after n evaluations; -1: not known
	n     uint32
	order float32 // by playOrder
}

// chooseRoot is choose at the root, whose moves rankRoot ranked at the beginning of the batch. The best moves, one for
// each PV that is wanted, are asked to fall below the next, the others to rise to the worst of them.
func (rk *ranking) chooseRoot() int {
	ratio, slot := float32(-1), -1
	grow := rk.frame.growthOf(rk.root())
	for i := range rk.roots {
		r := &rk.roots[i]
		if r.edge.has(edgePending | edgeProven) {
			continue
		}
		if r.n != r.edge.n || r.ratio < 0 {
			r.n, r.ratio = r.edge.n, rk.tables.ratioOf(r.edge, r.gap, r.way, grow)
		}
		if r.ratio > ratio {
			ratio, slot = r.ratio, r.slot
		}
	}
	return slot
}

// rankRoot fills pr.roots: the pr.lines best moves first, in order, then the others in the order of their edges.
func (rk *ranking) rankRoot() {
	t, n := rk.tree, rk.root()
	rk.frame.shrink = rk.tables.shrinkOf(n.n)
	top := rk.tables.natsOf(t.Chunks.Items[n.chunk][0].prior)
	rk.roots = rk.roots[:0]
	for i := range int(n.moves) {
		if e := t.edge(n, i); rk.loop.Allowed(e.move()) {
			rk.roots = append(rk.roots, rootMove{edge: e, slot: i, q: rk.tables.valueOf(n, e, top), ratio: -1, rank: rk.loop.Rank(e.move())})
		}
	}
	rk.lines = min(rk.loop.MultiPV(), len(rk.roots))
	for k := range rk.lines {
		bestToFront(rk.roots[k:])
	}
	if rk.lines > 0 {
		setGaps(rk.roots, rk.lines)
	}
}

// bestToFront moves the best of some root moves to the front and keeps the order of the others.
func bestToFront(moves []rootMove) {
	best := 0
	for i := range moves {
		if better(&moves[i], &moves[best]) {
			best = i
		}
	}
	search.MoveToFront(moves, best)
}

// better orders root moves by rank and value, those with an evaluation first.
func better(a, b *rootMove) bool {
	if a.rank != b.rank {
		return a.rank > b.rank
	}
	if av, bv := a.edge.has(edgeValued), b.edge.has(edgeValued); av != bv {
		return av
	}
	return a.q > b.q
}

// setGaps gives root moves their gaps, of which the first lines ones are the best.
func setGaps(moves []rootMove, lines int) {
	worst, next := moves[lines-1].q, float32(-2)
	for _, r := range moves[lines:] {
		next = max(next, r.q)
	}
	for i := range moves {
		if r := &moves[i]; i < lines {
			r.gap, r.way = max(minGap, r.q-next), rises
		} else {
			r.gap, r.way = max(minGap, worst-r.q), falls
		}
	}
}
