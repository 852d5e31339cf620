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
		list, err := LoadOpenings(name, 0)
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
		"bad.epd": "rnbqkbnr/8 w - -", "over.epd": "7k/5Q2/6K1/8/8/8/8/8 b - -\n", "empty.epd": "# nothing\n",
		"bad.pgn": "1. Ke2",
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
