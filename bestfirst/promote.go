package bestfirst

import (
	"slices"

	"tesla/treesearch"
)

// maxPly bounds the depth of a descent.
const maxPly = 250

// step is one edge of a descent, and the node that it leaves.
type step struct {
	node  uint32
	asked float32 // of the node that it leads to, see Sample; for traces alone
	edge  *edge
}

// minGap keeps equal moves from asking for no change at all.
const minGap = 0.002

// descend follows the best ratio of benefit to cost from the root to an edge without a node, or to a node that is searched in place or that
// another line has proven. It passes by nodes below which as many evaluations are under way as may be: each was chosen without knowing
// the others. Every edge and node on the way counts the evaluation as spent and pending. It returns false, nothing counted, where all that
// could be promoted on the way is pending already. Afterwards pr.line holds the positions, the last one the leaf'pr.
func (pr *promoter) descend() bool {
	t := pr.tree
	pr.path = pr.path[:0]
	for at, ply := t.root, 0; ; ply++ {
		n, slot := &t.Nodes.Items[at], -1
		switch {
		case ply == 0:
			slot = pr.pickRoot()
		case ply < maxPly:
			slot = pr.pick(n)
		}
		if slot < 0 {
			pr.blocked()
			return false
		}
		e := t.edge(n, slot)
		t.Prefetch(e.child)
		pr.path = append(pr.path, step{node: at, edge: e})
		if pr.opts.Trace != nil {
			pr.path[ply].asked = pr.asked(n, e, slot)
		}
		pr.line[ply].Make(e.move(), &pr.line[ply+1])
		if e.child == none {
			n.tried = max(n.tried, uint8(slot+1))
			t.index.prefetch(pr.line[ply+1].Key, pr.plies+uint16(ply+1))
			break
		}
		c := &t.Nodes.Items[e.child]
		if float64(c.pend) > pr.opts.Flight*float64(c.n-uint32(c.pend)) {
			e.bits |= edgePending // until a batch returns
			pr.busy = append(pr.busy, e)
			pr.path = pr.path[:ply]
			ply--
			continue
		}
		at = e.child
		if c.others != none {
			if e.learn(c); e.has(edgeProven) {
				break
			}
		}
		if pr.inPlace(c) {
			if c.flags&nodeWait != 0 { // for another parent
				pr.blocked()
				return false
			}
			c.flags |= nodeWait
			c.n++
			c.pend++
			break
		}
	}
	for _, st := range pr.path {
		n := &t.Nodes.Items[st.node]
		n.n++
		n.pend++
		st.edge.n++
	}
	pr.path[len(pr.path)-1].edge.bits |= edgePending
	return true
}

// inPlace tells whether a node is a leaf that is searched deeper before it gets children.
func (pr *promoter) inPlace(n *node) bool {
	return len(pr.opts.Leaves) > 0 && n.tried == 0 && int(n.plies) < pr.opts.Deepen && n.flags&nodeProven == 0
}

// blocked makes the edges that led to a node without anything left to promote look spent until the next batch returns,
// so that other descents take other ways.
func (pr *promoter) blocked() {
	for _, st := range pr.path {
		if child := st.edge.child; child != none {
			pr.tree.Nodes.Items[child].n++
			st.edge.n++
			pr.detours = append(pr.detours, st.edge)
		}
	}
}

// Unblock implements treesearch.Tree: it takes back what blocked counted, and lets descents pass again where there were enough.
func (pr *promoter) Unblock() {
	for _, e := range pr.detours {
		e.n--
		if e.child != none {
			pr.tree.Nodes.Items[e.child].n--
		}
	}
	for _, e := range pr.busy {
		e.bits &^= edgePending
	}
	pr.detours, pr.busy = pr.detours[:0], pr.busy[:0]
}

// weigh is an edge's q for the side that moves: the precision-weighted mean of what search found and what the policy implied; top
// is the nats of the node's best prior. A proven value needs no advice; before its first evaluation the policy alone tells.
func (m *model) weigh(n *node, e *edge, top float32) float32 {
	if !e.has(edgeValued) {
		return m.implied(n, e.prior, top)
	}
	q := qOf[uint16(e.value)]
	if e.has(edgeProven) {
		return q
	}
	x := m.noise(e)
	return (q + x*m.implied(n, e.prior, top)) / (1 + x)
}

// noise is the variance of what search found over that of what the policy implied, zero where nothing is mixed in.
func (m *model) noise(e *edge) float32 { return m.noiseSigma[e.sigmaCode()] * m.noiseN[bucketN(e.n)] }

// implied is the q that the policy implies for an edge by its prior: the node's value, as search has it by now, less a loss that makes
// the prior the logistic probability of being best.
func (m *model) implied(n *node, prior uint16, top float32) float32 {
	return n.q - float32(m.Loss)*max(0, m.nats(prior)-top)
}

// restValue is the q of all edges not yet evaluated, taken as one; false when their mass is gone.
func (m *model) restValue(n *node, top float32) (float32, bool) {
	if n.rest < restGone {
		return 0, false
	}
	return m.implied(n, uint16(n.rest*65535), top), true
}

// restGone is the policy mass below which unevaluated moves no longer count.
const restGone = 0.02

// The ways a node's own value must move, as an index of the model's tables.
const (
	rises = 0
	falls = 1
)

// ratioOf is the benefit per evaluation, by the ranking, of an edge whose child's value must move by need; weighted by the prior. The
// node's gaps count as so many times wider by its own evaluations: then it is how likely the move is the best after all, and the best one's
// gap is the least.
func (m *model) ratioOf(e *edge, need float32, way int, grow float32) float32 {
	if m.Settle > 0 && way == rises {
		need = m.gap
	}
	return m.favour(e.prior) * m.lookup(&m.chance[way], &m.perScale[way], e, need*grow)
}

