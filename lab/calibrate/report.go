package calibrate

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tesla/bestfirst"
	"tesla/internal/output/plots"
)

// Report tells how well a fit predicts searches that it was not fitted to.
type Report struct {
	Losses  []Loss      `json:"losses"`
	Deciles []Rate      `json:"deciles"` // flip rates over one ply, grouped by the prediction
	Groups  []Rate      `json:"groups"`  // flip rates over one ply, grouped by properties of the node
	PIT     [20]float64 `json:"pit"`     // histogram of the probability integral transform over one ply; ideal: 0.05 each
}

// Loss compares two mean log-losses of predicted flips on the held-out searches: that of the model, and that of a
// constant prediction, the rate of flips in the training part.
type Loss struct {
	Plies      int     `json:"plies"`
	Promotions int     `json:"promotions"`
	Flipped    float64 `json:"flipped"` // the share of promotions that flipped
	Model      float64 `json:"model"`   // nats
	Constant   float64 `json:"constant"`
}

// Rate holds the mean predicted and the actual rate of flips in a group of promotions.
type Rate struct {
	Group      string  `json:"group"`
	Promotions int     `json:"promotions"`
	Predicted  float64 `json:"predicted"`
	Actual     float64 `json:"actual"`
}

// losses measures a fit to train on test, for each of Plies.
func losses(f bestfirst.Fit, train, test *Log) (all []Loss) {
	for k, plies := range Plies {
		base := 0.0
		fitted := outcomes(&f, train, k)
		for _, o := range fitted {
			base += o.actual / float64(len(fitted))
		}
		held := outcomes(&f, test, k)
		l := Loss{Plies: plies, Promotions: len(held)}
		for _, o := range held {
			l.Flipped += o.actual / float64(len(held))
			l.Model += logLoss(o.actual == 1, o.predicted) / float64(len(held))
			l.Constant += logLoss(o.actual == 1, base) / float64(len(held))
		}
		all = append(all, l)
	}
	return all
}

// Measure reports how well a fit to train predicts test.
func Measure(f bestfirst.Fit, train, test *Log) Report {
	r := Report{Losses: losses(f, train, test)}
	all := outcomes(&f, test, 0)
	r.Deciles = split(all, "decile", 10, func(o outcome) float64 { return o.predicted })
	for _, by := range []struct {
		name string
		of   func(c *Change) float64
	}{
		{"sigma", func(c *Change) float64 { return c.Sigma }},
		{"evaluations", func(c *Change) float64 { return c.N }},
		{"missing plies", func(c *Change) float64 { return c.Missing }},
	} {
		r.Groups = append(r.Groups, split(all, by.name, 3, func(o outcome) float64 { return by.of(o.change) })...)
	}
	for _, by := range []struct {
		name string
		is   func(c *Change) bool
	}{
		{"must rise", func(c *Change) bool { return c.Asked > 0 }},
		{"must fall", func(c *Change) bool { return c.Asked < 0 }},
	} {
		those := slices.DeleteFunc(slices.Clone(all), func(o outcome) bool { return !by.is(o.change) })
		r.Groups = append(r.Groups, rate(by.name, those))
	}
	r.PIT = transform(&f, test)
	return r
}

// outcome is a promotion whose result is known.
type outcome struct {
	change            *Change
	predicted, actual float64
}

// outcomes lists the promotions of a log whose result over Plies[k] is known.
func outcomes(f *bestfirst.Fit, l *Log, k int) (all []outcome) {
	t := tailOf(f)
	for i := range l.Changes {
		if did, p, ok := flip(f, t, &l.Changes[i], k); ok {
			o := outcome{&l.Changes[i], p, 0}
			if did {
				o.actual = 1
			}
			all = append(all, o)
		}
	}
	return all
}

// split sorts outcomes by a key, divides them into groups of equal size and returns the rates of each.
func split(all []outcome, name string, groups int, key func(outcome) float64) (rates []Rate) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b outcome) int { return cmp.Compare(key(a), key(b)) })
	for i := range groups {
		part := all[len(all)*i/groups : len(all)*(i+1)/groups]
		if len(part) > 0 {
			rates = append(rates, rate(fmt.Sprintf("%s %.3g to %.3g", name, key(part[0]), key(part[len(part)-1])), part))
		}
	}
	return rates
}

