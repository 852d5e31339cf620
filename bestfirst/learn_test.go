package bestfirst

import (
	"math"
	"testing"

	"tesla/board"
	"tesla/loop/looptest"
	"tesla/search"
)

// Positions with the same pawns share a slot, others rarely do, and whose turn it is matters.
func TestPawnSlot(t *testing.T) {
	slot := func(fen string) uint16 { return pawnSlot(&looptest.Game(t, fen).Pos) }
	start := slot(looptest.Start)
	if start != slot("r1bqkbnr/pppppppp/2n5/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2") || start >= pawnSlots {
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
	l, n := &lessons{}, &node{pawns: 7, q: 0.3, base: 0.1}
	p := board.StartPosition()
	two := [2]board.Move{p.LegalMoves(nil)[0], p.LegalMoves(nil)[1]}
	l.note(n, two, 0.25)
	if b := l.bias(7, two); math.Abs(float64(b)-0.1) > 1e-6 {
		t.Errorf("%v, want 0.1", b)
	}
	if b := l.bias(6, [2]board.Move{two[1], two[0]}); b != 0 {
		t.Errorf("%v for another position", b)
	}
	for range 100 {
		l.note(n, two, 0.5)
	}
	if b := l.bias(7, two); b != 2*mostBias {
		t.Errorf("%v, want %v", b, 2*mostBias)
	}
}

// A move that gets more of the search than its prior is urged elsewhere, most as an answer to the same move; others less.
func TestHabits(t *testing.T) {
	s := open(t, looptest.Mock(t), Options{TreeMemory: 4 << 20})
	g := looptest.Game(t, looptest.Start)
	run(s, g, search.Limits{Evals: 200})
	root := &s.tree.Nodes.Items[s.tree.root]
	l, last := &lessons{}, g.Pos.LegalMoves(nil)[7]
	l.watch(s.tree, root, last, 0.5)
	for i := range int(root.tried) {
		e := s.tree.edge(root, i)
		beyond := float64(e.n)/float64(root.n) - float64(e.prior)/math.MaxUint16
		answer, habit := l.urge(last, e.move()), l.urge(board.NullMove, e.move())
		if math.Abs(math.Log(float64(answer))-beyond) > 1e-4 || math.Abs(math.Log(float64(habit))-beyond/2) > 1e-4 {
			t.Errorf("%v: %v beyond its prior, urged by %v, %v elsewhere", e.move(), beyond, answer, habit)
		}
	}
	root.n = habitEvals - 1
	before := *l
	if l.watch(s.tree, root, last, 0.5); *l != before {
		t.Error("a position of few evaluations was listened to")
	}
}
