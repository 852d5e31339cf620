package nnue

import (
	"math"

	"tesla/board"
)

// Policy computes probabilities of moves. It has memory for the hidden layer, and for the rows, the bias and the products of each
// move. It belongs to one goroutine and allocates nothing after NewPolicy.
type Policy struct {
	net    *Net
	k      *kernels
	maps   attackMaps
	rows   [maxPolicyRows]uint32
	hidden []uint8 // [P]
	rows1  [board.MaxMoves]uint32
	rows2  [board.MaxMoves]uint32
	bias   [board.MaxMoves]float32
	dots1  [board.MaxMoves]int32
	dots2  [board.MaxMoves]int32
}

// NewPolicy returns the policy of n.
func NewPolicy(n *Net) *Policy {
	return &Policy{net: n, k: active, hidden: aligned[uint8](n.P)}
}

// Evaluate writes the probabilities of moves to policy[:len(moves)]. The moves are legal in p, come in any order, and are at
// most board.MaxMoves.
func (n *Policy) Evaluate(p *board.Position, moves []board.Move, policy []float32) {
	if len(moves) == 0 {
		return
	}
	logits := policy[:len(moves)]
	n.logits(p, moves, logits)
	Softmax(logits)
}

// logits writes the logits of at most board.MaxMoves moves.
func (n *Policy) logits(p *board.Position, moves []board.Move, logits []float32) {
	w, width := &n.net.policy, n.net.P
	mirror := Mirror(p)
	n.maps.set(p)
	rows := policyRows(p, &n.maps, mirror, n.rows[:0])
	n.k.hidden(&n.hidden[0], &w.bias[0], &w.ft[0], width, &rows[0], len(rows))
	for i, m := range moves {
		f := n.maps.move(p, m, mirror)
		n.rows1[i], n.rows2[i] = f.Row1, f.Row2
		n.bias[i] = w.bias1[f.Row1] + w.bias2[f.Row2] + w.bias3[f.Scalar]
	}
	n.k.dots(&n.dots1[0], &n.hidden[0], &w.rows1[0], width, &n.rows1[0], len(moves))
	n.k.dots(&n.dots2[0], &n.hidden[0], &w.rows2[0], width, &n.rows2[0], len(moves))
	for i := range logits {
		a := float32(float32(n.dots1[i]) * w.step1[n.rows1[i]])
		b := float32(float32(n.dots2[i]) * w.step2[n.rows2[i]])
		logits[i] = float32((a+b)*hiddenStep) + n.bias[i]
	}
}

// Softmax replaces logits by probabilities.
func Softmax(x []float32) {
	if len(x) == 0 {
		return
	}
	best := x[0]
	for _, v := range x {
		if v > best {
			best = v
		}
	}
	inverse := 1 / exponentials(x, best)
	for i := range x {
		x[i] *= inverse
	}
}

// exponentials replaces each x, none of which is above best, by e^(x-best), to 4e-6 of it; 2^-126 is the least. It
// returns their sum. Each is 2^(n+f) of a whole n and an |f| of at most one half, by the first terms of the series of 2^f.
func exponentials(x []float32, best float32) (sum float32) {
	for i, v := range x {
		y := float32((v - best) * math.Log2E)
		if y < -126 {
			y = -126
		}
		n := int32(y - 0.5)
		f := y - float32(n)
		s := float32(f * (0.0013333558 + float32(f*0.00015403530)))
		s = float32(f * (0.0555041087 + float32(f*(0.0096181291+s))))
		s = float32(f * (0.6931471806 + float32(f*(0.2402265070+s))))
		x[i] = (1 + s) * math.Float32frombits(uint32(n+127)<<23)
		sum += x[i]
	}
	return sum
}
