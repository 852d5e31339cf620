package bestfirst

import "tesla/memory"

// maxPly bounds the depth of a descent.
const maxPly = 250

// step is one edge of a descent, the node that it leaves, and what was asked of that node.
type step struct {
	node  uint32
	asked float32 // question.signed
	edge  *edge
}

// question is what a descent asks of a node: by how much (q units) its own value must rise or fall to change the
// decision at the root.
type question struct {
	gap  float32
	rise bool
}

// signed is the gap, negative where the value must fall.
func (q question) signed() float32 {
	if q.rise {
		return q.gap
	}
	return -q.gap
}

// minGap keeps equal moves from asking for no change at all.
const minGap = 0.002

// descend follows the best ratio of benefit to cost from the root to an edge without a node. Every edge and node
// on the way counts the evaluation as spent and pending. It returns false, nothing counted, where all that could be
// promoted on the way is pending already. Afterwards s.line holds the positions, the last one the leaf's.
func (s *Searcher) descend() bool {
	t := s.tree
	s.path = s.path[:0]
	at, asked := t.root, float32(0)
	slot, q := s.pickRoot()
	for ply := 0; ; ply++ {
		n := &t.Nodes.Items[at]
		if slot < 0 || ply == maxPly {
			s.blocked()
			return false
		}
		e := t.edge(n, slot)
		s.path = append(s.path, step{at, asked, e})
		asked = q.signed()
		s.line[ply].Make(e.move(), &s.line[ply+1])
		if e.child == none {
			n.tried = max(n.tried, uint8(slot+1))
			s.asked = asked
			break
		}
		at = e.child
		if c := &t.Nodes.Items[at]; c.others != none && e.n != c.n {
			e.n = c.n
			e.learn(c)
		}
		slot, q = s.pick(&t.Nodes.Items[at], q)
	}
	for _, st := range s.path {
		n := &t.Nodes.Items[st.node]
		n.n++
		n.pend++
		st.edge.n++
	}
	s.path[len(s.path)-1].edge.bits |= edgePending
	return true
}

// blocked makes the edges that led to a node without anything left to promote look spent until the next batch returns,
// so that other descents take other ways.
func (s *Searcher) blocked() {
	for _, st := range s.path {
		if child := st.edge.child; child != none {
			s.tree.Nodes.Items[child].n++
			st.edge.n++
			s.detours = append(s.detours, st.edge)
		}
	}
}

// unblock takes the counts of blocked back.
func (s *Searcher) unblock() {
	for _, e := range s.detours {
		e.n--
		if e.child != none {
			s.tree.Nodes.Items[e.child].n--
		}
	}
	s.detours = s.detours[:0]
}

// value is an edge's q for the side that moves: the precision-weighted mean of what search found and what the policy
// implied; top is the nats of the node's best prior. A proven value needs no advice.
func (m *model) value(n *node, e *edge, top float32) float32 {
	q := qOf[uint16(e.cp)]
	if e.has(edgeProven) {
		return q
	}
	x := m.noise(e)
	return (q + x*m.implied(n, e, top)) / (1 + x)
}

// noise is the variance of what search found over that of what the policy implied, zero where nothing is mixed in. A
// value changes by 1 / (1 + noise) of what search finds.
func (m *model) noise(e *edge) float32 {
	if !e.has(edgeValued) {
		return 0
	}
	return m.noiseSigma[e.sigmaCode()] * m.noiseN[bucketN(e.n)]
}

// implied is the q that the policy implies for an edge: the node's own value less a loss that makes the prior the
// logistic probability of being best.
func (m *model) implied(n *node, e *edge, top float32) float32 {
	return n.base - float32(m.Loss)*max(0, m.nats(e.prior)-top)
}

// restValue is the q of all edges not yet evaluated, taken as one; false when their mass is gone.
func (m *model) restValue(n *node, top float32) (float32, bool) {
	if n.rest < restGone {
		return 0, false
	}
	return n.base - float32(m.Loss)*max(0, m.nats(uint16(n.rest*65535))-top), true
}

