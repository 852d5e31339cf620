package match

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/notnil/chess"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/internal/slow"
)

// TestSANAgainstOther plays random games and compares every move's SAN with that of another program.
func TestSANAgainstOther(t *testing.T) {
	slow.Test(t)
	var list, others [board.MaxMoves]board.Move
	source := rand.New(rand.NewPCG(3, 0))
	for range 12 {
		p := board.StartPosition()
		for ply := 0; ply < 150 && p.HasLegalMove(); ply++ {
			fen := p.FEN(false)
			read, err := chess.FEN(fen)
			if err != nil {
				t.Fatal(err)
			}
			other := chess.NewGame(read).Position()
			moves := p.LegalMoves(list[:0])
			want := map[string]string{}
			for _, m := range other.ValidMoves() {
				want[m.String()] = chess.AlgebraicNotation{}.Encode(other, m)
			}
			for _, m := range moves {
				san := SAN(&p, m)
				if uci := p.UCI(m, false); san != want[uci] {
					t.Errorf("%s: %s is %s, want %s", fen, uci, san, want[uci])
				}
				if back, err := ParseSAN(&p, san); err != nil || back != m {
					t.Errorf("%s: %s reads as %v, %v", fen, san, back, err)
				}
			}
			others = list
			var next board.Position
			p.Make(others[source.IntN(len(moves))], &next)
			p = next
		}
	}
}

func TestSAN(t *testing.T) {
	for _, c := range []struct{ fen, uci, san string }{
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O"},
		{"r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8a8", "O-O-O"},
		{"1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1", "c1b1", "O-O-O"},
		{"1rk4r/8/8/8/8/8/8/1RK4R b HBhb - 0 1", "c8h8", "O-O"},
		{"3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", "O-O-O+"},
		{"8/k7/8/8/7Q/8/8/K3Q2Q w - - 0 1", "h1e4", "Qh1e4"},
		{"k7/8/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6", "exd6"},
		{"1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8r", "axb8=R+"},
		{"7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7g7", "Qg7#"},
		{"4k3/4r3/8/8/8/2N3N1/8/4K3 w - - 0 1", "c3e4", "Nce4"}, // both can: e4 blocks the check
	} {
		p := boardtest.Position(t, c.fen)
		m, err := p.ParseMove(c.uci, true)
		if err != nil {
			t.Fatal(err)
		}
		if san := SAN(&p, m); san != c.san {
			t.Errorf("%s %s: %s, want %s", c.fen, c.uci, san, c.san)
		}
		if back, err := ParseSAN(&p, c.san); err != nil || back != m {
			t.Errorf("%s: %v, %v", c.san, back, err)
		}
	}
	p := board.StartPosition()
	for text, uci := range map[string]string{"Ng1f3": "g1f3", "Ngf3!?": "g1f3", "e2-e4": "e2e4", "N1f3": "g1f3", "d2d4": "d2d4"} {
		if m, err := ParseSAN(&p, text); err != nil || p.UCI(m, false) != uci {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "x", "O-O", "Nd4", "e5", "e4=Q", "Qxe9", "N", "é4", "=Q"} {
		if m, err := ParseSAN(&p, text); err == nil {
			t.Errorf("%q reads as %s", text, p.UCI(m, false))
		}
	}
}

func FuzzReadPGN(f *testing.F) {
	f.Add("[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O Ke7 2. Rf7+ *")
	f.Add("1. e4 {a} (1. d4 d5) e5 $1 ; c\n2. Nf3! 1/2-1/2")
	f.Fuzz(func(t *testing.T, text string) {
		games, err := ReadPGN([]byte(text), 20)
		for _, o := range games {
			if err == nil && o.game().Outcome() != board.Ongoing {
				t.Errorf("%q: an opening is over", text)
			}
		}
	})
}

func TestReadPGN(t *testing.T) {
	const text = "\xef\xbb\xbf[Event \"x\"]\n[White \"A [B]\"]\n\n1. e4 {best (by test)} e5 (1... c5 2. Nf3 (2. c3)) 2.Nf3 $1 Nc6 ; rest\n3. Bb5 a6 1/2-1/2\n\n" +
		"[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n[SetUp \"1\"]\n\n1. O-O Ke7 *\n\n" +
		"[Event \"short\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"
	list, err := ReadPGN([]byte(text), 5)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range list {
		got = append(got, o.game().Pos.FEN(false))
	}
	want := []string{
		"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
		"8/4k3/8/8/8/8/8/5RK1 w - - 2 2",
		"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", // without the mate
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	for _, bad := range []string{"1. e4 {", "1. e5", "[FEN \"bogus\"]", "1. e4 (", "1. e4 )", "[Event"} {
		if _, err := ReadPGN([]byte("\n"+bad), 0); err == nil || !strings.Contains(err.Error(), "line") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestOpenings(t *testing.T) {
	seen := map[uint64]bool{}
	for _, name := range []string{Balanced, Unbalanced} {
		list, err := LoadOpenings(name, 0)
		if err != nil || len(list) != 400 {
			t.Fatalf("%s: %d openings, %v", name, len(list), err)
		}
		for i, o := range list {
			g := o.game()
			if len(g.Moves) != 10 || seen[g.Pos.Key] {
				t.Errorf("opening %d of %s: %d plies, seen before: %v", i+1, name, len(g.Moves), seen[g.Pos.Key])
			}
			seen[g.Pos.Key] = true
		}
		short, err := LoadOpenings(name, 6)
		if err != nil || len(short[399].Moves) != 6 {
			t.Errorf("six plies of %s: %d, %v", name, len(short[399].Moves), err)
		}
	}
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const epd = "# two\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\n\n1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1\n"
	list, err := LoadOpenings(file("a.epd", epd), 0)
	if err != nil || len(list) != 2 || needs960(&list[0].Start) || !needs960(&list[1].Start) {
		t.Errorf("%d, %v", len(list), err)
	}
	for name, text := range map[string]string{
		"bad.epd": "rnbqkbnr/8 w - -", "over.epd": "7k/5Q2/6K1/8/8/8/8/8 b - -\n", "empty.epd": "# nothing\n", "bad.pgn": "1. Ke2",
	} {
		if _, err := LoadOpenings(file(name, text), 0); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := LoadOpenings("/no/such/file", 0); err == nil {
		t.Error("a file that is not there is read")
	}
}

func TestOrder(t *testing.T) {
	a, b := order(5, 12, true, 9), order(5, 12, true, 9)
	count := make([]int, 5)
	for i := range a {
		if a[i] != b[i] {
			t.Fatal("the same seed gives two orders")
		}
		count[a[i]]++
	}
	for _, n := range count {
		if n < 2 || n > 3 {
			t.Errorf("openings are used %v times", count)
		}
	}
	if c := order(3, 5, false, 0); c[0] != 0 || c[2] != 2 || c[4] != 1 {
		t.Error(c)
	}
}
