package web

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"tesla/board"
	"tesla/engine"
	"tesla/search"
)

// TestWatchingCost measures the evaluations a second of a search with and without a page that watches it, in pairs one after
// the other. It is for a quiet machine: TESLA_MEASURE=1 go test -count=1 -run TestWatchingCost -v ./web
func TestWatchingCost(t *testing.T) {
	if os.Getenv("TESLA_MEASURE") == "" {
		t.Skip("a measurement of a minute: set TESLA_MEASURE")
	}
	const (
		pairs = 7
		evals = 1_000_000
		most  = 0.01 // share of the evaluations that may be lost
	)
	d := serve(t, func(c *Config) { c.Settings.Threads, c.Settings.Hash, c.Settings.TreeMemory = 1, 16, 256 })
	var ratios []float64
	for pair := range pairs + 1 {
		var rates [2]float64
		for side := range 2 {
			with := (side+pair)%2 == 1 // either is first as often as the other
			if with {
				rates[1] = d.watched(int64(pair+1), evals)
			} else {
				rates[0] = unwatched(t, d.cfg.Settings, evals)
			}
		}
		if pair == 0 {
			continue // it warms up
		}
		t.Logf("pair %d: %.0f evaluations a second alone, %.0f watched", pair, rates[0], rates[1])
		ratios = append(ratios, rates[1]/rates[0])
	}
	slices.Sort(ratios)
	t.Logf("watched / alone: median %.4f, from %.4f to %.4f", ratios[pairs/2], ratios[0], ratios[pairs-1])
	if ratios[pairs/2] < 1-most {
		t.Errorf("watching costs %.1f %%", 100*(1-ratios[pairs/2]))
	}
}

// watched is the rate of a search in a session whose stream is read.
func (d *served) watched(serial, evals int64) float64 {
	d.t.Helper()
	id := d.open()
	w := d.watch(id)
	wish := searching(serial)
	wish.Limits.Evals = evals
	d.want(id, wish)
	end := until(w, "done", func(e done) bool { return e.Serial == serial })
	if end.End != "limit of evaluations" {
		d.t.Fatalf("%+v", end)
	}
	w.close()
	d.do("DELETE", "/api/session/"+id, "", nil)
	return float64(evals) / (float64(end.MS) / 1000)
}

// unwatched is the rate of the same search without a page.
func unwatched(t *testing.T, set engine.Settings, evals int64) float64 {
	t.Helper()
	e := engine.New()
	defer e.Close()
	s, _, err := e.Open(set, false)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err = s.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{Evals: evals, MultiPV: 2}, nil)
	spent := time.Since(began).Seconds()
	if err != nil {
		t.Fatal(err)
	}
	return float64(evals) / spent
}