// restGone is the policy mass below which unevaluated moves no longer count.
const restGone = 0.02

// The ways a node's own value must move, as an index of the model's tables.
const (
	rises = 0
	falls = 1
)

// ratioOf is the benefit per evaluation, by the ranking, of an edge whose child's own value must move by need; weighted by
// the prior.
func (m *model) ratioOf(e *edge, need float32, way int) float32 {
	if m.Gain {
		return m.favour(e.prior) * m.gainOf(e, need, way)
	}
	r, _ := lookup(m, &m.chance[way], e, need, way)
	return m.favour(e.prior) * r
}

// gainOf is the expected gain (q units) per evaluation.
func (m *model) gainOf(e *edge, need float32, way int) float32 {
	r, sigma := lookup(m, &m.gain[way], e, need, way)
	return r * sigma
}

// lookup reads a table for an edge, and gives the sigma that the table's unit is.
func lookup(m *model, table *[nBuckets][zBuckets]float32, e *edge, need float32, way int) (r, sigma float32) {
	if !e.has(edgeValued) {
		return table[0][bucketZ(need/m.spread)], m.spread
	}
	b, code := max(1, bucketN(e.n)), e.sigmaCode()
	return table[b][bucketZ(need*m.perSigma[code]*m.perScale[way][b])], m.sigma[code]
}

// flips is the probability that an edge's child moves by need over the next ply, but for a factor of the way.
func (m *model) flips(e *edge, need float32, way int) float32 {
	return m.tail[bucketZ(need*m.perSigma[e.sigmaCode()]*m.perScale[way][max(1, bucketN(e.n))])]
}

// pick chooses the edge of a node that a question is handed down to, and the question that its child is asked; slot -1
// where nothing can be promoted. A node that cannot fall, because its best move is final, is asked whether it rises.
func (s *Searcher) pick(n *node, q question) (slot int, child question) {
	if slot, child = s.pickEdge(n, q); slot < 0 && !q.rise {
		q.rise = true
		slot, child = s.pickEdge(n, q)
	}
	return slot, child
}

func (s *Searcher) pickEdge(n *node, q question) (slot int, child question) {
	m, t := s.model, s.tree
	soft := m.Soft > 0 && n.best != noSlot
	var bestVariance float32
	if soft {
		bestVariance = m.variance(t.edge(n, int(n.best)))
	}
	best, bestNeed, slot := float32(-1), float32(0), -1
	way := rises // of the child: the opposite of the node's own
	if q.rise {
		way = falls
	}
	gap := max(q.gap, minGap)
	var bestFlip float32 = 1
	if !q.rise && n.best != noSlot {
		bestFlip = max(1e-6, m.flips(t.edge(n, int(n.best)), gap, rises))
	}
	top := m.nats(t.Chunks.Items[n.chunk][0].prior)
	c, last := n.chunk, min(int(n.tried)+1, int(n.moves)) // the first untried edge is a candidate too
	for i := range last {
		if i&(memory.ChunkSize-1) == 0 && i > 0 {
			c = t.Chunks.Next[c]
		}
		e := &t.Chunks.Items[c][i&(memory.ChunkSize-1)]
		if e.has(edgePending | edgeProven) {
			continue
		}
		var v float32
		if e.has(edgeValued) {
			v = m.value(n, e, top)
		} else {
			v = m.implied(n, e, top)
		}
		var need, share float32 = 0, 1
		switch {
		case soft && e.has(edgeValued):
			need = gap * n.second / max(0.01*n.second, m.weigh(n, e, v, bestVariance))
			if q.rise {
				need = min(need, gap+max(0, n.q-v))
			}
		case q.rise:
			need = gap + max(0, n.q-v)
		default:
			need = gap - max(0, n.q-v)
			if need <= 0 && i != int(n.best) {
				continue // it is below already
			}
			need = max(need, minGap)
			if i != int(n.best) && e.has(edgeValued) {
				share = bestFlip / max(1e-6, m.flips(e, need, rises))
			}
		}
		need *= 1 + m.noise(e)
		if r := m.ratioOf(e, need, way) * share; r > best {
			best, bestNeed, slot = r, need, i
		}
	}
	return slot, question{gap: bestNeed, rise: !q.rise}
}

