package nnue

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// randomNet returns a net with random weights. Its values and policies vary like those of a trained net: accumulators cover the
// range of their activation, and logits are a few units large. The same arguments give the same net.
func randomNet(t testing.TB, h Header, seed uint64) *Net {
	t.Helper()
	h.Float = false
	rnd := rand.New(rand.NewPCG(seed, 0))
	f := &FloatNet{Header: h}
	spread := []struct{ mean, width float64 }{
		{0, 0.12}, {0.3, 0.3}, {0, 4 / math.Sqrt(float64(h.H))}, {1, 0}, {0.2, 0.2}, {0, 0.5}, {0.2, 0.2}, {0, 1}, {0, 0.2}, // value
		{0, 0.15}, {0.3, 0.3}, {0, 4 / math.Sqrt(float64(h.P))}, {0, 4 / math.Sqrt(float64(h.P))},
		{1, 0}, {1, 0}, {0, 0.5}, {0, 0.5}, {0, 0.5}, // policy
	}
	for i, dst := range f.arrays() {
		*dst = make([]float32, f.sections()[i].count)
		for k := range *dst {
			(*dst)[k] = float32(spread[i].mean + spread[i].width*(2*rnd.Float64()-1))
		}
	}
	n := f.Round()
	if err := n.Write(&bytes.Buffer{}); err != nil { // for the hash
		t.Fatal(err)
	}
	return n
}
