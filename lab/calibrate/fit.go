package calibrate

import (
	"math"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"

	"tesla/bestfirst"
)

// maxFit limits the time of a fit: a likelihood is summed over fewer than twice as many records.
const maxFit = 20000

// thin takes every n-th record of a log that is longer than maxFit.
func thin[T any](all []T) []T {
	step := max(1, len(all)/maxFit)
	var some []T
	for i := 0; i < len(all); i += step {
		some = append(some, all[i])
	}
	return some
}

// minimize runs the method of Broyden, Fletcher, Goldfarb and Shanno (BFGS, 1970) on numerical gradients. It returns
// the best point found, or start where none is better.
func minimize(f func(x []float64) float64, start []float64) []float64 {
	grad := func(g, x []float64) { fd.Gradient(g, f, x, &fd.Settings{Formula: fd.Central, Step: 1e-4}) }
	r, err := optimize.Minimize(optimize.Problem{Func: f, Grad: grad}, start,
		&optimize.Settings{FuncEvaluations: 300, MajorIterations: 60, GradientThreshold: 1e-4}, &optimize.BFGS{})
	if r == nil || err != nil && !(r.F <= f(start)) { // r.F may not be a number
		return start
	}
	return r.X
}

// start holds the parameters, as fitOf takes them, from which a fit begins.
var start = []float64{0, 0, -1.2, -1, -0.8, 1, 0, 0, 0}

// fitOf maps unbounded parameters to a fit whose values are in range.
func fitOf(x []float64) bestfirst.Fit {
	return bestfirst.Fit{Power: 1.5 * logistic(x[0]), Decay: logistic(x[1]), Change: [3]float64{x[2], x[3], x[4]},
		Nu:   1.5 + math.Exp(x[5]), // above 1.5, so that the expected gain exists
		Fall: math.Tanh(x[6]), Share: [2]float64{logistic(x[7]), logistic(x[8])}}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Estimate fits the model to a log by maximum likelihood. It begins with the flips that promotions asked for, because
// the search ranks by them; the error and the first evaluations then take over the degrees of freedom found.
func Estimate(l *Log) bestfirst.Fit {
	changes := thin(l.Changes)
	f := estimateFlips(changes)
	f.Error = estimateError(&f, changes)
	f.Loss, f.Spread = estimateFirsts(f.Nu, thin(l.Firsts))
	return f
}

// estimateFlips finds all parameters but Error, Loss and Spread: it minimizes the mean log-loss of the flips.
func estimateFlips(changes []Change) bestfirst.Fit {
	return fitOf(minimize(func(x []float64) float64 {
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
}

// estimateError finds the log scale of the distance to the final value.
func estimateError(f *bestfirst.Fit, changes []Change) float64 {
	t := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
	return minimize(func(e []float64) float64 {
		sum := 0.0
		for _, c := range changes {
			if c.Final == c.Final {
				s := f.Scale(c.Sigma) - f.Decay*math.Log(c.N) + e[0]
				sum += s - t.LogProb(c.Final*math.Exp(-s))
			}
		}
		return sum
	}, []float64{f.Change[len(Plies)-1]})[0]
}

// estimateFirsts finds what a nat of prior costs, in q, and the scale of a first evaluation about that.
func estimateFirsts(nu float64, firsts []First) (loss, spread float64) {
	t := distuv.StudentsT{Sigma: 1, Nu: nu}
	x := minimize(func(x []float64) float64 {
		sum := 0.0
		for _, r := range firsts {
			sum += x[1] - t.LogProb((r.Loss-x[0]*r.Nats)*math.Exp(-x[1]))
		}
		return sum
	}, []float64{0.05, -2})
	return max(0.005, x[0]), math.Exp(x[1])
}

// tail tabulates the probability that Student's t exceeds z, for z >= 0, over log2 z. The function of the distribution
// itself would take most of the time of a fit.
type tail [tailSteps*2*tailRange + 2]float64

const (
	tailRange = 16 // doublings of z above and below 1
	tailSteps = 16 // table entries in a doubling
)

func tailOf(f *bestfirst.Fit) *tail {
	var t tail
	of := distuv.StudentsT{Sigma: 1, Nu: f.Nu}
	for i := range t {
		t[i] = of.Survival(math.Exp2(float64(i)/tailSteps - tailRange))
	}
	return &t
}

// beyond interpolates between entries. Outside the table it returns the first or the last entry.
func (t *tail) beyond(z float64) float64 {
	x := (max(-tailRange, min(tailRange, math.Log2(z))) + tailRange) * tailSteps
	i := int(x)
	return t[i] + (t[i+1]-t[i])*(x-float64(i))
}

// beyond returns the probability that the value crosses a gap within Plies[k]: that it rises by more than a positive
// gap, or falls by more than a negative one.
func beyond(f *bestfirst.Fit, t *tail, c *Change, k int, gap float64) float64 {
	share, s := f.Share[0], f.Scale(c.Sigma)+f.Change[k]-f.Decay*math.Log(c.N)
	if gap < 0 {
		share, s = f.Share[1], s+f.Fall
	}
	return 2 * share * t.beyond(math.Abs(gap)*math.Exp(-s))
}

// flip reports whether the value crossed the gap within Plies[k], and which probability p the model gave to that. ok is
// false where there was no gap, or where the log ends before that ply.
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

// logLoss is minus the logarithm of the probability that was given to what happened, in nats. It is finite even where a
// prediction was certain and wrong.
func logLoss(did bool, p float64) float64 {
	p = max(1e-9, min(1-1e-9, p))
	if did {
		return -math.Log(p)
	}
	return -math.Log1p(-p)
}
