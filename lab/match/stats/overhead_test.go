package stats

import (
	"testing"
	"time"
)

func TestDelays(t *testing.T) {
	last := -1
	for d := time.Duration(0); d < time.Hour; d += 1 + d/50 {
		c := delayClass(d)
		if c < last || c >= len(Delays{}.count) || delayTop(c) < d || delayTop(c) > d+d/8 {
			t.Fatalf("%d ns: class %d to %d ns, after %d", d, c, delayTop(c), last)
		}
		last = c
	}
	var g Delays
	if o := g.Overhead(); o != (Overhead{}) {
		t.Errorf("of nothing: %+v", o)
	}
	for i := range 1000 {
		g.Add(time.Duration(i+1) * time.Microsecond)
	}
	g.Add(-time.Second)
	o := g.Overhead()
	if o.Moves != 1001 || o.Max != 1000 || o.P50 < 499 || o.P50 > 565 || o.P99 < 989 || o.P99 > 1000 || o.Mean < 499 ||
		o.Mean > 501 {
		t.Errorf("%+v", o)
	}
}
