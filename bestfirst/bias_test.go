package bestfirst

import (
	"testing"

	"tesla/loop/looptest"
)

// Positions with the same pawns share a slot, others rarely do, and whose turn it is matters.
func TestBiasSlot(t *testing.T) {
	slot := func(fen string) uint16 { return biasSlot(&looptest.Game(t, fen).Pos) }
	start := slot(looptest.Start)
	if start != slot("r1bqkbnr/pppppppp/2n5/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2") || start >= biasSlots {
		t.Error("the same pawns have another slot")
	}
	if start != slot("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1") {
		t.Error("the mover's view is not taken")
	}
	if start == slot("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1") {
		t.Error("other pawns have the same slot")
	}
}

// What search finds beyond the net's value is learned by degrees, and within bounds.
func TestBiases(t *testing.T) {
	var b biases
	n := &node{bias: 7, q: 0.3, base: 0.1}
	b.note(n, 0.5)
	if b[7] < 0.0999 || b[7] > 0.1001 || b[6] != 0 {
		t.Errorf("%v, want 0.1", b[7])
	}
	for range 100 {
		b.note(n, 0.5)
	}
	if b[7] != mostBias {
		t.Errorf("%v, want %v", b[7], mostBias)
	}
}
