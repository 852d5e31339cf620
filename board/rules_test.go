package board

import (
	"slices"
	"strings"
	"testing"

	"github.com/notnil/chess"
)

// TestOracle compares legal moves in random games with another implementation of the rules.
func TestOracle(t *testing.T) {
	games := 60
	if testing.Short() {
		games = 10
	}
	for g := range games {
		p := StartPosition()
		if g%3 == 1 {
			p = mustParse(t, kiwipete)
		}
		for ply := 0; ply < 120 && p.HasLegalMove() && !t.Failed(); ply++ {
			compareMoves(t, &p)
			moves := p.LegalMoves(nil)
			p = p.After(moves[(g*7919+ply*104729)%len(moves)])
		}
	}
	for _, fen := range mixedFENs {
		if strings.ContainsAny(strings.Fields(fen)[2], "abefABEF") {
			continue
		}
		p := mustParse(t, fen)
		compareMoves(t, &p)
	}
}

// compareMoves compares the legal moves of p with those of notnil/chess.
func compareMoves(t *testing.T, p *Position) {
	t.Helper()
	option, err := chess.FEN(p.FEN(false))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range chess.NewGame(option).ValidMoves() {
		want = append(want, m.String())
	}
	for _, m := range p.LegalMoves(nil) {
		got = append(got, p.UCI(m, false))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", p.FEN(false), got, want)
	}
}

