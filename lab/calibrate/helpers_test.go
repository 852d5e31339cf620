package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/search"
)

// sigma is that of every node of trace and every change of changed.
const sigma = 0.1

// trace is what a search logs of one new node, whose evaluations double from each value to the next.
func trace(values ...float32) []bestfirst.Sample {
	samples := make([]bestfirst.Sample, len(values))
	for i, q := range values {
		samples[i] = bestfirst.Sample{Node: 7, N: 1 << i, Q: q, Asked: 0.05, Missing: float32(i)}
	}
	samples[0].New, samples[0].Sigma, samples[0].Nats, samples[0].Parent = true, sigma, 1.5, 0.25
	return samples
}

// old makes a trace that of a node which the log did not see beginning, such as the root.
func old(samples []bestfirst.Sample) []bestfirst.Sample {
	samples[0].New = false
	return samples
}

// changed is a change of a node with n evaluations, for which a gap was asked.
func changed(n, asked float64, moved ...float64) Change {
	c := Change{N: n, Asked: asked, Sigma: sigma, Final: math.NaN()}
	for k := range c.Moved {
		c.Moved[k] = math.NaN()
	}
	copy(c.Moved[:], moved)
	return c
}

// simulate logs count promotions, and as many first evaluations, of a search whose values change exactly as a fit says.
func simulate(f bestfirst.Fit, count int, seed uint64) *Log {
	random := rand.New(rand.NewPCG(seed, 4))
	t := distuv.StudentsT{Sigma: 1, Nu: f.Nu, Src: rand.NewPCG(seed, 6)}
	l := &Log{Searches: count}
	for i := range count {
		c := changed(math.Exp2(float64(random.IntN(8))), 0.3*(random.Float64()-0.5))
		c.Search, c.Sigma = i, 0.02+0.2*random.Float64()
		scale := math.Exp(f.Scale(c.Sigma)) * math.Pow(c.N, -f.Decay)
		for k := range Plies {
			s := scale * math.Exp(f.Change[k])
			switch u := random.Float64(); {
			case u < f.Share[0]:
				c.Moved[k] = s * math.Abs(t.Rand())
			case u < f.Share[0]+f.Share[1]:
				c.Moved[k] = -s * math.Exp(f.Fall) * math.Abs(t.Rand())
			default:
				c.Moved[k] = 0
			}
		}
		c.Final = scale * math.Exp(f.Error) * t.Rand()
		l.Changes = append(l.Changes, c)
		nats := 4 * random.Float64()
		l.Firsts = append(l.Firsts, First{Search: i, Nats: nats, Loss: f.Loss*nats + f.Spread*t.Rand()})
	}
	return l
}

// scaleOf is the scale of a fit for the changes of changed, by its formula.
func scaleOf(f *bestfirst.Fit, n float64, k int) float64 {
	return math.Pow(sigma, f.Power) * math.Exp(f.Change[k]) * math.Pow(n, -f.Decay)
}

// collect logs six searches.
func collect(ctx context.Context, backend batcher.Backend, seed uint64) (*Log, error) {
	return Collect(ctx, func(trace func(bestfirst.Sample)) (search.Searcher, error) {
		return bestfirst.New(backend, nil, bestfirst.Options{Trace: trace})
	}, Config{Searches: 6, Evals: 500, Seed: seed})
}

// near reports values that differ by more than a tolerance. NaN is near NaN.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s: %.6g, want %.6g", what, got, want)
	}
}
