package tablebase

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
	"tesla/search"
)

// openSyzygy opens the tables of three pieces.
func openSyzygy(t *testing.T) *Tables {
	t.Helper()
	return openPaths(t, Paths{Syzygy: syzygyTables})
}

func openPaths(t *testing.T, paths Paths) *Tables {
	t.Helper()
	tables, notes := Open(paths)
	if notes != nil {
		t.Fatal(notes)
	}
	t.Cleanup(func() { tables.Close() })
	return tables
}

// The fifty-move counter decides between a win and a draw; positions that tables do not have are not known.
func TestLabel(t *testing.T) {
	tables := openSyzygy(t)
	for _, c := range []struct {
		fen    string
		known  bool
		result int
		plies  int    // of a win or loss
		best   string // empty: any legal move
	}{
		{"8/8/8/3k4/8/8/3KP3/8 w - - 0 1", true, 1, 11, "d2d3"},
		{"8/8/8/3k4/8/8/3KP3/8 w - - 88 60", true, 1, 11, "d2d3"}, // pawn moves after 10 plies more, at a counter of 98
		{"8/8/8/3k4/8/8/3KP3/8 w - - 89 60", false, 0, 0, ""},     // at 99 or 100
		{"8/8/8/3k4/8/8/3KP3/8 w - - 90 60", true, 0, 0, ""},
		{"7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", true, 1, 5, ""},
		{"8/8/8/4k3/8/8/3KB3/8 w - - 0 1", true, 0, 0, ""},
		{"8/8/8/8/4k3/8/3Kp3/8 w - - 98 70", true, 0, 0, "d2e2"},
		{"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", true, -1, 1, "none"}, // mate
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", false, 0, 0, ""},
		{"8/8/8/3k4/8/8/3KPP2/8 w - - 0 1", false, 0, 0, ""},
	} {
		p := position(t, c.fen)
		l, known, err := tables.Label(&p)
		result, same, errOutcome := tables.Outcome(&p)
		if err != nil || errOutcome != nil || known != c.known || same != known || result != l.Result || result != c.result {
			t.Errorf("%s: %+v, %t, %v; %d, %t, %v", c.fen, l, known, err, result, same, errOutcome)
			continue
		}
		if want := c.result * search.TableWinIn(c.plies); l.Score != want {
			t.Errorf("%s: score %d, want %d", c.fen, l.Score, want)
		}
		if legal := p.IsLegal(l.Best); legal != (known && c.best != "none") || legal && c.best != "" && p.UCI(l.Best, false) != c.best {
			t.Errorf("%s: best %s, want %s", c.fen, p.UCI(l.Best, false), c.best)
		}
	}
}

// A bad table is an error and never a result.
func TestLabelOfBadTable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "KPvK.rtbw"), []byte("no table"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	l, known, err := openPaths(t, Paths{Syzygy: dir}).Label(&p)
	if known || err == nil || l != (Label{}) || !strings.Contains(err.Error(), "KPvK.rtbw") {
		t.Errorf("%+v, %t, %v; want an error that names the file", l, known, err)
	}
}

// Of several positions the unknown ones have no result, and a bad table is told once.
func TestAsk(t *testing.T) {
	won, larger := position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1"), position(t, "8/8/8/3k4/8/8/3KPP2/8 w - - 0 1")
	known, notes := Ask(Paths{Syzygy: syzygyTables}, []board.Position{larger, won})
	if len(known) != 2 || known[0] != nil || known[1] == nil || known[1].Best != "d2d3" || notes != nil {
		t.Errorf("%v, %v", known, notes)
	}
	bad := t.TempDir()
	if err := os.WriteFile(filepath.Join(bad, "KPvK.rtbw"), []byte("no table"), 0o600); err != nil {
		t.Fatal(err)
	}
	if known, notes = Ask(Paths{Syzygy: bad}, []board.Position{won, won}); known[0] != nil || len(notes) != 1 ||
		!strings.Contains(notes[0].Error(), "KPvK.rtbw") {
		t.Errorf("%v, %v", known, notes)
	}
}
