package bestfirst

import (
	"math"

	"tesla/search/treesearch"
)

// lanes is how many edges the kernels take at once. They and total are written for eight.
const lanes = 2 * treesearch.ChunkSize

var _ = [1]struct{}{}[lanes-8]

// pair is two chunks of a node's edges that follow each other.
type pair struct{ low, high *[treesearch.ChunkSize]edge }

// at is an edge of a pair by its place.
func (p pair) at(i int) *edge {
	if i < treesearch.ChunkSize {
		return &p.low[i]
	}
	return &p.high[i-treesearch.ChunkSize]
}

// pairAt is a chunk and the one after it, and what follows these. Where the first holds all count edges, what comes after is not read.
func (t *tree) pairAt(c uint32, count int) (p pair, next uint32) {
	p = pair{&t.Chunks.Items[c], &t.Chunks.Items[none]}
	if count > treesearch.ChunkSize {
		next = t.Chunks.Next[c]
		p.high, next = &t.Chunks.Items[next], t.Chunks.Next[next]
	}
	return p, next
}

// frame holds the facts about the node at which the promoter is, beside the tables. There is one frame, filled anew for
// each node. The kernels read and write it: asm/main.go has the offsets of the fields up to sums.
type frame struct {
	tables *tables
	qOf    *[1 << 16]float32

	q      float32        // of the node
	top    float32        // nats of its best prior
	first  float32        // value of its best edge
	next   float32        // value that the best edge would have to fall to; above it where choices settle
	grow   float32        // by how much all gaps count as wider
	ratios [lanes]float32 // of a pair's edges, by rank
	sums

	second float32 // value of the next best edge, or of the rest where that is higher
	shrink float32 // see shrinkOf
}

// sums are of the edges of a node, by average.
type sums struct {
	weights, weighted float32 // of weights, and of weighted values
	proven            float32 // the best proven value, at least -1
	evals             uint32
}

func newFrame(tb *tables) frame { return frame{tables: tb, qOf: &qOf, shrink: 1} }

// ask prepares the ratios of a node's edges. top is the nats of its best prior.
func (f *frame) ask(n *node, top float32) {
	tb := f.tables
	f.q, f.top, f.first, f.second = n.q, top, n.first, n.second
	if rest, ok := tb.restValue(n, top); ok {
		f.second = max(f.second, rest)
	}
	f.next, f.grow = f.second, f.growthOf(n)
	if tb.settles {
		f.next = float32(math.Inf(1)) // the best move's gap is the least
	}
}

// growthOf is by how much the gaps of a node count as wider.
func (f *frame) growthOf(n *node) float32 { return f.tables.growth[bucketN(n.n)] * f.shrink }

// rank fills f.ratios for the first count of a pair's edges, -1 where nothing can be promoted; best is the place in
// the pair of the node's best edge, which may lie outside.
func (f *frame) rank(n *node, p pair, best, count int) {
	if vectorRank {
		rankVector(f, p, best)
		return
	}
	f.rankGeneric(n, p, best, count)
}

func (f *frame) rankGeneric(n *node, p pair, best, count int) {
	for i := range count {
		f.ratios[i] = -1
		if e := p.at(i); !e.has(edgePending | edgeProven) {
			gap, way := f.gapOf(n, e, i == best)
			f.ratios[i] = f.tables.ratioOf(e, gap, way, f.grow)
		}
	}
}

// gapOf is how far an edge's child must move to change which edge is best, and which way.
func (f *frame) gapOf(n *node, e *edge, best bool) (gap float32, way int) {
	v := f.tables.valueOf(n, e, f.top)
	if best {
		return max(minGap, v-f.second), rises
	}
	return max(minGap, f.first-v), falls
}

// sum prepares the sums of a node's edges.
func (f *frame) sum(n *node, top float32) {
	f.q, f.top, f.first, f.sums = n.q, top, n.first, sums{proven: -1}
}

// average adds the first count of a pair's edges to f.sums. An edge's weight is its evaluations, and less the further
// it lies below the node's best one: at Tuning.Width below it, 0.4 of them.
func (f *frame) average(n *node, p pair, count int) {
	if vectorRank {
		averageVector(f, p, count)
		return
	}
	f.averageGeneric(n, p, count)
}

func (f *frame) averageGeneric(n *node, p pair, count int) {
	var weights, weighted [lanes]float32
	for i := range count {
		e := p.at(i)
		f.evals += e.n
		v := f.tables.valueOf(n, e, f.top)
		if e.has(edgeProven) {
			f.proven = max(f.proven, v)
		}
		if e.has(edgeValued) && !e.lost() {
			x := (f.first - v) * f.tables.perWidth
			weights[i] = float32(e.n) / (1 + x*(1+x*0.5))
			weighted[i] = weights[i] * v
		}
	}
	f.weights += total(&weights)
	f.weighted += total(&weighted)
}

// total adds in the order in which the kernels do.
func total(v *[lanes]float32) float32 {
	return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]))
}
