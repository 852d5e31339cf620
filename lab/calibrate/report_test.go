package calibrate

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLosses computes the losses of a few changes by hand. A change without a gap, or without an outcome, does not
// count.
func TestLosses(t *testing.T) {
	train := &Log{Changes: []Change{changed(1, 0.1, 0.2), changed(1, 0.1, 0), changed(1, -0.1, 0), changed(1, -0.1, 0.3),
		changed(1, 0, 0.5), changed(1, 0.1)}} // one of four flips
	test := &Log{Changes: []Change{changed(2, 0.1, 0.2, 0, 0.1), changed(2, -0.1, 0.2, -0.3), changed(2, 0, 0.5), changed(2, 0.1)}}
	all := losses(truth, train, test)
	if len(all) != len(Plies) {
		t.Fatalf("%d losses, want %d", len(all), len(Plies))
	}
	table := tailOf(&truth)
	p := func(i, k int) float64 { return beyond(&truth, table, &test.Changes[i], k, test.Changes[i].Asked) }
	certain := 9 * math.Ln10 // the loss of a prediction that was certain and wrong
	for k, want := range []Loss{
		{1, 2, 0.5, (-math.Log(p(0, 0)) - math.Log(1-p(1, 0))) / 2, (math.Log(4) - math.Log(0.75)) / 2},
		{2, 2, 0.5, (-math.Log(1-p(0, 1)) - math.Log(p(1, 1))) / 2, certain / 2}, // train has no change over two plies
		{4, 1, 1, -math.Log(p(0, 2)), certain},
	} {
		got := all[k]
		if got.Plies != want.Plies || got.Promotions != want.Promotions || got.Flipped != want.Flipped {
			t.Errorf("%+v, want %+v", got, want)
		}
		near(t, "log-loss of the model", got.Model, want.Model, 1e-9)
		near(t, "log-loss of the constant", got.Constant, want.Constant, 1e-6)
	}
}

// TestSplitRates checks how outcomes are divided into groups of equal size by a key.
func TestSplitRates(t *testing.T) {
	var all []outcome
	for _, n := range []float64{5, 3, 9, 1, 7, 2, 10, 4, 8, 6} {
		o := outcome{change: &Change{N: n}, predicted: n / 10}
		if n > 6 {
			o.actual = 1
		}
		all = append(all, o)
	}
	before := slices.Clone(all)
	key := func(o outcome) float64 { return o.change.N }
	rates := split(all, "evaluations", 3, key)
	want := []Rate{{"evaluations 1 to 3", 3, 0.2, 0}, {"evaluations 4 to 6", 3, 0.5, 0}, {"evaluations 7 to 10", 4, 0.85, 1}}
	if len(rates) != len(want) {
		t.Fatalf("%d groups, want %d", len(rates), len(want))
	}
	for i, r := range rates {
		if r.Group != want[i].Group || r.Promotions != want[i].Promotions {
			t.Errorf("group %+v, want %+v", r, want[i])
		}
		near(t, r.Group+", predicted", r.Predicted, want[i].Predicted, 1e-12)
		near(t, r.Group+", actual", r.Actual, want[i].Actual, 1e-12)
	}
	if !slices.Equal(all, before) {
		t.Error("split changed the order of what it was given")
	}
	if few := split(all[:2], "evaluations", 10, key); len(few) != 2 {
		t.Errorf("two outcomes make %d groups", len(few))
	}
}

// TestMeasure checks that the model which made the changes is well calibrated on them, and that its groups are
// complete.
func TestMeasure(t *testing.T) {
	train, test := simulate(truth, 2000, 1), simulate(truth, 20000, 2)
	r := Measure(truth, train, test)
	for _, l := range r.Losses {
		if l.Model >= l.Constant {
			t.Errorf("%d plies: log-loss %.4f, that of a constant %.4f", l.Plies, l.Model, l.Constant)
		}
	}
	if len(r.Deciles) != 10 {
		t.Errorf("%d deciles", len(r.Deciles))
	}
	for i, d := range r.Deciles {
		near(t, d.Group, d.Actual, d.Predicted, 0.04)
		if i > 0 && d.Predicted < r.Deciles[i-1].Predicted {
			t.Errorf("%s comes after %s", d.Group, r.Deciles[i-1].Group)
		}
	}
	for i, share := range r.PIT {
		if share < 0.04 || share > 0.06 {
			t.Errorf("bin %d of the probability integral transform holds %.3f", i, share)
		}
	}
	counts := map[string]int{}
	for _, g := range r.Groups {
		name := g.Group
		if i := strings.IndexAny(name, "0123456789"); i > 0 {
			name = strings.TrimSpace(name[:i]) // without the range
		}
		counts[name] += g.Promotions
		if g.Promotions > 1000 {
			near(t, g.Group, g.Actual, g.Predicted, 0.04)
		}
	}
	for _, name := range []string{"sigma", "evaluations", "missing plies"} {
		if counts[name] != len(test.Changes) {
			t.Errorf("groups by %s hold %d of %d promotions", name, counts[name], len(test.Changes))
		}
	}
	if counts["must rise"] == 0 || counts["must rise"]+counts["must fall"] != len(test.Changes) {
		t.Errorf("%d promotions must rise, %d must fall, of %d", counts["must rise"], counts["must fall"], len(test.Changes))
	}
}

