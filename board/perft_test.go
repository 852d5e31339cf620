package board

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestPerft(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		counts    []uint64
	}{
		{"start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
			[]uint64{20, 400, 8902, 197281, 4865609, 119060324}},
		{"kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
			[]uint64{48, 2039, 97862, 4085603, 193690690}},
		{"rook endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
			[]uint64{14, 191, 2812, 43238, 674624, 11030083}},
		{"promotions", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
			[]uint64{6, 264, 9467, 422333, 15833292}},
		{"promotions mirrored", "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
			[]uint64{6, 264, 9467, 422333, 15833292}},
		{"talkchess", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
			[]uint64{44, 1486, 62379, 2103487, 89941194}},
		{"middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
			[]uint64{46, 2079, 89890, 3894594, 164075551}},
	} {
		p, err := ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.counts {
			if testing.Short() && want > 20_000_000 {
				break
			}
			if got := Perft(&p, i+1); got != want {
				t.Errorf("%s: perft(%d) = %d, want %d", c.name, i+1, got, want)
				break
			}
		}
	}
}

// TestPerft3 compares with the counts of Stockfish (`go perft 3`). The file has 600 positions of random games, 400 random placements
// and 200 positions of random games of Chess960; git show 811e571:board/generate_perft3.go has the program that made it.
func TestPerft3(t *testing.T) {
	f, err := os.Open("testdata/perft3.epd")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		fen, count, _ := strings.Cut(lines.Text(), ";")
		want, err := strconv.ParseUint(count, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		if got := Perft(&p, 3); got != want {
			t.Errorf("%s: perft(3) = %d, want %d", fen, got, want)
		}
	}
	if n != 1200 {
		t.Errorf("%d positions, want 1200", n)
	}
}

func BenchmarkPerft(b *testing.B) {
	p := mustParse(b, kiwipete)
	for b.Loop() {
		Perft(&p, 4)
	}
}

// The parts of Divide sum to Perft, one for each legal move, and it ends when it is stopped.
func TestDivide(t *testing.T) {
	p := StartPosition()
	sum, parts := uint64(0), 0
	Divide(&p, 3, func(_ Move, n uint64) bool { sum += n; parts++; return true })
	if want := Perft(&p, 3); sum != want || parts != 20 {
		t.Errorf("%d sequences in %d parts, want %d in 20", sum, parts, want)
	}
	parts = 0
	Divide(&p, 1, func(Move, uint64) bool { parts++; return parts < 3 })
	if parts != 3 {
		t.Errorf("%d parts after the end", parts)
	}
}
