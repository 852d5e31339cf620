package speedup

import (
	"math/rand/v2"
	"slices"
)

const (
	// bootstrapRounds leaves a few thousandths of uncertainty in the ends of the interval.
	bootstrapRounds = 10000
	// bootstrapTail is the share that is left out at each end, for a 95 % interval.
	bootstrapTail = 0.025
	// leastSeconds replaces a time that is too short for the clock.
	leastSeconds = 1e-9
)

// median is the median of x. It is the mean of the middle two where their number is even, and 0 where x is empty.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return medianInPlace(slices.Clone(x))
}

// medianInPlace is the median of x, which must not be empty. It sorts x.
func medianInPlace(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}

// ratio is the ratio of two times or counts, each raised to at least the given value.
func ratio(a, b, least float64) float64 { return max(a, least) / max(b, least) }

// pair holds the times of one position in seconds, one value for each repeat.
type pair struct{ one, many []float64 }

// bootstrap is the 95 % percentile interval (Efron 1979) of the ratio of sums of medians. It draws positions with
// replacement, and for each of them the repeats of either side, so that the interval includes both kinds of chance.
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

// Overheads are those of Marsland, Olafsson and Schaeffer (1984), as shares of the time of the baseline.
// TO = CO + SO + SY.
type Overheads struct {
	TO float64 `json:"to"` // time: what N threads spend beyond the baseline
	SO float64 `json:"so"` // search: nodes beyond the baseline's
	CO float64 `json:"co"` // communication: messages at their measured cost
	SY float64 `json:"sy"` // synchronization: the rest
}

// overheads are those of n threads that searched nodes in the given seconds, of which they spent messages seconds on
// messages, relative to the baseline.
func overheads(n int, seconds, oneSeconds, nodes, oneNodes, messages float64) Overheads {
	var o Overheads
	o.TO = float64(n)*ratio(seconds, oneSeconds, leastSeconds) - 1
	o.SO = ratio(nodes, oneNodes, 1) - 1
	o.CO = messages / max(oneSeconds, leastSeconds)
	o.SY = o.TO - o.CO - o.SO
	return o
}
