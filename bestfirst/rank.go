package bestfirst

import "tesla/memory"

// question is what a node asks of a chunk of its edges, and the tables that answer it, as the kernels read them.
type question struct {
	noiseSigma *[256]float32
	noiseN     *[nBuckets]float32
	perSigma   *[256]float32
	perScale   *[2][nBuckets]float32
	bias       *[priorBuckets]float32
	loss       *[priorBuckets]float32
	chance     *[2][nBuckets][zBuckets]float32
	qOf        *[1 << 16]float32

	q, top, perNat float32 // of implied
	first, second  float32 // value of the best edge, and of the next or of all that are not tried
	gap            float32 // the least
	perMean        float32
	ratios         [memory.ChunkSize]float32 // or weights
	values         [memory.ChunkSize]float32
}

// ask prepares the ratios of a node's edges.
func (m *model) ask(n *node, top float32) {
	k := &m.question
	k.q, k.top, k.first, k.second = n.q, top, n.first, n.second
	if rest, ok := m.restValue(n, top); ok {
		k.second = max(k.second, rest)
	}
}

// rank fills m.ratios with the first count of a chunk's edges, -1 where nothing can be promoted; best is the place of the node's
// best edge, which may be none of them.
func (m *model) rank(n *node, edges *[memory.ChunkSize]edge, best, count int) {
	if vectorRank && !m.Gain {
		rankVector(&m.question, edges, best)
		return
	}
	m.rankGeneric(n, edges, best, count)
}

func (m *model) rankGeneric(n *node, edges *[memory.ChunkSize]edge, best, count int) {
	for i := range edges[:count] {
		m.ratios[i] = -1
		if e := &edges[i]; !e.has(edgePending | edgeProven) {
			need, way := m.needOf(n, e, i == best)
			m.ratios[i] = m.ratioOf(e, need, way)
		}
	}
}

// average fills m.ratios with how much each of the first count of a chunk's edges counts in the value of its node, and m.values with what it is
// worth: as many times as it has evaluations, and less the further it lies below the best one's.
func (m *model) average(n *node, edges *[memory.ChunkSize]edge, count int) {
	if vectorRank {
		averageVector(&m.question, edges)
		return
	}
	m.averageGeneric(n, edges, count)
}

func (m *model) averageGeneric(n *node, edges *[memory.ChunkSize]edge, count int) {
	for i := range edges[:count] {
		e := &edges[i]
		m.ratios[i], m.values[i] = 0, m.weigh(n, e, m.top)
		if e.has(edgeValued) && !e.lost() {
			below := (m.first - m.values[i]) * m.perMean
			m.ratios[i] = float32(e.n) / (1 + below*(1+below*0.5))
		}
	}
}

// needOf is how far an edge's child must move to change which edge is best, and which way.
func (m *model) needOf(n *node, e *edge, best bool) (need float32, way int) {
	v := m.weigh(n, e, m.top)
	if best {
		return max(m.gap, v-m.second), rises
	}
	return max(m.gap, m.first-v), falls
}
