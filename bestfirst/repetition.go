package bestfirst

import (
	"cmp"
	"maps"
	"slices"

	"tesla/board"
)

// treesearch.Leaf.Reach decides whether a new position repeats one before it. Here is what becomes of such draws later.
//
// A draw by repetition of a position that lies between the root and the edge holds until the game has come past that
// position: then only its third occurrence is a draw. So the draws of the tree that is kept are judged anew when the
// root moves, and the nodes above are recomputed.

// draw is what a draw by repetition, or one that was proven by a node which was reclaimed, rests on.
type draw struct {
	key   uint64 // of the position
	since int    // ply of the game at which it was on the line before; played: in the game, or not known
}

const played = -1

// noteDraw notes the draw by repetition that a descent reached after some plies, if it is one.
func (pr *promoter) noteDraw(ply int) {
	back := pr.loop.Game().Repeats(pr.line[:], ply)
	if back == 0 {
		return
	}
	d := draw{pr.line[ply].Key, played}
	if back <= ply {
		d.since = int(pr.plies) + ply - back
	}
	last := pr.path[ply-1]
	pr.tree.draws[parent{last.node, pr.tree.slotOf(&pr.tree.Nodes.Items[last.node], last.edge)}] = d
}

// moveDraws forgets the draws of a node that goes, and notes those that it has proven.
func (t *tree) moveDraws(i uint32) {
	n := &t.Nodes.Items[i]
	if len(t.draws) > 0 {
		for slot := range n.tried {
			delete(t.draws, parent{i, slot})
		}
	}
	if n.flags&nodeProven != 0 && !isDecided(n.value) {
		for _, p := range t.parentsOf(n) {
			t.draws[p] = draw{n.key, played}
		}
	}
}

// parentsOf are the edges that lead to a node.
func (t *tree) parentsOf(n *node) (all []parent) {
	if n.parent != none {
		all = append(all, parent{n.parent, n.slot})
	}
	for k := n.parents; k != none; k = t.parents.Next[k] {
		all = append(all, t.parents.Items[k])
	}
	return all
}

// changed are nodes to be recomputed, by their plies.
type changed map[uint16][]uint32

func (c changed) add(t *tree, i uint32) { c[t.Nodes.Items[i].ply] = append(c[t.Nodes.Items[i].ply], i) }

// rejudge judges the draws by repetition anew for the position after a game, which becomes the root.
func (pr *promoter) rejudge(g *board.Game) {
	t, keys, c := pr.tree, g.Keys(), changed{}
	times := map[uint64]int{g.Pos.Key: 2} // the root counts as part of the line
	for _, key := range keys[:len(keys)-1] {
		times[key]++
	}
	for key, n := range times {
		if n >= 2 && key != g.Pos.Key && !pr.opts.Share { // the index knows one of the nodes of a position
			t.clear()
			return
		}
	}
	order := func(a, b parent) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.slot, b.slot)) }
	for _, at := range slices.SortedFunc(maps.Keys(t.draws), order) {
		if d := t.draws[at]; d.since < int(pr.plies) && times[d.key] < 2 {
			t.reopen(at)
			c.add(t, at.node)
		}
	}
	for key, n := range times {
		for ply := pr.plies + 1; n >= 2 && ply <= pr.plies+maxPly; ply++ {
			if i := t.index.Find(key, ply); i != none {
				t.replaceByDraw(i, c)
			}
		}
	}
	pr.refreshAll(c)
}

// reopen makes an edge one without an evaluation.
func (t *tree) reopen(at parent) {
	n := &t.Nodes.Items[at.node]
	e := t.edge(n, int(at.slot))
	e.bits &^= edgeValued | edgeProven
	e.n, e.value = 0, 0
	n.rest += float32(e.prior) / 65535
	delete(t.draws, at)
}

// replaceByDraw makes the edges that lead to a node draws by repetition, which it was not when it was evaluated.
func (t *tree) replaceByDraw(i uint32, c changed) {
	n := &t.Nodes.Items[i]
	above := t.parentsOf(n)
	t.detach(n)
	for _, at := range above {
		t.edge(&t.Nodes.Items[at.node], int(at.slot)).settle(0, edgeProven)
		t.draws[at] = draw{n.key, played}
		c.add(t, at.node)
	}
}

// tell brings the lines that lead to a node up to date with it at once.
func (pr *promoter) tell(i uint32) {
	c := changed{}
	for _, at := range pr.tree.parentsOf(&pr.tree.Nodes.Items[i]) {
		pr.tree.learn(at, i)
		c.add(pr.tree, at.node)
	}
	pr.refreshAll(c)
}

// learn brings an edge up to date with its node, which may be proven no more.
func (t *tree) learn(at parent, i uint32) {
	e := t.edge(&t.Nodes.Items[at.node], int(at.slot))
	e.bits &^= edgeProven
	e.learn(&t.Nodes.Items[i])
}

// refreshAll recomputes nodes of which edges have changed, and the nodes above them up to the root where that changes
// them.
func (pr *promoter) refreshAll(c changed) {
	t := pr.tree
	for len(c) > 0 {
		ply := slices.Max(slices.Collect(maps.Keys(c)))
		nodes := c[ply]
		delete(c, ply)
		if ply < pr.plies {
			return
		}
		slices.Sort(nodes)
		for _, i := range slices.Compact(nodes) {
			n := &t.Nodes.Items[i]
			before := *n
			pr.policy.refresh(n, nil)
			if n.value == before.value && (n.flags^before.flags)&nodeProven == 0 {
				continue
			}
			for _, at := range t.parentsOf(n) {
				t.learn(at, i)
				c.add(t, at.node)
			}
		}
	}
}
