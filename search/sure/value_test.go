package sure

import (
	"math"
	"testing"

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
