package treesearch

import (
	"math"
	"math/rand/v2"
	"testing"

	"tesla/batcher"
	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

func TestLeafBegin(t *testing.T) {
	for _, c := range []struct{ fen, mate string }{
		{"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8"},
		{"6k1/4bppp/8/8/8/8/8/R6K w - - 0 1", "0000"},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "0000"},
	} {
		p := boardtest.Position(t, c.fen)
		var l Leaf
		if got := p.UCI(l.Begin(&p, p.LegalMoves(nil)), false); got != c.mate {
			t.Errorf("%s: %s, want %s", c.fen, got, c.mate)
		}
	}
}

// What settles a position, for the side that moved there.
func TestReach(t *testing.T) {
	for _, c := range []struct {
		fen     string
		cp      int
		settled bool
	}{
		{"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", -(search.MateScore - 2), true}, // a mate in one
		{"R5k1/5ppp/8/8/8/8/8/7K b - - 0 1", search.MateScore - 1, true},    // mated
		{"7k/8/8/8/8/6q1/8/7K w - - 0 1", 0, true},                          // stalemate
		{"7k/8/8/8/8/8/R7/K7 b - - 100 100", 0, true},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0, false},
	} {
		p := boardtest.Position(t, c.fen)
		var l Leaf
		var it batcher.Item
		cp, mate, settled := l.Reach([]board.Position{p}, 0, []uint64{p.Key}, &it)
		if cp != c.cp || settled != c.settled || (mate != board.NullMove) != (cp == -(search.MateScore-2)) || !settled && len(it.Moves) != 20 {
			t.Errorf("%s: %d, %v, %v", c.fen, cp, mate, settled)
		}
	}
}

// A capture that wins, a check that is answered by one, and a position where nothing hangs.
func TestQuieten(t *testing.T) {
	backend := batcher.NewMock(batcher.Options{})
	defer backend.Close()
	all := make([]Leaf, 3)
	line := batcher.NewPipeline(backend, nil, Quieten(func(ref uint32) *Leaf { return &all[ref] }))
	defer line.Close()
	b := line.Get()
	for i, fen := range []string{
		"4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1",
		"4k3/8/8/8/8/8/4q3/3RK3 w - - 0 1",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	} {
		it := b.Add()
		it.Position, it.Ref = boardtest.Position(t, fen), uint32(i)
		it.Moves = it.Position.LegalMoves(it.Moves)
		all[i].Begin(&it.Position, it.Moves)
	}
	line.Submit(b)
	b = line.Next()
	if b.Err != nil || b.Len() != 5 {
		t.Fatalf("%d items, %v; want two quiet positions beside three", b.Len(), b.Err)
	}
	for i, queens := range []int{0, 0} {
		if q := all[i].quiet; q == nil || q.Position.Queens.Count() != queens {
			t.Errorf("position %d: %+v", i, q)
		}
	}
	if all[2].quiet != nil || !all[1].inCheck || all[0].inCheck {
		t.Error("quiet or in check where it is not")
	}
	b.Items[0].Eval.Q, all[0].quiet.Eval.Q = -0.5, -0.9 // with black to move there: 0.9 for white
	if v := all[0].Value(&b.Items[0]); v < 500 {
		t.Errorf("worth %d, want that of the quiet position", v)
	}
}

// Checks, captures and the move of a deep search have the least prior that they deserve.
func TestPriors(t *testing.T) {
	p := boardtest.Position(t, "4k3/8/8/3q4/8/8/8/R2RK3 w - - 0 1")
	it := batcher.Item{Position: p, Moves: p.LegalMoves(nil)}
	it.Policy = make([]float32, len(it.Moves))
	l := Leaf{}
	l.Begin(&p, it.Moves)
	priors := l.floored(&it, it.Moves[0], nil)
	for i, m := range it.Moves {
		want := float32(0)
		switch {
		case i == 0:
			want = bestFloor
		case p.GivesCheck(m):
			want = checkFloor
		case m.IsCapture():
			want = captureFloor
		}
		if priors[i] != want {
			t.Errorf("%s: %v, want %v", p.UCI(m, false), priors[i], want)
		}
	}
}

// The order is by tempered priors, which are shares of one.
func TestOrder(t *testing.T) {
	p := boardtest.Position(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
	it := batcher.Item{Position: p, Moves: p.LegalMoves(nil)}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		it.Policy = it.Policy[:0]
		for range it.Moves {
			it.Policy = append(it.Policy, float32(math.Exp(6*r.NormFloat64())))
		}
		sum := float32(0)
		for _, x := range it.Policy {
			sum += x
		}
		for i := range it.Policy {
			it.Policy[i] /= sum
		}
		temperature := 0.5 + 2*r.Float64()
		l := Leaf{}
		l.Begin(&p, it.Moves)
		NewPolicy(temperature).Order(&it, &l)
		powers, total, seen := make([]float64, len(it.Moves)), 0.0, map[int]bool{}
		for i, x := range it.Policy {
			powers[i] = math.Pow(max(0x1p-20, float64(x)), 1/temperature)
			total += powers[i]
		}
		for k := range l.Order.Len() {
			i, prior := l.Order.At(k)
			want := powers[i] / total * 65535
			if seen[i] = true; math.Abs(float64(prior)-max(1, want)) > 1.5+0.01*want {
				t.Errorf("temperature %.2f: policy %v has the prior %d, want %.1f", temperature, it.Policy[i], prior, want)
			}
			if _, before := l.Order.At(max(0, k-1)); prior > before {
				t.Errorf("prior %d follows %d", prior, before)
			}
		}
		if len(seen) != len(it.Moves) {
			t.Errorf("%d of %d moves", len(seen), len(it.Moves))
		}
	}
}
