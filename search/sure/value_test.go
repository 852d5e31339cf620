package sure

import (
	"math"
	"testing"

	"tesla/board"
	"tesla/search"
)

func TestBelow(t *testing.T) {
	g, ok := GapOf("lazysmp")
	if _, other := GapOf("puct"); !ok || other || !g.Marks {
		t.Errorf("lazysmp: %v, %v; puct: %v", g, ok, other)
	}
	for _, c := range []struct {
		v, other Value
		points   float64
		want     float64
	}{
		{Value{0.5, 0.05}, Value{0.5, 0.05}, 0, 0.5},
		{Value{0.5, 0.05}, Value{0.5 + 0.1/g.stretch, 0.05}, 0.1, 0.5},
		{Value{0.5, 0}, Value{0.5, 0}, 0, 1},
		{Value{0.5, 0}, Value{0.5, 0}, 0.01, 0},
		{Value{0, 0}, Value{1, 0}, 0.15, 1},
		{Value{0.5, deviations}, Value{0.5 + g.apart/g.stretch, 0}, 0, 0.8413}, // one deviation
	} {
		if got := g.Below(c.v, c.other, c.points); math.Abs(got-c.want) > 1e-3 {
			t.Errorf("%v below %v by %v: %.4f, want %.4f", c.v, c.other, c.points, got, c.want)
		}
	}
	if v, ok := ValueOf(&search.Info{Score: search.ScoreFromCP(search.MatedIn(4))}); !ok || v != (Value{Points(-won), 0}) {
		t.Errorf("mated: %v, %v", v, ok)
	}
	if _, ok := ValueOf(&search.Info{}); ok {
		t.Error("nothing stated is a value")
	}
}

// TestHeld follows a search beyond the efforts of the statements, and to another first move.
func TestHeld(t *testing.T) {
	start := board.StartPosition()
	legal := start.LegalMoves(nil)
	report := func(m board.Move, evals int64, cp int, s search.Sureness) *search.Info {
		return &search.Info{PV: []board.Move{m}, Evals: evals, Score: search.ScoreFromCP(cp), Sure: s}
	}
	all := search.Sureness{Best: 0.9, Stays: 0.7, Low: 0.45, High: 0.55}
	none := search.Sureness{}
	var w Watch
	for _, c := range []struct {
		in       *search.Info
		want     search.Sureness
		at       int64
		shiftsBy float64
	}{
		{report(legal[0], 10, 0, none), none, 0, 0},
		{report(legal[0], 40, 0, all), all, 40, 0},
		{report(legal[0], 399, 0, none), all, 40, 0},
		{report(legal[0], 400, 0, none), search.Sureness{Best: 0.9, Low: 0.45, High: 0.55}, 40, 0},
		{report(legal[1], 399, 100, none), search.Sureness{Low: 0.45, High: 0.55}, 0, Points(100) - Points(0)},
		{report(legal[0], 500, search.MatedIn(3), none), search.Sureness{Best: 0.9}, 40, 0},
	} {
		w.See(c.in)
		got, at := w.Held(c.in)
		want := c.want
		want.Low, want.High = want.Low+c.shiftsBy, want.High+c.shiftsBy
		if got.Best != want.Best || got.Stays != want.Stays || math.Abs(got.Low-want.Low)+math.Abs(got.High-want.High) > 1e-9 || at != c.at {
			t.Errorf("after %d evaluations: %+v at %d, want %+v at %d", c.in.Evals, got, at, want, c.at)
		}
	}
}