// TestMeasureWrong checks that a model with wrong scales is seen to be wrong.
func TestMeasureWrong(t *testing.T) {
	train, test := simulate(truth, 5000, 1).Split()
	good := Measure(truth, train, test)
	for name, by := range map[string]float64{"too wide": 1, "too narrow": -1} {
		wrong := truth
		wrong.Change[0] += by
		bad := Measure(wrong, train, test)
		if bad.Losses[0].Model <= good.Losses[0].Model || bad.Losses[1] != good.Losses[1] {
			t.Errorf("%s: log-losses %.4f and %.4f, of the truth %.4f and %.4f", name, bad.Losses[0].Model, bad.Losses[1].Model,
				good.Losses[0].Model, good.Losses[1].Model)
		}
		for _, bin := range []int{0, len(good.PIT) - 1} {
			if (bad.PIT[bin] < good.PIT[bin]) != (by > 0) {
				t.Errorf("%s: bin %d holds %.3f, of the truth %.3f", name, bin, bad.PIT[bin], good.PIT[bin])
			}
		}
	}
}

// TestTransform checks in which bin a change lands: a fall in the lowest 30 % (Share[1]), a rise in the highest 35 %.
func TestTransform(t *testing.T) {
	for _, c := range []struct {
		moved       float64
		least, most int // bins
	}{{-1.9, 0, 0}, {-1e-6, 5, 5}, {1e-6, 13, 13}, {1.9, 19, 19}, {0, 6, 12}} {
		l := &Log{}
		for range 200 {
			l.Changes = append(l.Changes, changed(100, 0, c.moved), changed(100, 0))
		}
		shares := transform(&truth, l)
		sum := 0.0
		for i, share := range shares {
			sum += share
			if inside := i >= c.least && i <= c.most; inside != (share > 0) {
				t.Errorf("moved %v: bin %d holds %.3f", c.moved, i, share)
			}
		}
		near(t, "sum of the bins", sum, 1, 1e-9)
	}
	if shares := transform(&truth, &Log{}); shares != [20]float64{} {
		t.Errorf("an empty log gives %v", shares)
	}
}

var report = Report{
	Losses:  []Loss{{1, 400, 0.125, 0.25, 0.5}, {2, 300, 0.25, 0.375, 0.75}},
	Deciles: []Rate{{"decile 0.1 to 0.2", 200, 0.15, 0.16}, {"decile 0.2 to 0.7", 200, 0.45, 0.4}},
	Groups:  []Rate{{"must fall", 150, 0.2, 0.3}},
	PIT:     [20]float64{0: 0.4, 19: 0.6},
}

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	if err := report.Print(&out); err != nil {
		t.Fatal(err)
	}
	want := `plies  promotions held out  flipped  log-loss of the model  log-loss of a constant
1      400                  12.5 %   0.2500                 0.5000
2      300                  25.0 %   0.3750                 0.7500

group              promotions  predicted  actual
decile 0.1 to 0.2  200         0.1500     0.1600
decile 0.2 to 0.7  200         0.4500     0.4000
must fall          150         0.2000     0.3000

A smaller log-loss is better. A good model predicts what is actual.
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

func TestPlot(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "plot.svg")
	if err := report.Plot(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "actual flip rate", "probability integral transform"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the plot has no %q", want)
		}
	}
	file = filepath.Join(folder, "plot.png")
	if err := report.Plot(file); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	if picture, err := png.Decode(bytes.NewReader(text)); err != nil || picture.Bounds().Dx() <= picture.Bounds().Dy() {
		t.Errorf("%v: not two plots side by side", err)
	}
	for name, r := range map[string]*Report{"plot.doc": &report, "none/plot.svg": &report, "plot": &report} {
		err := r.Plot(filepath.Join(folder, name))
		if err == nil {
			t.Errorf("%s was drawn", name)
			continue
		}
		if _, stat := os.Stat(filepath.Join(folder, name)); stat == nil {
			t.Errorf("%s was left behind", name)
		}
	}
}
