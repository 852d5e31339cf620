package match

import (
	"math/bits"
	"sync"
	"time"
)

// Overhead is how long the runner took between two moves: from the arrival of one player's move to the go of the other,
// which is on nobody's clock. Times are in microseconds, the percentiles to within an eighth.
type Overhead struct {
	Moves int64   `json:"moves"`
	Mean  float64 `json:"mean_us"`
	P50   float64 `json:"p50_us"`
	P99   float64 `json:"p99_us"`
	Max   float64 `json:"max_us"`
}

// gaps counts durations by size: eight classes to each doubling. Its size does not depend on how many there are.
type gaps struct {
	mu    sync.Mutex
	count [64 * 8]int64
	n     int64
	sum   time.Duration
	max   time.Duration
}

func (g *gaps) add(d time.Duration) {
	d = max(d, 0)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count[gapClass(d)]++
	g.n++
	g.sum += d
	g.max = max(g.max, d)
}

// gapClass is the class of a duration: below 8 ns its own, above by the highest four bits.
func gapClass(d time.Duration) int {
	if d < 8 {
		return int(d)
	}
	shift := bits.Len64(uint64(d)) - 4
	return shift*8 + int(uint64(d)>>shift)
}

// gapTop is the longest duration of a class.
func gapTop(class int) time.Duration {
	if class < 16 {
		return time.Duration(class)
	}
	shift := class/8 - 1
	return time.Duration(class%8+9)<<shift - 1
}

// overhead sums up.
func (g *gaps) overhead() Overhead {
	g.mu.Lock()
	defer g.mu.Unlock()
	o := Overhead{Moves: g.n, Max: micros(g.max)}
	if g.n == 0 {
		return o
	}
	o.Mean = micros(g.sum) / float64(g.n)
	o.P50, o.P99 = micros(g.quantile(0.5)), micros(g.quantile(0.99))
	return o
}

func (g *gaps) quantile(q float64) time.Duration {
	var seen int64
	for class, k := range g.count {
		if seen += k; k > 0 && float64(seen) >= q*float64(g.n) {
			return min(gapTop(class), g.max)
		}
	}
	return g.max
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
