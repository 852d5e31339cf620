package speedup

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// bootstrapRounds leave a few thousandths of uncertainty in the ends of the interval.
	bootstrapRounds = 10000
	// bootstrapTail is left out at each end: a 95 % interval.
	bootstrapTail = 0.025
	// leastSeconds stands for a time that the clock could not tell from none.
	leastSeconds = 1e-9
)

// median of a copy of x; the mean of the middle two where their number is even, 0 of nothing.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return medianInPlace(slices.Clone(x))
}

// medianInPlace sorts x, which must not be empty.
func medianInPlace(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// geomean is the geometric mean; 0 of nothing.
func geomean(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(x)))
}

// mean of x; 0 of nothing.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}

// ratio of two times or counts; neither may be less than least.
func ratio(a, b, least float64) float64 { return max(a, least) / max(b, least) }

// pair holds the times of one position in seconds, one value a repeat.
type pair struct{ one, many []float64 }

// bootstrap gives the 95 % percentile interval (Efron 1979) of the ratio of sums of medians. Positions are drawn with
// replacement, and for each of them the repeats of either side: both kinds of chance are in the interval.
func bootstrap(pairs []pair, rounds int, seed uint64) (low, high float64) {
	if len(pairs) == 0 || rounds < 1 {
		return 0, 0
	}
	rnd := rand.New(rand.NewPCG(seed, uint64(len(pairs))))
	var buffer []float64
	again := func(x []float64) float64 {
		buffer = buffer[:0]
		for range x {
			buffer = append(buffer, x[rnd.IntN(len(x))])
		}
		return medianInPlace(buffer)
	}
	ratios := make([]float64, rounds)
	for i := range ratios {
		one, many := 0.0, 0.0
		for range pairs {
			p := &pairs[rnd.IntN(len(pairs))]
			one += again(p.one)
			many += again(p.many)
		}
		ratios[i] = ratio(one, many, leastSeconds)
	}
	slices.Sort(ratios)
	cut := int(bootstrapTail * float64(rounds))
	return ratios[cut], ratios[rounds-1-cut]
}

// Overheads are those of Marsland, Olafsson and Schaeffer (1984), shares of the baseline's time. TO = CO + SO + SY.
type Overheads struct {
	TO float64 `json:"to"` // time: what N threads spend beyond the baseline
	SO float64 `json:"so"` // search: nodes beyond the baseline's
	CO float64 `json:"co"` // communication: messages at their measured cost
	SY float64 `json:"sy"` // synchronization: the rest
}

// overheads of n threads that took seconds for nodes, with so many seconds spent on messages, against the baseline.
func overheads(n int, seconds, oneSeconds, nodes, oneNodes, messages float64) Overheads {
	var o Overheads
	o.TO = float64(n)*ratio(seconds, oneSeconds, leastSeconds) - 1
	o.SO = ratio(nodes, oneNodes, 1) - 1
	o.CO = messages / max(oneSeconds, leastSeconds)
	o.SY = o.TO - o.CO - o.SO
	return o
}
