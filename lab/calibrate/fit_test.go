package calibrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tesla/bestfirst"
)

var truth = bestfirst.Fit{Power: 0.8, Decay: 0.3, Change: [3]float64{-0.7, -0.4, -0.2}, Fall: -0.4, Share: [2]float64{0.35, 0.3},
	Error: 0.3, Nu: 3, Spread: 0.1, Loss: 0.07}

func TestThin(t *testing.T) {
	for _, c := range []struct{ records, step int }{{0, 1}, {1, 1}, {maxFit, 1}, {2*maxFit - 1, 1}, {2 * maxFit, 2}, {7*maxFit + 3, 7}} {
		all := make([]int, c.records)
		for i := range all {
			all[i] = i
		}
		some := thin(all)
		if want := (c.records + c.step - 1) / c.step; len(some) != want {
			t.Errorf("%d of %d records are taken, want %d", len(some), c.records, want)
		}
		for i, x := range some {
			if x != i*c.step {
				t.Fatalf("record %d of %d is taken, want every %d-th", x, c.records, c.step)
			}
		}
	}
}

func TestMinimize(t *testing.T) {
	for _, c := range []struct {
		name        string
		f           func(x []float64) float64
		start, want []float64
	}{
		{"ellipse", func(x []float64) float64 { return (x[0]-3)*(x[0]-3) + 10*(x[1]+1)*(x[1]+1) }, []float64{0, 0}, []float64{3, -1}},
		{"Rosenbrock's valley", func(x []float64) float64 {
			return 100*(x[1]-x[0]*x[0])*(x[1]-x[0]*x[0]) + (1-x[0])*(1-x[0])
		}, []float64{-1.2, 1}, []float64{1, 1}},
		{"plain", func([]float64) float64 { return 5 }, []float64{2, 4}, []float64{2, 4}},
		{"not a number", func([]float64) float64 { return math.NaN() }, []float64{2, 4}, []float64{2, 4}},
	} {
		x := minimize(c.f, c.start)
		for i, want := range c.want {
			near(t, c.name, x[i], want, 0.01)
		}
	}
}

// TestFitOf checks that no parameters, however far away, give a fit that the search cannot use.
func TestFitOf(t *testing.T) {
	for _, far := range []float64{-40, -3, 0, 3, 40} {
		x := make([]float64, len(start))
		for i := range x {
			x[i] = far
		}
		f := fitOf(x)
		for name, v := range map[string][3]float64{ // value and its range
			"power": {f.Power, 0, 1.5}, "decay": {f.Decay, 0, 1}, "nu": {f.Nu, 1.5, math.MaxFloat64}, "fall": {f.Fall, -1, 1},
			"share that rises": {f.Share[0], 0, 1}, "share that falls": {f.Share[1], 0, 1},
		} {
			if v[0] < v[1] || v[0] > v[2] {
				t.Errorf("parameters of %v: %s %v, want %v to %v", far, name, v[0], v[1], v[2])
			}
		}
		if f.Change != [3]float64{far, far, far} {
			t.Errorf("parameters of %v: change %v", far, f.Change)
		}
	}
	f := fitOf([]float64{math.Log(2), -math.Log(3), 1, 2, 3, math.Log(2.5), 0.5, math.Log(4), -math.Log(4)})
	for name, pair := range map[string][2]float64{"power": {f.Power, 1}, "decay": {f.Decay, 0.25}, "change in four plies": {f.Change[2], 3},
		"nu": {f.Nu, 4}, "fall": {f.Fall, math.Tanh(0.5)}, "rises": {f.Share[0], 0.8}, "falls": {f.Share[1], 0.2}} {
		near(t, name, pair[0], pair[1], 1e-12)
	}
}

// TestTail holds the table against the distribution function.
func TestTail(t *testing.T) {
	for _, nu := range []float64{1.6, 3, 20} {
		table, exact := tailOf(&bestfirst.Fit{Nu: nu}), distuv.StudentsT{Sigma: 1, Nu: nu}
		near(t, "tail at 0", table.beyond(0), 0.5, 1e-4)
		near(t, "tail at infinity", table.beyond(math.Inf(1)), 0, 1e-6)
		last := 1.0
		for z := 1e-4; z < 1e4; z *= 1.07 {
			p := table.beyond(z)
			near(t, "tail", p, exact.Survival(z), 3e-4)
			if p > last {
				t.Errorf("nu %v: the tail rises at %v", nu, z)
			}
			last = p
		}
	}
}