// gainOf is the expected gain (q units) per evaluation.
func (m *model) gainOf(e *edge, need float32, way int) float32 {
	return m.lookup(&m.gain[way], &m.gainScale[way], e, need) * m.sigma[e.sigmaCode()]
}

// lookup reads a table for an edge; its unit is the edge's sigma. Edges have no evaluations before they have a value.
func (m *model) lookup(table *[nBuckets][zBuckets]float32, perScale *[nBuckets]float32, e *edge, need float32) float32 {
	b := bucketN(e.n)
	return table[b][bucketZ(need*m.perSigma[e.sigmaCode()]*perScale[b])]
}

// pick chooses the edge of a node whose promotion is most likely to change the node's best move, per evaluation: that of the best
// move, which may fall below the next, or of another, which may rise above it. The first untried edge stands for all of them. -1
// where nothing can be promoted.
func (pr *promoter) pick(n *node) int {
	m, t := pr.model, pr.tree
	m.ask(n, m.nats(t.Chunks.Items[n.chunk][0].prior))
	ratio, slot := float32(-1), -1
	last := min(int(n.tried)+1, int(n.moves))
	for c, from := n.chunk, 0; from < last; c, from = t.Chunks.Next[c], from+treesearch.ChunkSize {
		count := min(last-from, treesearch.ChunkSize)
		m.rank(n, &t.Chunks.Items[c], int(n.best)-from, count)
		for i, r := range m.ratios[:count] {
			if r > ratio {
				ratio, slot = r, from+i
			}
		}
	}
	return slot
}

// asked is by how much the child of an edge that was just picked must rise, or fall, where negative.
func (pr *promoter) asked(n *node, e *edge, slot int) float32 {
	gap, way := float32(0), rises
	if n == &pr.tree.Nodes.Items[pr.tree.root] {
		i := slices.IndexFunc(pr.roots, func(r rooted) bool { return r.slot == slot })
		gap, way = pr.roots[i].need, pr.wayOf(i)
	} else {
		gap, way = pr.model.needOf(n, e, slot == int(n.best))
	}
	if way == falls {
		return -gap
	}
	return gap
}

// rooted is a root move as the ranking sees it.
type rooted struct {
	edge  *edge
	slot  int
	q     float32 // value
	need  float32 // how far it must move to change the decision
	ratio float32 // as ratioOf has it after n evaluations
	n     uint32
}

// pickRoot chooses the root move to promote: the best ones (as many as there are principal variations) are asked to
// fall below the next, the others to rise to the worst of the best. It relies on rankRoot at the beginning of the batch.
func (pr *promoter) pickRoot() int {
	ratio, slot := float32(-1), -1
	grow := pr.model.growthOf(&pr.tree.Nodes.Items[pr.tree.root])
	for i := range pr.roots {
		r := &pr.roots[i]
		if r.edge.has(edgePending | edgeProven) {
			continue
		}
		if r.n != r.edge.n || r.ratio < 0 {
			r.n, r.ratio = r.edge.n, pr.model.ratioOf(r.edge, r.need, pr.wayOf(i), grow)
		}
		if r.ratio > ratio {
			ratio, slot = r.ratio, r.slot
		}
	}
	return slot
}

// gain is the best expected gain (q units) per evaluation at the root, as rankRoot found it.
func (pr *promoter) gain() (best float32) {
	for i := range pr.roots {
		if r := &pr.roots[i]; !r.edge.has(edgePending | edgeProven) {
			best = max(best, pr.model.gainOf(r.edge, r.need, pr.wayOf(i)))
		}
	}
	return best
}

// wayOf is how the child of the i-th of pr.roots must move to change the decision.
func (pr *promoter) wayOf(i int) int {
	if i < pr.lines {
		return rises
	}
	return falls
}

// rankRoot fills pr.roots: the pr.lines best moves first, in order, then the others in the order of their edges.
func (pr *promoter) rankRoot() {
	t, n := pr.tree, &pr.tree.Nodes.Items[pr.tree.root]
	top := pr.model.nats(t.Chunks.Items[n.chunk][0].prior)
	pr.model.resize(n.n)
	pr.roots = pr.roots[:0]
	for i := range int(n.moves) {
		e := t.edge(n, i)
		if !pr.loop.Allowed(e.move()) {
			continue
		}
		pr.roots = append(pr.roots, rooted{edge: e, slot: i, q: pr.model.weigh(n, e, top), ratio: -1})
	}
	pr.lines = min(pr.loop.MultiPV(), len(pr.roots))
	for k := range pr.lines {
		b := k
		for i := k + 1; i < len(pr.roots); i++ {
			if pr.better(&pr.roots[i], &pr.roots[b]) {
				b = i
			}
		}
		r := pr.roots[b]
		copy(pr.roots[k+1:b+1], pr.roots[k:b])
		pr.roots[k] = r
	}
	if pr.lines == 0 {
		return
	}
	worst, next := pr.roots[pr.lines-1].q, float32(-2)
	for _, r := range pr.roots[pr.lines:] {
		next = max(next, r.q)
	}
	for i := range pr.roots {
		if i < pr.lines {
			pr.roots[i].need = max(minGap, pr.roots[i].q-next)
		} else {
			pr.roots[i].need = max(minGap, worst-pr.roots[i].q)
		}
	}
}

// better orders root moves by value, those evaluated first.
func (pr *promoter) better(a, b *rooted) bool {
	if av, bv := a.edge.has(edgeValued), b.edge.has(edgeValued); av != bv {
		return av
	}
	return a.q > b.q
}
