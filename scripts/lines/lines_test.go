package main

import (
	"math"
	"testing"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client"
)

// The judge has four moves at 0.9, 0.8, 0.8 and 0.5; a search names three of them.
func TestResults(t *testing.T) {
	cp := func(p float64) int { return int(math.Round(250 * math.Log(p/(1-p)))) }
	scores := map[string]int{"a": cp(0.9), "b": cp(0.8), "c": cp(0.8), "d": cp(0.5)}
	var r results
	r.add([]Line{{"b", cp(0.7), 1}, {"a", cp(0.9), 1}, {"d", cp(0.4), 1}}, scores)
	r.add(nil, scores)
	for i, want := range (results{{{0.1, 1}, {}}, {{0.1, 1}, {}}, {{2, 3}, {}}, {{0.2, 3}, {}}}) {
		for k, w := range want {
			if got := r[i][k]; math.Abs(got.sum-w.sum) > 0.003 || got.of != w.of {
				t.Errorf("measure %d of position %d: %v, want %v", i, k, got, w)
			}
		}
	}
}

// With one in each denominator the ratio is the mean, and the interval is that of the mean; a difference is that of pairs.
func TestLess(t *testing.T) {
	a, b := []measured{{1, 1}, {2, 1}, {6, 1}}, []measured{{0, 1}, {1, 1}, {5, 1}}
	if value, half := less(a, nil); math.Abs(value-3) > 1e-9 || math.Abs(half-1.96*math.Sqrt(7./3)) > 1e-9 {
		t.Errorf("mean %v, half %v", value, half)
	}
	if value, half := less(a, b); math.Abs(value-1) > 1e-9 || half > 1e-9 {
		t.Errorf("difference %v, half %v", value, half)
	}
	if value, half := less([]measured{{1, 2}, {2, 4}, {0, 0}}, nil); math.Abs(value-0.5) > 1e-9 || half > 1e-9 {
		t.Errorf("ratio %v, half %v", value, half)
	}
}

// The last whole set is kept, one with a bound only for want of another.
func TestCollector(t *testing.T) {
	var c collector
	for _, s := range []struct {
		rank, cp int
		bound    search.Bound
		kept     int // the score of the first line that is kept
		lines    int
	}{
		{1, 10, search.Lower, 10, 1}, {2, 5, search.Exact, 10, 2}, {1, 20, search.Exact, 10, 2}, {2, 6, search.Exact, 20, 2},
		{1, 30, search.Upper, 20, 2}, {2, 7, search.Exact, 20, 2}, {1, 40, search.Exact, 20, 2}, {3, 8, search.Exact, 20, 2},
		{2, 9, search.Exact, 40, 2},
	} {
		c.add(&client.Report{Scored: true, Info: search.Info{MultiPV: s.rank, Score: search.Score{CP: s.cp}, Bound: s.bound, PV: []board.Move{1}}})
		if len(c.best) != s.lines || c.best[0].Score.CP != s.kept {
			t.Errorf("after %+v: %d lines, the first with %d", s, len(c.best), c.best[0].Score.CP)
		}
	}
}
