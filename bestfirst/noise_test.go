package bestfirst

import (
	"math"
	"testing"

	"tesla/search"
	"tesla/treesearch/treetest"
)

// A deviation is the root mean square of the differences, with the net's sigma as some of them.
func TestDeviate(t *testing.T) {
	n := &node{deviation: deviationOf(0.1)}
	sum := deviationPrior * 0.1 * 0.1
	for i := range 1000 {
		d := 0.3
		if i%4 == 0 {
			d = -0.05
		}
		n.n++
		n.deviate(float32(d))
		sum += d * d
		want := math.Sqrt(sum / float64(deviationPrior+i+1))
		if got := float64(n.deviation) * deviationUnit; math.Abs(got-want) > 0.01*want {
			t.Fatalf("%v after %d evaluations, want %v", got, i+1, want)
		}
	}
}

// An edge's sigma is the net's where the deviation is the usual one, larger where evaluations differ more, and the same as
// the net's without the option.
func TestMeasured(t *testing.T) {
	fit, err := FitOf("")
	if err != nil {
		t.Fatal(err)
	}
	tb := newTables(fit, tuned(""))
	for _, c := range []struct {
		noise, deviation float64 // the latter in sigmas
		evals            uint32
		want             float64 // in sigmas
	}{
		{0.5, 1, 1, 1},
		{0.5, usualFactor * math.Pow(100, usualPower), 100, 1},
		{0.5, 4 * usualFactor * math.Pow(1000, usualPower), 1000, 2},
		{1, 0.5, 2, 0.5},
		{0, 4, 50, 1},
	} {
		tb.deviationPower = float32(c.noise)
		n := &node{n: c.evals, sigma: sigmaCode(0.05), deviation: deviationOf(float32(0.05 * c.deviation))}
		if got := codeSigma(tb.measured(n)) / codeSigma(n.sigma); math.Abs(got-c.want) > 0.08*c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// With the option edges have the sigmas that were measured, without it those of the net.
func TestNoise(t *testing.T) {
	for options, measured := range map[string]bool{"": false, "noise=0.6": true} {
		s := open(t, treetest.Mock(t), Options{Tuning: tuned(options)})
		run(s, treetest.Game(t, middle), search.Limits{Evals: 3000})
		tr, differ := s.promoter.tree, 0
		for i := range tr.Nodes.Items[:tr.Nodes.Top()] {
			n := &tr.Nodes.Items[i]
			for k := range int(n.tried) {
				if e := tr.edge(n, k); e.child != none && e.sigmaCode() != tr.Nodes.Items[e.child].sigma {
					differ++
				}
			}
		}
		if (differ > 100) != measured {
			t.Errorf("%q: the sigmas of %d edges are not the net's", options, differ)
		}
	}
}
