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
		{Value{0.5, deviations / 4}, Value{0.75, 0}, 0, 0.8413}, // one deviation
		{Value{0.5, deviations / 8}, Value{0.5 + g.apart*math.Sqrt2/8/g.stretch, deviations / 8}, 0, 0.8413},
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

// TestLoss checks that a certain value stretches no loss, and that the interval of a loss lies where the values allow.
func TestLoss(t *testing.T) {
	won, lost := Decided(search.Decided), Decided(-search.Decided)
	for _, searcher := range []string{"lazysmp", "bestfirst"} {
		g, _ := GapOf(searcher)
		for _, c := range []struct {
			name      string
			v, other  Value
			loss      float64
			low, high float64
		}{
			{"a draw for a likely win", Value{0.5, 0}, Value{0.96, 0.03}, 0.46, 0.43, 0.49},
			{"a draw for more than a win", Value{0.5, 0}, Value{0.98, 0.04}, 0.48, 0.44, 0.5},
			{"a draw for nothing", Value{0.5, 0}, Value{0.49, 0.03}, -0.01, 0, 0.02},
			{"a likely loss for a certain draw", Value{0.04, 0.05}, Value{0.5, 0}, 0.46, 0.41, 0.5},
			{"a likely win for a mate", Value{0.97, 0.03}, won, won.Middle - 0.97, 0, won.Middle - 0.94},
			{"mated instead of drawn", lost, Value{0.5, 0}, 0.5 - lost.Middle, 0.5 - lost.Middle, 0.5 - lost.Middle},
			{"mated instead of mating", lost, won, won.Middle - lost.Middle, won.Middle - lost.Middle, won.Middle - lost.Middle},
			{"mated instead of equal", lost, Value{0.5, 0.1}, 0.5 - lost.Middle, 0.4 - lost.Middle, 0.6 - lost.Middle},
			{"both stated", Value{0.5, 0.03}, Value{0.6, 0.04}, 0.1 * g.stretch, 0.1*g.stretch - 0.05*g.apart, 0.1*g.stretch + 0.05*g.apart},
			{"all that there was", Value{0.02, 0.03}, Value{0.49, 0.04}, 0.49, 0.49 - 0.05*g.apart, min(0.53, 0.49+0.05*g.apart)},
			{"both stated, far apart", Value{0.1, 0.4}, Value{0.3, 0.03}, 0.2 * g.stretch, 0, 0.33},
			{"both stated, the other way", Value{0.9, 0.03}, Value{0.1, 0.04}, -0.8 * g.stretch, 0, 0},
		} {
			c.loss = max(c.loss, c.other.Middle-1)
			loss, _ := g.Loss(c.v, c.other)
			low, high := g.LossInterval(c.v, c.other)
			if math.Abs(loss-c.loss)+math.Abs(low-c.low)+math.Abs(high-c.high) > 1e-9 {
				t.Errorf("%s, %s: %.3f, %.3f to %.3f, want %.3f, %.3f to %.3f", searcher, c.name, loss, low, high, c.loss, c.low, c.high)
			}
		}
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
