package calibrate

import (
	"math"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"

	"tesla/bestfirst"
)

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
		&optimize.Settings{FuncEvaluations: 300, MajorIterations: 60, GradientThreshold: 1e-4}, &optimize.BFGS{})
	if r == nil || err != nil && r.X == nil {
		return start
	}
	return r.X
}

// start are the parameters of fitOf that a fit begins with.
var start = []float64{0, 0, -1.2, -1, -0.8, 1, 0, 0, 0}

// fitOf reads the free parameters of the flips.
func fitOf(x []float64) bestfirst.Fit {
	return bestfirst.Fit{Power: 1.5 * logistic(x[0]), Decay: logistic(x[1]), Change: [3]float64{x[2], x[3], x[4]},
		Nu:   1.5 + math.Exp(x[5]), // above 1.5, so that the expected gain exists
		Fall: math.Tanh(x[6]), Share: [2]float64{logistic(x[7]), logistic(x[8])}}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Estimate is the maximum likelihood fit: of the flips that promotions asked for, since that is what the search ranks by, then
// of the error and of first evaluations with the tails found.
func Estimate(l *Log) bestfirst.Fit {
	changes := thin(l.Changes)
	f := fitOf(minimize(func(x []float64) float64 {
		f := fitOf(x)
		t := tailOf(&f)
		sum, count := 0.0, 0.0
		for i := range changes {
			for k := range Plies {
				if did, p, ok := flip(&f, t, &changes[i], k); ok {
					sum += logLoss(did, p)
					count++
				}
			}
		}
		return sum / max(1, count)
	}, start))
	t := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
	f.Error = minimize(func(e []float64) float64 {
		sum := 0.0
		for _, c := range changes {
			if c.Final == c.Final {
				s := f.Scale(c.Sigma) - f.Decay*math.Log(c.N) + e[0]
				sum += s - t.LogProb(c.Final*math.Exp(-s))
			}
		}
		return sum
	}, []float64{f.Change[len(Plies)-1]})[0]
	firsts := thin(l.Firsts)
	y := minimize(func(y []float64) float64 {
		sum := 0.0
		for _, r := range firsts {
			sum += y[1] - t.LogProb((r.Loss-y[0]*r.Nats)*math.Exp(-y[1]))
		}
		return sum
	}, []float64{0.05, -2})
	f.Loss, f.Spread = max(0.005, y[0]), math.Exp(y[1])
	return f
}

// tail is the probability that Student's t exceeds a z not below zero: a table over log2 z, for the distribution's own function
// is slow.
type tail [tailSteps*2*tailRange + 2]float64

const (
	tailRange = 16 // doublings of z above and below 1
	tailSteps = 16 // to a doubling
)

func tailOf(f *bestfirst.Fit) *tail {
	var t tail
	of := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
	for i := range t {
		t[i] = of.Survival(math.Exp2(float64(i)/tailSteps - tailRange))
	}
	return &t
}

func (t *tail) beyond(z float64) float64 {
	x := (max(-tailRange, min(tailRange, math.Log2(z))) + tailRange) * tailSteps
	i := int(x)
	return t[i] + (t[i+1]-t[i])*(x-float64(i))
}

// beyond is the probability that the value moves by more than a gap the way of its sign over the k-th of Plies.
func beyond(f *bestfirst.Fit, t *tail, c *Change, k int, gap float64) float64 {
	share, s := f.Share[0], f.Scale(c.Sigma)+f.Change[k]-f.Decay*math.Log(c.N)
	if gap < 0 {
		share, s = f.Share[1], s+f.Fall
	}
	return 2 * share * t.beyond(math.Abs(gap)*math.Exp(-s))
}

// flip is whether a promotion did what was asked, and the probability that the model gave it.
func flip(f *bestfirst.Fit, t *tail, c *Change, k int) (did bool, p float64, ok bool) {
	moved := c.Moved[k]
	if c.Asked == 0 || moved != moved {
		return false, 0, false
	}
	p = beyond(f, t, c, k, c.Asked)
	if c.Asked < 0 {
		return moved <= c.Asked, p, true
	}
	return moved >= c.Asked, p, true
}

func logLoss(did bool, p float64) float64 {
	p = max(1e-9, min(1-1e-9, p))
	if did {
		return -math.Log(p)
	}
	return -math.Log1p(-p)
}
