package board

import "testing"

// bruteExchange returns the most material that the side to capture can win on square to. If all is set it tries every
// capturer; otherwise it tries only the least valuable one on the lowest square, which is the definition of SEE. ours
// reports whether it is our turn; victim is the value of the piece on the square.
func bruteExchange(p *Position, to Square, occ Bitboard, victim int, ours, all bool) int {
	side, other := p.Theirs, p.Ours
	if ours {
		side, other = other, side
	}
	attackers := p.AttackersTo(to, occ) & occ &^ to.Bitboard()
	best := 0
	for t := Pawn; t <= King; t++ {
		for b := attackers & side & p.boards()[1+t]; b != 0; {
			s := b.Pop()
			if t == King && attackers&other != 0 {
				continue
			}
			best = max(best, victim-bruteExchange(p, to, occ^s.Bitboard(), Worth[t], !ours, all))
			if !all {
				return best
			}
		}
	}
	return best
}

// bruteSEE returns the value of the exchange that m begins.
func bruteSEE(p *Position, m Move, all bool) int {
	if m.IsCastling() {
		return 0
	}
	from, to := m.From(), m.To()
	occ := p.Occupied()&^from.Bitboard() | to.Bitboard()
	if m.Target() == Pawn && to == p.EnPassant {
		occ &^= to.Bitboard() >> 8
	}
	gain := Worth[m.Target()]
	if p.Promotion(m) != None {
		gain += Worth[m.Moved()] - Worth[Pawn]
	}
	return gain - bruteExchange(p, to, occ, Worth[m.Moved()], false, all)
}

// seeBySteps finds the value of a move by a binary search over thresholds of SEE.
func seeBySteps(p *Position, m Move) int {
	low, high := -3000, 3000
	for high-low > 1 {
		if mid := (low + high) / 2; p.SEE(m, mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

func TestSEE(t *testing.T) {
	for _, c := range []struct {
		fen, move string
		want      int
	}{
		{"1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100},
		{"1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -200},
		{"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100},
		{"4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1", "d1d6", -400},
		{"4k3/8/8/8/2pP4/8/8/4K3 b - d3 0 1", "c4d3", 100},
		{"4k3/8/8/8/2pP4/8/4P3/4K3 b - d3 0 1", "c4d3", 0},
		{"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 800},
		{"1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100},
		{"1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 1300},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 0},
		{"4k3/8/8/3q4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 900},
		{"8/8/3k4/3q4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 900},
		{"8/8/3k4/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5", -400},
		{"4k3/8/8/8/8/8/8/4KN2 w - - 0 1", "f1g3", 0},
		{"4k3/8/8/8/7p/8/8/4KN2 w - - 0 1", "f1g3", -300},
	} {
		p := mustParse(t, c.fen)
		m, err := p.ParseMove(c.move)
		if err != nil {
			t.Fatal(err)
		}
		if got := seeBySteps(&p, m); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.fen, c.move, got, c.want)
		}
	}
}

// TestSEEBruteForce compares SEE with a full search of the exchange. It also counts how rarely another order of
// captures is better than the least valuable piece first, for example because a queen that shields an enemy rook should
// stay.
func TestSEEBruteForce(t *testing.T) {
	moves, differ := 0, 0
	walk(t, 6, 100, 50, func(p, _ *Position, _ Move) {
		for _, m := range p.LegalMoves(nil) {
			got := seeBySteps(p, m)
			if want := bruteSEE(p, m, false); got != want {
				t.Fatalf("%s %s: %d, brute force %d", p.FEN(true), p.UCI(m, true), got, want)
			}
			if p.AttackersTo(m.To(), 0).Count() > 12 {
				continue
			}
			moves++
			if bruteSEE(p, m, true) != got {
				differ++
			}
		}
	})
	if differ*200 > moves {
		t.Errorf("%d of %d exchanges have a better order of captures", differ, moves)
	}
	t.Logf("%d of %d exchanges have a better order of captures", differ, moves)
}

func BenchmarkSEE(b *testing.B) {
	p := mustParse(b, kiwipete)
	moves := p.LegalMoves(nil)
	i := 0
	for b.Loop() {
		p.SEE(moves[i%len(moves)], 0)
		i++
	}
}
