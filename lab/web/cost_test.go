package web

import (
	"os"
	"slices"
	"testing"
)

// What a page that watches costs a search on the mock, whose evaluations cost next to nothing: the median of seven pairs of
// searches, one watched and one not. It needs an idle machine, so it runs with TESLA_LONG alone.
func TestCostOfWatching(t *testing.T) {
	if os.Getenv("TESLA_LONG") == "" {
		t.Skip("TESLA_LONG is not set")
	}
	d := serve(t, func(c *Config) { c.Settings.TreeMemory, c.Grace = 256, 1<<62 })
	id := d.open()
	x, err := d.sessions.get(id)
	if err != nil {
		t.Fatal(err)
	}
	latest := func(name string) any {
		x.mu.Lock()
		defer x.mu.Unlock()
		if n, ok := x.news[name]; ok {
			return n.make()
		}
		return nil
	}
	serial := int64(0)
	evals := func() float64 { // a second, of a search of two seconds
		serial++
		w := searching(serial)
		w.Limits.MoveTime, w.Forget = 2000, true
		d.want(id, w)
		wait(t, "the search ends", func() bool {
			end, ok := latest("done").(done)
			return ok && end.Serial == serial
		})
		s := latest("snapshot").(*snapshot)
		return float64(s.Evals) / float64(s.MS) * 1000
	}
	evals() // the net is loaded
	var costs []float64
	for range 7 {
		alone := evals()
		w := d.watch(id)
		go func() {
			for w.lines.Scan() {
			}
		}()
		watched := evals()
		w.close()
		costs = append(costs, 1-watched/alone)
		t.Logf("%.0f evaluations a second alone, %.0f watched", alone, watched)
	}
	slices.Sort(costs)
	t.Logf("watching costs %.2f %% (median), %.2f %% to %.2f %%", 100*costs[3], 100*costs[0], 100*costs[6])
	if costs[3] > 0.01 {
		t.Errorf("watching costs %.2f %%, at most 1 %% is allowed", 100*costs[3])
	}
}
