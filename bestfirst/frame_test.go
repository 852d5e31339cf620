package bestfirst

import (
	"math/rand/v2"
	"testing"

	"tesla/search/treesearch"
)

// where says what to do when kernels and Go differ.
const where = "the formula stands in frame.go and tables.go, and in asm/main.go, from which go generate makes rank_amd64.s " +
	"(docs/formula.md): change both"

// The kernels give the ratios and sums that Go does, to the last bit.
func TestRank(t *testing.T) {
	if !vectorRank {
		t.Skip("no vectors on this processor")
	}
	fit, err := FitOf("")
	if err != nil {
		t.Fatal(err)
	}
	f := newFrame(newTables(fit, DefaultTuning(false)))
	r := rand.New(rand.NewPCG(1, 1))
	q := func() float32 { return 2.2*r.Float32() - 1.1 }
	for range 20_000 {
		n := node{q: q(), first: q(), second: q(), rest: 0.1 * r.Float32()}
		n.first, n.second = max(n.first, n.second), min(n.first, n.second)
		if r.IntN(8) == 0 {
			n.first, n.second = -2, -2
		}
		var edges [lanes]edge
		for i := range edges {
			edges[i] = edge{bits: r.Uint32() &^ (3 << 29), n: r.Uint32() >> (1 + r.IntN(31)), prior: uint16(r.Uint32() >> (16 + r.IntN(16))), value: int16(r.Uint32())}
			if r.IntN(2) == 0 {
				edges[i].bits &^= edgePending | edgeProven
			}
			if r.IntN(4) == 0 {
				edges[i].n = 0
			}
		}
		f.ask(&n, f.tables.natsOf(uint16(1+r.IntN(65535))))
		best := r.IntN(2*lanes) - lanes/2
		p := pair{(*[treesearch.ChunkSize]edge)(edges[:treesearch.ChunkSize]), (*[treesearch.ChunkSize]edge)(edges[treesearch.ChunkSize:])}
		f.rankGeneric(&n, p, best, len(edges))
		want := f.ratios
		rankVector(&f, p, best)
		if f.ratios != want {
			t.Fatalf("ratios of the kernel are %v, of Go %v: %s\nedges %v, best %d", f.ratios, want, where, edges, best)
		}
		f.sums = sums{weights: 1, weighted: q(), proven: -1, evals: r.Uint32()}
		before, count := f.sums, 1+r.IntN(len(edges))
		f.averageGeneric(&n, p, count)
		summed := f.sums
		f.sums = before
		averageVector(&f, p, count)
		if f.sums != summed {
			t.Fatalf("sums of the kernel are %+v, of Go %+v: %s\n%d of the edges %v", f.sums, summed, where, count, edges)
		}
	}
}
