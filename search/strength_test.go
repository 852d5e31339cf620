package search

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestStrengthOf(t *testing.T) {
	for i, r := range ladder {
		if s := StrengthOf(r.elo); float64(s.Evals) != r.evals || math.Abs(s.Temperature-r.temp) > 1e-9 {
			t.Errorf("rung %d: %+v, want %+v", i, s, r)
		}
	}
	last := StrengthOf(-5)
	if last != StrengthOf(MinElo) || StrengthOf(9999) != StrengthOf(MaxElo) {
		t.Error("ratings beyond the ladder are not its ends")
	}
	for elo := MinElo; elo <= MaxElo; elo += 10 {
		s := StrengthOf(elo)
		if s.Evals < last.Evals || s.Temperature > last.Temperature {
			t.Errorf("%d: %+v is weaker than %+v before it", elo, s, last)
		}
		last = s
	}
}

// TestDraw checks the odds: values 0.1 apart at a temperature of 0.1 differ by a factor of e.
func TestDraw(t *testing.T) {
	const n = 100_000
	var got [3]float64
	for range n {
		got[Draw([]float64{0.2, 0.3, 0.1}, 0.1, rand.Float64())]++
	}
	sum := math.E + 1 + 1/math.E
	for i, want := range []float64{1 / sum, math.E / sum, 1 / math.E / sum} {
		if math.Abs(got[i]/n-want) > 5*math.Sqrt(want*(1-want)/n) {
			t.Errorf("move %d: %.4f of the draws, want %.4f", i, got[i]/n, want)
		}
	}
	if Draw([]float64{1, 5, -5}, 1e-6, 0.999) != 1 {
		t.Error("a low temperature does not take the best")
	}
}
