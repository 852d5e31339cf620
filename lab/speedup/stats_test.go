package speedup

import (
	"math"
	"math/rand/v2"
	"testing"

	"tesla/internal/slow"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{1, 100, 3, 2}, 2.5}} {
		if got := median(c.x); got != c.want {
			t.Errorf("median of %v is %g, want %g", c.x, got, c.want)
		}
	}
	x := []float64{3, 1, 2}
	if median(x); x[0] != 3 {
		t.Error("median sorts what it was given")
	}
}

// TestBootstrapExact has intervals that can be told without drawing.
func TestBootstrapExact(t *testing.T) {
	for name, c := range map[string]struct {
		pairs     []pair
		low, high float64
	}{
		"equal ratios": {[]pair{{[]float64{2, 2}, []float64{1, 1}}, {[]float64{8}, []float64{4}}, {[]float64{6, 6},
			[]float64{3}}}, 2, 2},
		// Of two positions the same is drawn twice half of the time: the ends are the positions' own ratios.
		"two positions": {[]pair{{[]float64{3}, []float64{1}}, {[]float64{1}, []float64{1}}}, 1, 3},
		// One position, one repeat of two for each side: 1/4 of the draws have 1/4 and 1/4 have 4/1.
		"two repeats": {[]pair{{[]float64{1, 4}, []float64{1, 4}}}, 0.25, 4},
		"nothing":     {nil, 0, 0},
	} {
		if low, high := bootstrap(c.pairs, 2000, 7); !near(low, c.low, 1e-12) || !near(high, c.high, 1e-12) {
			t.Errorf("%s: %g .. %g, want %g .. %g", name, low, high, c.low, c.high)
		}
	}
}

// TestBootstrapNormal compares with the normal approximation: the ratio of sums over n positions with times 1 and
// 1/s_i has, with equal times of one thread, the error of a mean.
func TestBootstrapNormal(t *testing.T) {
	slow.Test(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	const n = 400
	var pairs []pair
	var sum, squares float64
	for range n {
		many := 0.5 + 0.1*rnd.NormFloat64()
		sum += many
		squares += many * many
		pairs = append(pairs, pair{[]float64{1}, []float64{many}})
	}
	average := sum / n
	sd := math.Sqrt(squares/n-average*average) / math.Sqrt(n)
	low, high := bootstrap(pairs, 20000, 3)
	if wantLow, wantHigh := 1/(average+1.96*sd), 1/(average-1.96*sd); !near(low, wantLow, 0.002) || !near(high, wantHigh,
		0.002) {
		t.Errorf("%g .. %g, want %g .. %g", low, high, wantLow, wantHigh)
	}
	if again, _ := bootstrap(pairs, 20000, 3); again != low {
		t.Errorf("the same seed gives %g, then %g", low, again)
	}
	if other, _ := bootstrap(pairs, 20000, 4); other == low {
		t.Error("another seed gives the same")
	}
}

// TestOverheads checks the identity and the definitions on random figures.
func TestOverheads(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		n := 1 + rnd.IntN(64)
		one, many := 0.001+rnd.Float64()*1000, 0.001+rnd.Float64()*1000
		nodes, oneNodes := 1+rnd.Float64()*1e9, 1+rnd.Float64()*1e9
		messages := rnd.Float64() * one
		o := overheads(n, many, one, nodes, oneNodes, messages)
		if !near(o.TO, o.CO+o.SO+o.SY, 1e-9*(1+math.Abs(o.TO)+o.SO)) || !near(o.TO, float64(n)*many/one-1, 1e-9*(1+o.TO)) ||
			!near(o.SO, nodes/oneNodes-1, 1e-9*(1+o.SO)) || !near(o.CO, messages/one, 1e-9) {
			t.Fatalf("%d: %+v", n, o)
		}
	}
	if o := overheads(2, 0, 0, 0, 0, 0); math.IsNaN(o.TO+o.SO+o.CO+o.SY) || math.IsInf(o.TO, 0) {
		t.Errorf("of nothing: %+v", o)
	}
}
