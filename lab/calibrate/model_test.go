package calibrate

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tesla/bestfirst"
)

// TestTail compares the table with the distribution itself.
func TestTail(t *testing.T) {
	for _, nu := range []float64{1.6, 3, 30} {
		table, of := tailOf(&bestfirst.Fit{Nu: nu}), distuv.StudentsT{Sigma: 1, Nu: nu}
		last := 1.0
		for z := 0.001; z < 100; z *= 1.1 {
			got, want := table.beyond(z), of.Survival(z)
			if math.Abs(got-want) > 0.001 || got > last {
				t.Errorf("nu %v: beyond %v is %v after %v, want %v", nu, z, got, last, want)
			}
			last = got
		}
		for z, want := range map[float64]float64{0: 0.5, 1e-30: 0.5, 1e30: 0} {
			if got := table.beyond(z); math.Abs(got-want) > 1e-4 {
				t.Errorf("nu %v: beyond %v is %v, want %v", nu, z, got, want)
			}
		}
	}
}

func TestLogLoss(t *testing.T) {
	for _, c := range []struct {
		did     bool
		p, want float64
	}{
		{true, 1, 0}, {false, 0, 0}, {true, 0.5, math.Ln2}, {false, 0.5, math.Ln2}, {true, 0.25, 2 * math.Ln2},
		{true, 0, 9 * math.Ln10}, {false, 1, 9 * math.Ln10}, // certain and wrong: bounded
	} {
		if got := logLoss(c.did, c.p); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v at probability %v: %v, want %v", c.did, c.p, got, c.want)
		}
	}
}

// TestFitOf checks that whatever the free parameters are, the fit is one that the search accepts.
func TestFitOf(t *testing.T) {
	for _, v := range []float64{-30, -1, 0, 1, 6} {
		x := make([]float64, len(start))
		for i := range x {
			x[i] = v
		}
		f := fitOf(x)
		for name, share := range map[string]float64{"decay": f.Decay, "rises": f.Share[0], "falls": f.Share[1],
			"power": f.Power / 1.5} {
			if !(share >= 0 && share <= 1) {
				t.Errorf("all parameters %v: %s is %v", v, name, share)
			}
		}
		if !(f.Nu >= 1.5) || !(math.Abs(f.Fall) <= 1) {
			t.Errorf("all parameters %v: nu %v, fall %v", v, f.Nu, f.Fall)
		}
	}
	if math.Abs(logistic(0)-0.5) > 1e-15 || math.Abs(logistic(2)+logistic(-2)-1) > 1e-15 {
		t.Errorf("logistic: %v, %v, %v", logistic(0), logistic(2), logistic(-2))
	}
}

func TestMinimize(t *testing.T) {
	rosenbrock := func(x []float64) float64 {
		return math.Pow(1-x[0], 2) + 100*math.Pow(x[1]-x[0]*x[0], 2)
	}
	x := minimize(rosenbrock, []float64{-1, 2})
	if math.Abs(x[0]-1) > 0.01 || math.Abs(x[1]-1) > 0.02 {
		t.Errorf("the minimum of Rosenbrock's function is at %v, want 1, 1", x)
	}
	if x := minimize(func([]float64) float64 { return math.NaN() }, []float64{3}); len(x) != 1 {
		t.Errorf("of a function without values: %v", x)
	}
}

func TestThin(t *testing.T) {
	for _, n := range []int{0, 1, maxFit, maxFit + 1, 3*maxFit + 5} {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		some := thin(all)
		if n <= maxFit && len(some) != n || len(some) >= 2*maxFit {
			t.Errorf("%d of %d are left", len(some), n)
		}
		if n > 0 && (some[0] != 0 || all[n-1]-some[len(some)-1] >= max(1, n/maxFit)) || !slices.IsSorted(some) {
			t.Errorf("of %d: from %d to %d", n, some[0], some[len(some)-1])
		}
	}
}