// rooted is a root move as the ranking sees it.
type rooted struct {
	edge *edge
	slot int
	q    float32 // value
	need float32 // how far it must move to change the decision
}

// pickRoot chooses the root move to promote: the best ones (as many as there are principal variations) are asked to
// fall below the next, the others to rise to the worst of the best. It relies on rankRoot at the beginning of the batch.
func (s *Searcher) pickRoot() (int, question) {
	slot, best, child := -1, float32(-1), question{}
	for i := range s.roots {
		r := &s.roots[i]
		if r.edge.has(edgePending | edgeProven) {
			continue
		}
		need := s.needed(r)
		way := s.wayOf(i)
		if ratio := s.model.ratioOf(r.edge, need, way); ratio > best {
			best, slot = ratio, r.slot
			child = question{gap: need, rise: way == rises}
		}
	}
	return slot, child
}

// needed is how far the child of a root move must move for the decision to change.
func (s *Searcher) needed(r *rooted) float32 {
	return max(minGap, r.need) * (1 + s.model.noise(r.edge))
}

// gain is the best expected gain (q units) per evaluation at the root, as rankRoot found it.
func (s *Searcher) gain() (best float32) {
	for i := range s.roots {
		if r := &s.roots[i]; !r.edge.has(edgePending | edgeProven) {
			best = max(best, s.model.gainOf(r.edge, s.needed(r), s.wayOf(i)))
		}
	}
	return best
}

// wayOf is how the child of the i-th of s.roots must move to change the decision.
func (s *Searcher) wayOf(i int) int {
	if i < s.lines {
		return rises
	}
	return falls
}

// rankRoot fills s.roots: the s.lines best moves first, in order, then the others in the order of their edges.
func (s *Searcher) rankRoot() {
	t, n := s.tree, &s.tree.Nodes.Items[s.tree.root]
	top := s.model.nats(t.Chunks.Items[n.chunk][0].prior)
	s.roots = s.roots[:0]
	for i := range int(n.moves) {
		e := t.edge(n, i)
		if !s.loop.Allowed(e.move()) {
			continue
		}
		r := rooted{edge: e, slot: i}
		if e.has(edgeValued) {
			r.q = s.model.value(n, e, top)
		} else {
			r.q = s.model.implied(n, e, top)
		}
		s.roots = append(s.roots, r)
	}
	s.lines = min(max(1, s.loop.Limits.MultiPV), len(s.roots))
	for k := range s.lines {
		b := k
		for i := k + 1; i < len(s.roots); i++ {
			if s.better(&s.roots[i], &s.roots[b]) {
				b = i
			}
		}
		r := s.roots[b]
		copy(s.roots[k+1:b+1], s.roots[k:b])
		s.roots[k] = r
	}
	if s.lines == 0 {
		return
	}
	worst, next := s.roots[s.lines-1].q, float32(-2)
	for _, r := range s.roots[s.lines:] {
		next = max(next, r.q)
	}
	for i := range s.roots {
		if i < s.lines {
			s.roots[i].need = s.roots[i].q - next
		} else {
			s.roots[i].need = worst - s.roots[i].q
		}
	}
}

// better orders root moves by value, those evaluated first.
func (s *Searcher) better(a, b *rooted) bool {
	if av, bv := a.edge.has(edgeValued), b.edge.has(edgeValued); av != bv {
		return av
	}
	return a.q > b.q
}
