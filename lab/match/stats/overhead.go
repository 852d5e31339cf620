package stats

import (
	"math/bits"
	"sync"
	"time"
)

// Overhead is how long the runner took between two moves: from the arrival of one player's move until the other was
// told to go. That time is on nobody's clock. Times are in microseconds, and percentiles are exact to one eighth.
type Overhead struct {
	Moves int64   `json:"moves"`
	Mean  float64 `json:"mean_us"`
	P50   float64 `json:"p50_us"`
	P99   float64 `json:"p99_us"`
	Max   float64 `json:"max_us"`
}

// Delays is a histogram of durations, with eight classes to each doubling. Its size does not depend on how many
// durations it counts. The zero value is empty. Its methods may be called by several goroutines.
type Delays struct {
	mu    sync.Mutex
	count [64 * 8]int64
	n     int64
	sum   time.Duration
	max   time.Duration
}

// Add counts a duration; one below zero counts as zero.
func (d *Delays) Add(delay time.Duration) {
	delay = max(delay, 0)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count[delayClass(delay)]++
	d.n++
	d.sum += delay
	d.max = max(d.max, delay)
}

// delayClass is the class of a duration. Below 8 ns each has its own; above, the highest four bits decide.
func delayClass(d time.Duration) int {
	if d < 8 {
		return int(d)
	}
	shift := bits.Len64(uint64(d)) - 4
	return shift*8 + int(uint64(d)>>shift)
}

// delayTop is the longest duration of a class.
func delayTop(class int) time.Duration {
	if class < 16 {
		return time.Duration(class)
	}
	shift := class/8 - 1
	return time.Duration(class%8+9)<<shift - 1
}

// Overhead summarizes the durations so far.
func (d *Delays) Overhead() Overhead {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := Overhead{Moves: d.n, Max: micros(d.max)}
	if d.n == 0 {
		return o
	}
	o.Mean = micros(d.sum) / float64(d.n)
	o.P50, o.P99 = micros(d.quantile(0.5)), micros(d.quantile(0.99))
	return o
}

func (d *Delays) quantile(q float64) time.Duration {
	var seen int64
	for class, k := range d.count {
		if seen += k; k > 0 && float64(seen) >= q*float64(d.n) {
			return min(delayTop(class), d.max)
		}
	}
	return d.max
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
