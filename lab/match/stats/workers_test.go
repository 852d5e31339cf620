package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A worker whose results are made up deviates; the honest ones do not, more often than by chance.
func TestWorkers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alarms := 0
	for range 200 {
		var w Workers
		for pair := range 400 {
			name := []string{"a", "b", "c", "liar"}[pair%4]
			for half := range 2 {
				points := []int{0, 1, 1, 1, 2}[random.IntN(5)]
				if name == "liar" {
					points = []int{1, 2}[random.IntN(2)]
				}
				w.Add(name, 0, &GameFact{Game: 2*pair + half, Points: points})
			}
		}
		list := w.List()
		if liar := list[3]; liar.Name != "liar" || !liar.Deviates() || liar.Games != 200 {
			t.Fatalf("%+v", liar)
		}
		w = Workers{}
		for pair := range 300 {
			for half := range 2 {
				w.Add([]string{"a", "b", "c"}[pair%3], 0, &GameFact{Game: 2*pair + half, Points: []int{0, 1, 1, 1, 2}[random.IntN(5)]})
			}
		}
		for _, of := range w.List() {
			if of.P < 0.05 {
				alarms++
			}
		}
	}
	if alarms < 10 || alarms > 60 { // 30 of 600 are expected
		t.Errorf("%d of 600 honest workers have p < 0.05", alarms)
	}
	// 30 and 10 against 20 and 20: chi-square 5.333 with one degree of freedom.
	if p := deviation(Pentanomial{0, 0, 30, 0, 10}, Pentanomial{0, 0, 50, 0, 30}); math.Abs(p-0.0209) > 1e-4 {
		t.Errorf("p = %v", p)
	}
	if p := deviation(Pentanomial{19}, Pentanomial{19, 100}); p != 1 {
		t.Errorf("p = %v with few pairs", p)
	}
}
