package match

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenings(t *testing.T) {
	seen := map[uint64]bool{}
	for _, name := range []string{Balanced, Unbalanced} {
		list, _, err := LoadOpenings(name, 0)
		if err != nil || len(list) != 400 {
			t.Fatalf("%s: %d openings, %v", name, len(list), err)
		}
		for i, o := range list {
			g := o.Game()
			if len(g.Moves) != 10 || seen[g.Pos.Key] {
				t.Errorf("opening %d of %s: %d plies, seen before: %v", i+1, name, len(g.Moves), seen[g.Pos.Key])
			}
			seen[g.Pos.Key] = true
		}
		short, _, err := LoadOpenings(name, 6)
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
	list, _, err := LoadOpenings(file("a.epd", epd), 0)
	if err != nil || len(list) != 2 || list[0].Start.NeedsChess960() || !list[1].Start.NeedsChess960() {
		t.Errorf("%d, %v", len(list), err)
	}
	for name, text := range map[string]string{
		"bad.epd": "rnbqkbnr/8 w - -", "over.epd": "7k/5Q2/6K1/8/8/8/8/8 b - -\n", "empty.epd": "# nothing\n",
		"bad.pgn": "1. Ke2",
	} {
		if _, _, err := LoadOpenings(file(name, text), 0); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	list, _, err = LoadOpenings("../../board/book/testdata/own.bin", 0)
	if err != nil || len(list) != 1 || len(list[0].Moves) != 2 {
		t.Errorf("a Polyglot book: %v, %v", list, err)
	}
	if _, _, err := LoadOpenings(file("bad.bin", "no book"), 0); err == nil || !strings.Contains(err.Error(), "bad.bin") {
		t.Errorf("%v", err)
	}
	if _, _, err := LoadOpenings("/no/such/file", 0); err == nil {
		t.Error("a file that is not there is read")
	}
}

// TestLaxOpenings checks the notes about what was repaired or left out, and the clocks of EPD.
func TestLaxOpenings(t *testing.T) {
	for _, c := range []struct{ name, text, fens, notes string }{
		{"a.epd", "\ufeff8/5k2/8/8/8/2R5/5K2/8 w - - hmvc 90; fmvn 120;\r\n", "8/5k2/8/8/8/2R5/5K2/8 w - - 90 120", ""},
		{"b.epd", "# one\n4k3/8/8/8/8/8/8/4K2R w KQ - 0 1\n", "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
			"b.epd: line 2: castling right Q is dropped: no rook stands there"},
		{"c.pgn", "[FEN \"4k3/8/8/8/8/8/8/4K2R w K -\"]\n1. O-O*\n\n1. e5 *\n", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1",
			"c.pgn: 1 of 2 games are left out; c.pgn: game 2, line 4 is left out: line 4: move \"e5\": no legal move fits"},
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile(c.name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, notes, err := LoadOpenings(c.name, 0)
		var fens []string
		for _, o := range list {
			fens = append(fens, o.Game().Pos.FEN(false))
		}
		if got := strings.Join(fens, "; "); err != nil || got != c.fens {
			t.Errorf("%s: %s (%v), want %s", c.name, got, err, c.fens)
		}
		if got := strings.ReplaceAll(strings.Join(notes, "; "), "openings ", ""); got != c.notes {
			t.Errorf("%s: notes %q, want %q", c.name, got, c.notes)
		}
	}
	var out strings.Builder
	tell(&out, strings.Split(strings.Repeat("x ", 12), " "))
	if out.String() != strings.Repeat("match: x\n", 10)+"match: 3 more such lines\n" {
		t.Errorf("%q", out.String())
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