// rate averages the predictions and the results of a group.
func rate(name string, part []outcome) Rate {
	r := Rate{Group: name, Promotions: len(part)}
	for _, o := range part {
		r.Predicted += o.predicted / float64(len(part))
		r.Actual += o.actual / float64(len(part))
	}
	return r
}

// transform returns the histogram of the probability integral transform (Dawid 1984) of the changes over one ply: the
// shares of changes by the probability that the model gave to a smaller change. The model gives a positive probability
// to no change at all; such changes are spread over that interval at random.
func transform(f *bestfirst.Fit, l *Log) (shares [20]float64) {
	t, random, count := tailOf(f), rand.New(rand.NewPCG(1, 1)), 0.0
	for i := range l.Changes {
		c := &l.Changes[i]
		moved, u := c.Moved[0], 0.0
		switch {
		case moved != moved:
			continue
		case moved > 0:
			u = 1 - beyond(f, t, c, 0, moved)
		case moved < 0:
			u = beyond(f, t, c, 0, moved)
		default:
			u = f.Share[1] + random.Float64()*(1-f.Share[0]-f.Share[1])
		}
		shares[min(len(shares)-1, int(max(0, u)*float64(len(shares))))]++
		count++
	}
	for i := range shares {
		shares[i] /= max(1, count)
	}
	return shares
}

// Print writes the losses and the rates as tables.
func (r *Report) Print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "plies\tpromotions held out\tflipped\tlog-loss of the model\tlog-loss of a constant")
	for _, l := range r.Losses {
		fmt.Fprintf(out, "%d\t%d\t%.1f %%\t%.4f\t%.4f\n", l.Plies, l.Promotions, 100*l.Flipped, l.Model, l.Constant)
	}
	fmt.Fprintln(out, "\ngroup\tpromotions\tpredicted\tactual")
	for _, g := range slices.Concat(r.Deciles, r.Groups) {
		fmt.Fprintf(out, "%s\t%d\t%.4f\t%.4f\n", g.Group, g.Promotions, g.Predicted, g.Actual)
	}
	fmt.Fprintln(out, "\nA smaller log-loss is better. A good model predicts what is actual.")
	return out.Flush()
}

// Plot draws two plots side by side into an SVG or PNG file: actual over predicted flip rates, and the histogram of the
// probability integral transform.
func (r *Report) Plot(file string) error {
	rates := plot.New()
	rates.X.Label.Text, rates.Y.Label.Text = "predicted flip rate (deciles)", "actual flip rate"
	var xy plotter.XYs
	for _, d := range r.Deciles {
		xy = append(xy, plotter.XY{X: d.Predicted, Y: d.Actual})
	}
	line, points, err := plotter.NewLinePoints(xy)
	if err != nil {
		return fmt.Errorf("calibration plot: %w", err)
	}
	line.Color = color.RGBA{B: 200, A: 255}
	ideal := plotter.NewFunction(func(x float64) float64 { return x })
	ideal.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	rates.Add(plotter.NewGrid(), ideal, line, points)
	rates.X.Min, rates.Y.Min = 0, 0

	pit := plot.New()
	pit.X.Label.Text, pit.Y.Label.Text = "probability integral transform", "share of the changes"
	bars, err := plotter.NewBarChart(plotter.Values(r.PIT[:]), vg.Points(7))
	if err != nil {
		return fmt.Errorf("calibration plot: %w", err)
	}
	even := plotter.NewFunction(func(float64) float64 { return 1 / float64(len(r.PIT)) })
	even.Dashes = ideal.Dashes
	pit.Add(bars, even)
	pit.Y.Min = 0
	end := float64(len(r.PIT)) - 0.5
	pit.X.Tick.Marker = plot.ConstantTicks{{Value: -0.5, Label: "0"}, {Value: end/2 - 0.25, Label: "0.5"}, {Value: end, Label: "1"}}
	return save(file, rates, pit)
}

// save draws plots side by side into a file whose format its extension names.
func save(file string, all ...*plot.Plot) error {
	const width, height = 4.5 * vg.Inch, 3.5 * vg.Inch
	c, err := draw.NewFormattedCanvas(width*vg.Length(len(all)), height, strings.TrimPrefix(filepath.Ext(file), "."))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	tiles := draw.Tiles{Rows: 1, Cols: len(all), PadX: vg.Points(20)}
	for i, p := range all {
		p.Draw(tiles.At(draw.New(c), i, 0))
	}
	return plots.Write(c, file)
}
