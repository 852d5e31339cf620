package nnue

import (
	"math"
	"testing"
)

// Probabilities are those of exact exponentials to a part in 100,000, also where logits lie far apart or are alone.
func TestSoftmax(t *testing.T) {
	for _, step := range []float32{0, 0.01, 0.37, 2.5, 40} {
		for _, moves := range []int{0, 1, 35, 218} {
			var x []float32
			var exact []float64
			var sum float64
			for i := range moves {
				v := 7 - float32(i*17%max(1, moves))*step
				x, exact = append(x, v), append(exact, math.Exp(float64(v)))
				sum += exact[i]
			}
			Softmax(x)
			for i, p := range x {
				if want := exact[i] / sum; math.Abs(float64(p)-want) > 1e-5*want+1e-37 {
					t.Errorf("step %v, move %d of %d: %v, want %v", step, i, moves, p, want)
				}
			}
		}
	}
}
