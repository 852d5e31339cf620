package main

import (
	"fmt"
	"image/color"
	"math"
	"sort"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"tesla/bestfirst"
)

var nan = math.NaN()

// clip keeps proven values within the range of the others.
func clip(q float64) float64 { return max(-1, min(1, q)) }

// maxFit bounds the records that a likelihood is summed over.
const maxFit = 20000

// thin takes every so manieth record.
func thin[T any](all []T) []T {
	step := max(1, len(all)/maxFit)
	var some []T
	for i := 0; i < len(all); i += step {
		some = append(some, all[i])
	}
	return some
}

// minimize is BFGS on numerical gradients.
func minimize(f func(x []float64) float64, start []float64) []float64 {
	grad := func(g, x []float64) { fd.Gradient(g, f, x, &fd.Settings{Formula: fd.Central, Step: 1e-4}) }
	r, err := optimize.Minimize(optimize.Problem{Func: f, Grad: grad}, start,
		&optimize.Settings{FuncEvaluations: 300, MajorIterations: 60, GradientThreshold: 1e-5}, &optimize.BFGS{})
	if r == nil || err != nil && r.X == nil {
		return start
	}
	return r.X
}

// nu maps an unbounded parameter to degrees of freedom above 1.5, so that the expected gain exists.
func nu(x float64) float64 { return 1.5 + math.Exp(x) }

// estimate is the maximum likelihood fit: of the flips that promotions asked for, since that is what the search ranks by,
// then of the error and of first evaluations with the tails found.
func estimate(d *data) bestfirst.Fit {
	changes := thin(d.changes)
	nll := func(x []float64) float64 {
		f := fitOf(x)
		t := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
		sum, count := 0.0, 0.0
		for i := range changes {
			for k := range f.Change {
				if did, p, ok := flip(f, t, &changes[i], k); ok {
					sum += logLoss(did, p)
					count++
				}
			}
		}
		return sum / count
	}
	f := fitOf(minimize(nll, []float64{0, 0, -1.2, -1, -0.8, 1, 0, 0, 0}))
	f.Error = minimize(func(e []float64) float64 {
		sum := 0.0
		t := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
		for _, c := range changes {
			if c.final == c.final {
				s := f.Power*math.Log(c.sigma) - f.Decay*math.Log(c.n) + e[0]
				sum += s - t.LogProb(c.final*math.Exp(-s))
			}
		}
		return sum
	}, []float64{f.Change[2]})[0]
	firsts := thin(d.firsts)
	t := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
	y := minimize(func(y []float64) float64 {
		sum := 0.0
		for _, r := range firsts {
			sum += y[1] - t.LogProb((r.loss-y[0]*r.nats)*math.Exp(-y[1]))
		}
		return sum
	}, []float64{0.05, -2})
	f.Loss, f.Spread = max(0.005, y[0]), math.Exp(y[1])
	return f
}

// scale is s_k of a change, k the index of the number of plies.
func scale(f bestfirst.Fit, c *change, k int) float64 {
	return math.Pow(c.sigma, f.Power) * math.Exp(f.Change[k]) * math.Pow(c.n, -f.Decay)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// fitOf reads the free parameters of the flips.
func fitOf(x []float64) bestfirst.Fit {
	return bestfirst.Fit{Power: 1.5 * logistic(x[0]), Decay: logistic(x[1]), Change: [3]float64{x[2], x[3], x[4]}, Nu: nu(x[5]), Fall: math.Tanh(x[6]),
		Share: [2]float64{logistic(x[7]), logistic(x[8])}}
}

// flip is whether a promotion of the k-th number of plies did what was asked, and the probability that the model gave it.
func flip(f bestfirst.Fit, t distuv.StudentsT, c *change, k int) (did bool, p float64, ok bool) {
	moved := c.moved[k]
	if c.asked == 0 || moved != moved {
		return false, 0, false
	}
	share, s := f.Share[0], scale(f, c, k)
	if c.asked < 0 {
		moved = -moved
		share, s = f.Share[1], s*math.Exp(f.Fall)
	}
	gap := math.Abs(c.asked)
	return moved >= gap, 2 * share * t.Survival(gap/s), true
}

func logLoss(did bool, p float64) float64 {
	p = max(1e-9, min(1-1e-9, p))
	if did {
		return -math.Log(p)
	}
	return -math.Log1p(-p)
}

// report prints what the model is worth on searches that it was not fitted to, beside the best constant of those that it
// was.
func report(f bestfirst.Fit, train, test *data) {
	t := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
	for k, plies := range [3]int{1, 2, 4} {
		base, count := 0.0, 0.0
		for i := range train.changes {
			if did, _, ok := flip(f, t, &train.changes[i], k); ok {
				count++
				if did {
					base++
				}
			}
		}
		base /= count
		var model, constant, flips, n float64
		for i := range test.changes {
			did, p, ok := flip(f, t, &test.changes[i], k)
			if !ok {
				continue
			}
			n++
			model += logLoss(did, p)
			constant += logLoss(did, base)
			if did {
				flips++
			}
		}
		fmt.Printf("held-out log-loss of flips, %d plies: model %.4f, best constant %.4f (%.0f promotions, %.1f%% flipped)\n",
			plies, model/n, constant/n, n, 100*flips/n)
	}
	for _, d := range deciles(f, test) {
		fmt.Printf("decile: predicted %.4f actual %.4f\n", d.X, d.Y)
	}
}

// deciles are the mean predicted and the actual flip rates of ten equal groups in the order of prediction.
func deciles(f bestfirst.Fit, d *data) plotter.XYs {
	type pair struct {
		p   float64
		did bool
	}
	var all []pair
	t := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
	for i := range d.changes {
		if did, p, ok := flip(f, t, &d.changes[i], 0); ok {
			all = append(all, pair{p, did})
		}
	}
	sort.Slice(all, func(i, k int) bool { return all[i].p < all[k].p })
	var out plotter.XYs
	for i := range 10 {
		group := all[len(all)*i/10 : len(all)*(i+1)/10]
		var xy plotter.XY
		for _, g := range group {
			xy.X += g.p / float64(len(group))
			if g.did {
				xy.Y += 1 / float64(len(group))
			}
		}
		out = append(out, xy)
	}
	return out
}

// calibration draws predicted against actual flip rates.
func calibration(f bestfirst.Fit, d *data, file string) error {
	p := plot.New()
	p.Title.Text = "Change model on held-out searches"
	p.X.Label.Text, p.Y.Label.Text = "predicted flip rate (deciles)", "actual flip rate"
	line, points, err := plotter.NewLinePoints(deciles(f, d))
	if err != nil {
		return fmt.Errorf("calibration plot: %w", err)
	}
	line.Color = color.RGBA{B: 200, A: 255}
	ideal := plotter.NewFunction(func(x float64) float64 { return x })
	ideal.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(plotter.NewGrid(), ideal, line, points)
	p.X.Min, p.Y.Min = 0, 0
	p.Legend.Add("model", line, points)
	p.Legend.Add("ideal", ideal)
	return p.Save(5*vg.Inch, 4*vg.Inch, file)
}