// TestMake compares the incremental key with a recomputation, and the position with one read back from its FEN.
func TestMake(t *testing.T) {
	walk(t, 1, 200, 100, func(p, last *Position, m Move) {
		if key := p.computeKey(); p.Key != key {
			t.Fatalf("%s: key %x, recomputed %x", p.FEN(true), p.Key, key)
		}
		for _, chess960 := range []bool{false, true} {
			fen := p.FEN(chess960)
			q, err := ParseFEN(fen)
			if err != nil {
				t.Fatalf("after %v: %v", m, err)
			}
			if q != *p {
				t.Fatalf("%s read back differs:\n%+v\n%+v", fen, *p, q)
			}
		}
		if last == nil {
			return
		}
		if p.Black == last.Black || p.Occupied().Flip().Count() != last.Occupied().Count()-btoi(m.IsCapture()) {
			t.Fatalf("%s: wrong number of pieces after %s", p.FEN(true), last.UCI(m, true))
		}
		if got, want := last.GivesCheck(m), p.InCheck(); got != want {
			t.Fatalf("%s %s: GivesCheck %v, want %v", last.FEN(true), last.UCI(m, true), got, want)
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestGeneration compares LegalMoves with CountLegal, HasLegalMove, IsLegal, LegalCaptures and GivesCheck.
func TestGeneration(t *testing.T) {
	walk(t, 2, 200, 60, func(p, _ *Position, _ Move) {
		moves := p.LegalMoves(nil)
		if n := p.CountLegal(); n != len(moves) {
			t.Fatalf("%s: CountLegal %d, list %d", p.FEN(true), n, len(moves))
		}
		if p.HasLegalMove() != (len(moves) > 0) {
			t.Fatalf("%s: HasLegalMove %v", p.FEN(true), p.HasLegalMove())
		}
		var captures []Move
		checks := p.Checks()
		for _, m := range moves {
			if !p.IsLegal(m) {
				t.Fatalf("%s: %s is generated but not IsLegal", p.FEN(true), p.UCI(m, true))
			}
			next := p.After(m)
			if got, give, want := p.GivesCheck(m), checks.Give(p, m), next.InCheck(); got != want || give != want {
				t.Fatalf("%s %s: GivesCheck %v, Give %v, want %v", p.FEN(true), p.UCI(m, true), got, give, want)
			}
			if pr := p.Promotion(m); m.IsCapture() && pr == None || pr == Queen {
				captures = append(captures, m)
			}
		}
		got := p.LegalCaptures(nil)
		slices.Sort(got)
		slices.Sort(captures)
		if !slices.Equal(got, captures) {
			t.Fatalf("%s: captures %v, want %v", p.FEN(true), got, captures)
		}
	})
}

// TestIsLegal calls IsLegal with every value of 18 bits.
func TestIsLegal(t *testing.T) {
	check := func(p *Position) {
		legal := map[Move]bool{}
		for _, m := range p.LegalMoves(nil) {
			legal[m] = true
		}
		n := 0
		for m := Move(0); m < 1<<18; m++ {
			if p.IsLegal(m) {
				n++
				if !legal[m] {
					t.Fatalf("%s: %x (%s) is legal but not generated", p.FEN(true), uint32(m), p.UCI(m, true))
				}
			}
		}
		if n != len(legal) {
			t.Fatalf("%s: %d values are legal, %d moves generated", p.FEN(true), n, len(legal))
		}
		if p.IsLegal(1<<18 | p.LegalMoves([]Move{0})[0]) {
			t.Fatalf("%s: a value of more than 18 bits is legal", p.FEN(true))
		}
	}
	for _, fen := range mixedFENs {
		p := mustParse(t, fen)
		check(&p)
	}
	n := 0
	walk(t, 3, 17, 40, func(p, _ *Position, _ Move) {
		if n++; n%10 == 0 {
			check(p)
		}
	})
}

func TestMaxMoves(t *testing.T) {
	p := mustParse(t, "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
	if n := len(p.LegalMoves(nil)); n != MaxMoves {
		t.Errorf("%d moves, want %d", n, MaxMoves)
	}
	buffer := make([]Move, 3, 5)
	if got := p.LegalMoves(buffer); len(got) != 3+MaxMoves {
		t.Errorf("%d moves appended", len(got)-3)
	}
	small := make([]Move, 0, MaxMoves)
	if n := testing.AllocsPerRun(10, func() { p.LegalMoves(small) }); n != 0 {
		t.Errorf("generation into enough room allocates %v times", n)
	}
}

// TestAttacks compares the attacks of sliders with a walk square by square.
func TestAttacks(t *testing.T) {
	walkRay := func(s Square, occ Bitboard, df, dr int) (b Bitboard) {
		for f, r := s.File()+df, s.Rank()+dr; f >= 0 && f < 8 && r >= 0 && r < 8; f, r = f+df, r+dr {
			bit := NewSquare(f, r).Bitboard()
			b |= bit
			if occ&bit != 0 {
				break
			}
		}
		return b
	}
	random := splitMix(5)
	for range 500 {
		a, b := random.next(), random.next()
		occ := Bitboard(a & b)
		for s := Square(0); s < 64; s++ {
			rook := walkRay(s, occ, 1, 0) | walkRay(s, occ, -1, 0) | walkRay(s, occ, 0, 1) | walkRay(s, occ, 0, -1)
			bishop := walkRay(s, occ, 1, 1) | walkRay(s, occ, -1, 1) | walkRay(s, occ, 1, -1) | walkRay(s, occ, -1, -1)
			if RookAttacks(s, occ) != rook || BishopAttacks(s, occ) != bishop || QueenAttacks(s, occ) != rook|bishop {
				t.Fatalf("attacks from %v over %x", s, uint64(occ))
			}
		}
	}
	if got := between[4][7]; got != 0x60 {
		t.Errorf("between e1 and h1: %x", uint64(got))
	}
	if got := between[0][10]; got != 0 {
		t.Errorf("between a1 and c2: %x", uint64(got))
	}
}

func BenchmarkLegalMoves(b *testing.B) {
	p := mustParse(b, kiwipete)
	var buffer [MaxMoves]Move
	for b.Loop() {
		p.LegalMoves(buffer[:0])
	}
}

func BenchmarkCountLegal(b *testing.B) {
	p := mustParse(b, kiwipete)
	for b.Loop() {
		p.CountLegal()
	}
}

func BenchmarkMake(b *testing.B) {
	p := mustParse(b, kiwipete)
	moves := p.LegalMoves(nil)
	var next Position
	i := 0
	for b.Loop() {
		p.Make(moves[i%len(moves)], &next)
		i++
	}
}

func BenchmarkIsLegal(b *testing.B) {
	p := mustParse(b, kiwipete)
	moves := p.LegalMoves(nil)
	i := 0
	for b.Loop() {
		p.IsLegal(moves[i%len(moves)])
		i++
	}
}

func TestQuietChecks(t *testing.T) {
	checks := 0
	walk(t, 5, 300, 160, func(p, _ *Position, _ Move) {
		if p.InCheck() {
			return
		}
		var want []Move
		for _, m := range p.LegalMoves(nil) {
			if p.GivesCheck(m) && !m.IsCapture() && !m.IsCastling() && p.Promotion(m) == None {
				want = append(want, m)
			}
		}
		got := p.QuietChecks(nil)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%v: quiet checks %v, want %v", p, got, want)
		}
		checks += len(want)
	})
	if checks < 1000 {
		t.Errorf("only %d quiet checks were seen", checks)
	}
}