// TestBeyond computes the probability of a flip by the formula of the change model.
func TestBeyond(t *testing.T) {
	table, exact := tailOf(&truth), distuv.StudentsT{Sigma: 1, Nu: truth.Nu}
	for _, n := range []float64{1, 16, 300} {
		c := changed(n, 0)
		for k := range Plies {
			for _, gap := range []float64{0.001, 0.02, 0.3, 1.5} {
				s := scaleOf(&truth, n, k)
				near(t, "rise", beyond(&truth, table, &c, k, gap), 0.35*2*exact.Survival(gap/s), 1e-3)
				near(t, "fall", beyond(&truth, table, &c, k, -gap), 0.3*2*exact.Survival(gap/(s*math.Exp(-0.4))), 1e-3)
			}
		}
	}
}

func TestFlip(t *testing.T) {
	table := tailOf(&truth)
	for _, c := range []struct {
		asked, moved float64
		did, ok      bool
	}{
		{0, 0.5, false, false}, {0.2, nan, false, false}, {-0.2, nan, false, false},
		{0.2, 0.2, true, true}, {0.2, 0.19, false, true}, {0.2, -0.3, false, true}, {0.2, 0, false, true},
		{-0.2, -0.2, true, true}, {-0.2, -0.19, false, true}, {-0.2, 0.3, false, true}, {-0.2, 0, false, true},
	} {
		change := changed(4, c.asked, 0.01, c.moved)
		did, p, ok := flip(&truth, table, &change, 1)
		want := 0.0
		if c.ok {
			want = beyond(&truth, table, &change, 1, c.asked)
		}
		if did != c.did || ok != c.ok || p != want {
			t.Errorf("asked %v, moved %v: %v, %v, %v; want %v, %v, %v", c.asked, c.moved, did, p, ok, c.did, want, c.ok)
		}
	}
}

func TestLogLoss(t *testing.T) {
	for _, c := range []struct {
		did     bool
		p, want float64
	}{{true, 1, 0}, {false, 0, 0}, {true, 0.5, math.Ln2}, {false, 0.75, math.Log(4)}, {true, 0, 9 * math.Ln10}, {false, 1, 9 * math.Ln10}} {
		near(t, "log-loss", logLoss(c.did, c.p), c.want, 1e-6)
	}
}

// TestEstimate fits known models again: flips, errors and first evaluations.
func TestEstimate(t *testing.T) {
	other := bestfirst.Fit{Power: 1, Decay: 0.15, Change: [3]float64{-1, -0.7, -0.1}, Fall: 0.2, Share: [2]float64{0.25, 0.45},
		Error: -0.2, Nu: 6, Spread: 0.03, Loss: 0.15}
	for name, truth := range map[string]bestfirst.Fit{"heavy tails": truth, "light tails": other} {
		t.Run(name, func(t *testing.T) {
			f := Estimate(simulate(truth, 3000, 1))
			for name, v := range map[string][3]float64{ // found, true and tolerance
				"power": {f.Power, truth.Power, 0.1}, "decay": {f.Decay, truth.Decay, 0.08},
				"change in a ply": {f.Change[0], truth.Change[0], 0.35}, "change in four plies": {f.Change[2], truth.Change[2], 0.35},
				"fall": {f.Fall, truth.Fall, 0.15}, "share that rises": {f.Share[0], truth.Share[0], 0.05},
				"share that falls": {f.Share[1], truth.Share[1], 0.05}, "error": {f.Error, truth.Error, 0.35},
				"loss": {f.Loss, truth.Loss, 0.01}, "spread": {f.Spread, truth.Spread, 0.02},
			} {
				near(t, name, v[0], v[1], v[2])
			}
		})
	}
}

// TestEstimateError gives the estimate all other parameters, so that it must be precise.
func TestEstimateError(t *testing.T) {
	for _, want := range []float64{-1, 0.3} {
		f := truth
		f.Error = want
		l := simulate(f, 4000, 3)
		for i := range l.Changes {
			if i%3 == 0 {
				l.Changes[i].Final = nan // a node that did not grow enough
			}
		}
		f.Error = 0
		near(t, "error", estimateError(&f, l.Changes), want, 0.05)
	}
}

// TestEstimateFirsts checks that a loss is found, and held positive where a worse prior goes with a better value.
func TestEstimateFirsts(t *testing.T) {
	for _, c := range []struct{ loss, spread, want float64 }{{0.07, 0.1, 0.07}, {0.3, 0.02, 0.3}, {-0.2, 0.1, 0.005}} {
		f := truth
		f.Loss, f.Spread = c.loss, c.spread
		loss, spread := estimateFirsts(f.Nu, simulate(f, 4000, 5).Firsts)
		near(t, "loss", loss, c.want, 0.005)
		near(t, "spread", spread, c.spread, 0.1*c.spread)
	}
}

// TestEstimateNothing checks that an empty log gives a fit of finite numbers.
func TestEstimateNothing(t *testing.T) {
	f := Estimate(&Log{})
	for _, v := range []float64{f.Power, f.Decay, f.Nu, f.Error, f.Loss, f.Spread} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%+v", f)
		}
	}
}