// TestSplit checks that each search is in one part, whole, and that promotions of known outcome are counted.
func TestSplit(t *testing.T) {
	l := simulate(truth, 100, 3)
	l.Changes[3].Moved[1] = math.NaN()
	l.Changes[99].Moved[0] = math.NaN()
	train, test := l.Split()
	if len(train.Changes) != 80 || len(test.Changes) != 20 || len(train.Firsts) != 80 || len(test.Firsts) != 20 {
		t.Errorf("%d and %d changes, %d and %d first evaluations", len(train.Changes), len(test.Changes), len(train.Firsts),
			len(test.Firsts))
	}
	for _, c := range train.Changes {
		if c.Search >= 80 {
			t.Errorf("search %d is in the training part", c.Search)
		}
	}
	if all, a, b := l.Promotions(), train.Promotions(), test.Promotions(); all != 100*len(Plies)-2 || a+b != all ||
		b != 20*len(Plies)-1 {
		t.Errorf("%d promotions, %d and %d in the parts", all, a, b)
	}
}

// TestFlip checks which promotions count, and that more is asked with less probability.
func TestFlip(t *testing.T) {
	c := simulate(truth, 1, 4).Changes[0]
	table := tailOf(&truth)
	for _, x := range []struct {
		asked, moved float64
		did, ok      bool
	}{
		{0.1, 0.1, true, true}, {0.1, 0.09, false, true}, {-0.1, -0.1, true, true}, {-0.1, -0.09, false, true}, {-0.1, 0.5,
			false, true},
		{0, 0.5, false, false}, {0.1, math.NaN(), false, false},
	} {
		c.Asked, c.Moved[0] = x.asked, x.moved
		did, p, ok := flip(&truth, table, &c, 0)
		if did != x.did || ok != x.ok || ok && !(p > 0 && p < 1) {
			t.Errorf("asked %v, moved %v: %v with probability %v, known: %v", x.asked, x.moved, did, p, ok)
		}
	}
	for _, sign := range []float64{1, -1} {
		last := 1.0
		for gap := 0.001; gap < 2; gap *= 2 {
			p := beyond(&truth, table, &c, 0, sign*gap)
			if p > last {
				t.Errorf("a move of %v has probability %v, of less %v", sign*gap, p, last)
			}
			last = p
		}
	}
	if least := beyond(&truth, table, &c, 0, 1e-12); math.Abs(least-truth.Share[0]) > 1e-3 {
		t.Errorf("some rise has probability %v, want %v", least, truth.Share[0])
	}
}

// TestGroups checks the rates of groups against numbers worked out by hand.
func TestGroups(t *testing.T) {
	var all []outcome
	for i := range 7 {
		o := outcome{change: &Change{N: float64(7 - i)}, predicted: float64(i) / 10}
		if i >= 4 {
			o.actual = 1
		}
		all = append(all, o)
	}
	rates := split(all, "evaluations", 3, func(o outcome) float64 { return o.change.N })
	want := []Rate{ // N 1, 2 were made last
		{"evaluations 1 to 2", 2, 0.55, 1}, {"evaluations 3 to 4", 2, 0.35, 0.5}, {"evaluations 5 to 7", 3, 0.1, 0},
	}
	for i, w := range want {
		if r := rates[i]; r.Group != w.Group || r.Promotions != w.Promotions || math.Abs(r.Predicted-w.Predicted) > 1e-12 ||
			math.Abs(r.Actual-w.Actual) > 1e-12 {
			t.Errorf("%+v, want %+v", r, w)
		}
	}
	if rates := split(all[:2], "few", 10, func(o outcome) float64 { return o.change.N }); len(rates) != 2 {
		t.Errorf("two promotions in ten groups: %+v", rates)
	}
	if r := rate("nothing", nil); r != (Rate{Group: "nothing"}) {
		t.Errorf("%+v", r)
	}
}

// TestEmpty checks that a report of nothing has no number that is none.
func TestEmpty(t *testing.T) {
	r := Measure(truth, &Log{}, &Log{})
	for _, l := range r.Losses {
		if l.Promotions != 0 || l.Model != 0 || l.Constant != 0 {
			t.Errorf("%+v", l)
		}
	}
	for i, share := range r.PIT {
		if share != 0 {
			t.Errorf("bin %d: %v", i, share)
		}
	}
	if err := r.Plot(filepath.Join(t.TempDir(), "empty.svg")); err != nil {
		t.Error(err)
	}
}
