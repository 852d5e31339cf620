package bestfirst

import (
	"math"

	"tesla/treesearch"
)

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
	first, next    float32 // value of the best edge, and what it would have to fall to: second, or above it where choices settle
	gap, grow      float32 // the least, and by how much all count as wider
	perMean        float32
	ratios         [treesearch.ChunkSize]float32
	mean
	second float32 // value of the next best edge or of all that are not tried
}

// mean is summed over the edges of a node.
type mean struct {
	all, sum float32 // of weights, and of weighted values
	sure     float32 // the best proven value
	below    uint32  // evaluations
}

// ask prepares the ratios of a node's edges.
func (m *model) ask(n *node, top float32) {
	k := &m.question
	k.q, k.top, k.first, k.second = n.q, top, n.first, n.second
	if rest, ok := m.restValue(n, top); ok {
		k.second = max(k.second, rest)
	}
	k.next, k.grow = k.second, m.growthOf(n)
	if m.Settle > 0 {
		k.next = float32(math.Inf(1)) // the best move's gap is the least
	}
}

// rank fills m.ratios with the first count of a chunk's edges, -1 where nothing can be promoted; best is the place of the node's
// best edge, which may be none of them.
func (m *model) rank(n *node, edges *[treesearch.ChunkSize]edge, best, count int) {
	if vectorRank {
		rankVector(&m.question, edges, best)
		return
	}
	m.rankGeneric(n, edges, best, count)
}

func (m *model) rankGeneric(n *node, edges *[treesearch.ChunkSize]edge, best, count int) {
	for i := range edges[:count] {
		m.ratios[i] = -1
		if e := &edges[i]; !e.has(edgePending | edgeProven) {
			need, way := m.needOf(n, e, i == best)
			m.ratios[i] = m.ratioOf(e, need, way, m.grow)
		}
	}
}

// average adds the first count of a chunk's edges to m.mean: each counts as many times as it has evaluations, and less the further it lies
// below the node's best one.
func (m *model) average(n *node, edges *[treesearch.ChunkSize]edge, count int) {
	if vectorRank {
		averageVector(&m.question, edges, count)
		return
	}
	m.averageGeneric(n, edges, count)
}

func (m *model) averageGeneric(n *node, edges *[treesearch.ChunkSize]edge, count int) {
	var weights, weighted [treesearch.ChunkSize]float32
	for i := range edges[:count] {
		e := &edges[i]
		m.below += e.n
		v := m.weigh(n, e, m.top)
		if e.has(edgeProven) {
			m.sure = max(m.sure, v)
		}
		if e.has(edgeValued) && !e.lost() {
			x := (m.first - v) * m.perMean
			weights[i] = float32(e.n) / (1 + x*(1+x*0.5))
			weighted[i] = weights[i] * v
		}
	}
	m.all += total(&weights)
	m.sum += total(&weighted)
}

// total adds in the order that vectors do.
func total(v *[treesearch.ChunkSize]float32) float32 {
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}

// needOf is how far an edge's child must move to change which edge is best, and which way.
func (m *model) needOf(n *node, e *edge, best bool) (need float32, way int) {
	v := m.weigh(n, e, m.top)
	if best {
		return max(m.gap, v-m.second), rises
	}
	return max(m.gap, m.first-v), falls
}
