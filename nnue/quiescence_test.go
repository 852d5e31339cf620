package nnue

import (
	"math/rand/v2"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// plain is the quiescence search as a minimax search without incremental accumulators. Each position takes one of
// nodes. The value is meaningless once nodes is below 0.
func plain(s *Stack, p *board.Position, ply int, nodes *int) int {
	if *nodes--; *nodes < 0 || p.InsufficientMaterial() {
		return 0
	}
	best, moves := ply-search.MateScore, p.LegalMoves(nil)
	evade := ply < evasionPlies && p.InCheck()
	if !evade {
		s.Reset(p)
		best, moves = s.Value(p), p.LegalCaptures(nil)
		if ply == quietPlies {
			return best
		}
	}
	for _, m := range moves {
		if evade || p.SEE(m, 0) {
			next := p.After(m)
			best = max(best, -plain(s, &next, ply+1, nodes))
		}
	}
	return best
}

// samples returns positions of random games, at most n from each of starts.
func samples(t testing.TB, n int) (all []board.Position) {
	rnd := rand.New(rand.NewPCG(6, 0))
	for _, fen := range starts {
		p := boardtest.Position(t, fen)
		for range n {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p = p.After(moves[rnd.IntN(len(moves))])
			all = append(all, p)
		}
	}
	return all
}

// quiescence returns the value of p by a quiescence search with the window (alpha, beta).
func quiescence(w *Worker, p *board.Position, alpha, beta int) int {
	w.begin(p)
	return w.quiet(0, unknown, alpha, beta)
}

func TestQuiescence(t *testing.T) {
	n := randomNet(t, testHeader(64, 4), 2)
	w, s := NewWorker(n), NewStack(n, 1)
	w.delta = 100000
	rnd := rand.New(rand.NewPCG(8, 0))
	changed, compared := 0, 0
	for _, p := range samples(t, 40) {
		nodes := quietNodes - 1
		want := plain(s, &p, 0, &nodes)
		if nodes < 0 {
			continue
		}
		compared++
		if got := quiescence(w, &p, -infinite, infinite); got != want {
			t.Errorf("%s: %d, minimax has %d", p.FEN(true), got, want)
		}
		if w.begin(&p); want != w.stack.Value(&p) {
			changed++
		}
		for range 4 {
			alpha := want - 300 + rnd.IntN(600)
			beta := alpha + 1 + rnd.IntN(100)
			got := quiescence(w, &p, alpha, beta)
			if ok := got == want || got <= alpha && want <= got || got >= beta && want >= got; !ok {
				t.Errorf("%s: %d in (%d, %d), minimax has %d", p.FEN(true), got, alpha, beta, want)
			}
		}
	}
	if changed < 100 || compared < 200 {
		t.Errorf("%d positions, %d with a capture worth making", compared, changed)
	}
}

func TestQuiescenceMates(t *testing.T) {
	w := NewWorker(randomNet(t, testHeader(64, 4), 2))
	for _, test := range []struct {
		fen  string
		want int
	}{
		{"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", -search.MateScore},
		{"r5k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", search.MateScore - 1},
		{"5rk1/P4ppp/8/8/8/8/8/6K1 w - - 0 1", 0},
		{"k7/8/8/8/8/8/8/K1n5 w - - 0 1", 0},
	} {
		p := boardtest.Position(t, test.fen)
		got := quiescence(w, &p, -infinite, infinite)
		if proven := max(got, -got) > search.MaxCP; got != test.want && (test.want != 0 || proven) {
			t.Errorf("%s: %d, want %d", test.fen, got, test.want)
		}
	}
}

func TestWorker(t *testing.T) {
	n := randomNet(t, testHeader(64, 4), 2)
	positions := samples(t, 30)
	var want []Eval
	var policies [][]float32
	eachKernel(t, func(t *testing.T) {
		w := NewWorker(n)
		for i := range positions {
			p := &positions[i]
			moves := p.LegalMoves(nil)
			policy := make([]float32, len(moves))
			e := w.Evaluate(p, moves, policy)
			if s := e.W + e.D + e.L; s < 0.99999 || s > 1.00001 || min(e.W, e.D, e.L) < 0 || e.Sigma <= 0 {
				t.Errorf("%s: %+v", p.FEN(true), e)
			}
			if i == len(want) {
				want, policies = append(want, e), append(policies, policy)
			}
			if err := differ("policy", policy, policies[i]); e != want[i] || err != nil {
				t.Fatalf("%s: %+v, %s had %+v, %v", p.FEN(true), e, available[0].name, want[i], err)
			}
		}
	})
}

// TestGoodExchange compares the shortcut with the static exchange.
func TestGoodExchange(t *testing.T) {
	w := NewWorker(randomNet(t, testHeader(64, 1), 2))
	for _, p := range samples(t, 200) {
		w.policy.maps.set(&p)
		for _, m := range p.LegalMoves(nil) {
			if got, want := w.policy.maps.goodExchange(&p, m), p.SEE(m, 0); got != want {
				t.Errorf("%s %s: %v, want %v", p.FEN(true), p.UCI(m, true), got, want)
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	w := NewWorker(randomNet(t, testHeader(64, 4), 2))
	positions := samples(t, 10)
	moves, policy := make([]board.Move, 0, board.MaxMoves), make([]float32, board.MaxMoves)
	if n := testing.AllocsPerRun(5, func() {
		for i := range positions {
			moves = positions[i].LegalMoves(moves[:0])
			w.Evaluate(&positions[i], moves, policy)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
