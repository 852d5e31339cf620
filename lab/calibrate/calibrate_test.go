package calibrate

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/search"
)

var truth = bestfirst.Fit{Power: 0.8, Decay: 0.3, Change: [3]float64{-0.7, -0.4, -0.2}, Fall: -0.4, Share: [2]float64{0.35, 0.3},
	Nu: 3, Men: 0.6, Check: 0.5, Capture: -0.3, Entropy: 0.1}

// simulate logs promotions of a search whose values change as a fit says.
func simulate(f bestfirst.Fit, count int, seed uint64) *Log {
	random := rand.New(rand.NewPCG(seed, 4))
	t := distuv.StudentsT{Sigma: 1, Nu: f.Nu, Src: rand.NewPCG(seed, 6)}
	l := &Log{Searches: count}
	for i := range count {
		c := Change{Search: i, N: math.Exp2(float64(random.IntN(8))), Asked: 0.3 * (random.Float64() - 0.5), Final: math.NaN(),
			Of: &bestfirst.Features{Sigma: 0.02 + 0.2*random.Float64(), Men: random.Float64(), Check: random.IntN(8) == 0,
				Capture: random.IntN(4) == 0, Entropy: 3 * random.Float64()}}
		for k := range Plies {
			s := math.Exp(f.Scale(c.Of)+f.Change[k]) * math.Pow(c.N, -f.Decay)
			switch u := random.Float64(); {
			case u < f.Share[0]:
				c.Moved[k] = s * math.Abs(t.Rand())
			case u < f.Share[0]+f.Share[1]:
				c.Moved[k] = -s * math.Exp(f.Fall) * math.Abs(t.Rand())
			}
		}
		l.Changes = append(l.Changes, c)
		nats := 4 * random.Float64()
		l.Firsts = append(l.Firsts, First{Search: i, Nats: nats, Loss: 0.07*nats + 0.1*t.Rand()})
	}
	return l
}

// What a known model logs is fitted by it again, and nearly as well calibrated.
func TestEstimate(t *testing.T) {
	train, test := simulate(truth, 5000, 1), simulate(truth, 40000, 2)
	f := Estimate(train, true)
	for name, pair := range map[string][3]float64{
		"power": {f.Power, truth.Power, 0.1}, "decay": {f.Decay, truth.Decay, 0.05}, "change 1": {f.Change[0], truth.Change[0], 0.35},
		"fall": {f.Fall, truth.Fall, 0.15}, "rises": {f.Share[0], truth.Share[0], 0.05}, "falls": {f.Share[1], truth.Share[1], 0.05},
		"men": {f.Men, truth.Men, 0.2}, "check": {f.Check, truth.Check, 0.2}, "capture": {f.Capture, truth.Capture, 0.15},
		"entropy": {f.Entropy, truth.Entropy, 0.06}, "loss": {f.Loss, 0.07, 0.01}, "spread": {f.Spread, 0.1, 0.02},
	} {
		if math.Abs(pair[0]-pair[1]) > pair[2] {
			t.Errorf("%s: %.3f, want %.3f +- %.2f", name, pair[0], pair[1], pair[2])
		}
	}
	r := Measure(f, train, test)
	plain := Measure(Estimate(train, false), train, test)
	for k, l := range r.Losses {
		if !(l.Model < plain.Losses[k].Model && plain.Losses[k].Model < l.Constant) {
			t.Errorf("log-loss %.4f, %.4f without features, %.4f of a constant", l.Model, plain.Losses[k].Model, l.Constant)
		}
	}
	for _, d := range r.Deciles {
		if math.Abs(d.Predicted-d.Actual) > 0.04 {
			t.Errorf("%s: predicted %.3f, actual %.3f", d.Group, d.Predicted, d.Actual)
		}
	}
	for i, share := range r.PIT {
		if share < 0.03 || share > 0.07 {
			t.Errorf("bin %d of the probability integral transform holds %.3f", i, share)
		}
	}
}

// A model that is wrong is seen to be.
func TestMeasureWrong(t *testing.T) {
	train, test := simulate(truth, 5000, 1).Split()
	wrong := truth
	wrong.Change[0] += 1
	good, bad := Measure(truth, train, test), Measure(wrong, train, test)
	if bad.Losses[0].Model <= good.Losses[0].Model || bad.PIT[0] >= good.PIT[0] {
		t.Errorf("log-loss %.4f, %.4f of the truth; lowest bin %.3f, %.3f", bad.Losses[0].Model, good.Losses[0].Model, bad.PIT[0], good.PIT[0])
	}
}

func TestCollect(t *testing.T) {
	backend := batcher.NewMock(batcher.Options{})
	defer backend.Close()
	open := func(trace func(bestfirst.Sample)) (search.Searcher, error) {
		return bestfirst.New(backend, nil, bestfirst.Options{Trace: trace})
	}
	var logs [2]*Log
	for i := range logs {
		var err error
		logs[i], err = Collect(context.Background(), open, 6, 500, 1)
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(logs[0].Firsts, logs[1].Firsts) || len(logs[0].Changes) != len(logs[1].Changes) {
		t.Error("the same seed logs something else")
	}
	if logs[0].Promotions() < 1000 || len(logs[0].Firsts) < 2000 {
		t.Errorf("%d promotions and %d first evaluations logged", logs[0].Promotions(), len(logs[0].Firsts))
	}
	checks, captures := 0, 0
	for _, c := range logs[0].Changes {
		if c.Of.Men < 0.2 || c.Of.Men > 1 || c.Of.Entropy <= 0 || c.Of.Entropy > math.Log(218) || c.Of.Sigma <= 0 {
			t.Fatalf("%+v", c.Of)
		}
		if c.Of.Check {
			checks++
		}
		if c.Of.Capture {
			captures++
		}
	}
	if checks == 0 || captures == 0 || checks == len(logs[0].Changes) || captures == len(logs[0].Changes) {
		t.Errorf("%d of %d in check, %d after captures", checks, len(logs[0].Changes), captures)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Collect(ctx, open, 6, 500, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestReport(t *testing.T) {
	train, test := simulate(truth, 1000, 1).Split()
	r := Measure(truth, train, test)
	var out bytes.Buffer
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), "in check") {
		t.Errorf("%v: %s", err, out.String())
	}
	file := filepath.Join(t.TempDir(), "plot.svg")
	if err := r.Plot(file); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || !bytes.Contains(text, []byte("<svg")) {
		t.Errorf("%v: %.100s", err, text)
	}
	if err := r.Plot(filepath.Join(t.TempDir(), "plot.doc")); err == nil {
		t.Error("an unknown format was drawn")
	}
}
