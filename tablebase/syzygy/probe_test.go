package syzygy_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tesla/board/boardtest"
	"tesla/tablebase/syzygy"
	"tesla/tablebase/tablefile"
	"tesla/tablebase/tabletest"
)

// open opens the tables of a folder until the test ends.
func open(t *testing.T, path string) *syzygy.Tables {
	t.Helper()
	tables, errs := syzygy.Open(path, 0)
	if errs != nil {
		t.Fatal(errs)
	}
	t.Cleanup(func() {
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
	})
	return tables
}

// wdl is the value of a FEN.
func wdl(t *testing.T, tables *syzygy.Tables, fen string) (syzygy.WDL, error) {
	t.Helper()
	p := boardtest.Position(t, fen)
	return tables.WDL(&p, syzygy.Hard)
}

const (
	queen = "8/8/8/3k4/8/8/8/3KQ3 w - - 0 1"
	rook  = "8/8/8/3k4/8/8/8/3KR3 w - - 0 1"
)

// No table has a position of more than seven pieces, whatever they are: eight pawns are not a queen of the other side.
func TestManyPieces(t *testing.T) {
	tables := open(t, tabletest.Folder(t))
	for _, fen := range []string{
		"4k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1", "4k3/pppppppp/8/8/8/8/8/4K3 b - - 0 1",
		"4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", "4k3/8/8/8/8/8/PPPPPPPP/4K3 b - - 0 1",
		"4k3/8/8/8/8/NNNNNNNN/8/4K3 w - - 0 1", "4k3/8/8/8/8/NNNNNNNN/8/4K3 b - - 0 1",
		"4k3/8/8/8/8/BBBBBBBB/8/4K3 b - - 0 1", "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
	} {
		p := boardtest.Position(t, fen)
		if v, err := tables.WDL(&p, syzygy.Hard); !errors.Is(err, syzygy.ErrNoTable) {
			t.Errorf("%s: %v, %v, want %v", fen, v, err, syzygy.ErrNoTable)
		}
		if d, err := tables.DTZ(&p, syzygy.Hard); !errors.Is(err, syzygy.ErrNoTable) {
			t.Errorf("%s: %d plies, %v", fen, d, err)
		}
	}
	if v, err := wdl(t, tables, "4k2r/8/8/8/8/8/8/4K3 b k - 0 1"); !errors.Is(err, syzygy.ErrCastling) {
		t.Errorf("with castling rights: %v, %v", v, err)
	}
}

// A file that holds another material, or the other kind of table, is refused and named, and the others serve.
func TestExchangedFiles(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"KRvK.rtbw", "KQvK.rtbw", "are not those of the name"},
		{"KPvK.rtbw", "KQvK.rtbw", "flags"},
		{"KQvK.rtbz", "KQvK.rtbw", "magic"},
		{"KBvK.rtbz", "KQvK.rtbw", "magic"},
	} {
		dir := tabletest.Folder(t)
		data, err := os.ReadFile(filepath.Join(dir, c.from))
		if err = errors.Join(err, os.WriteFile(filepath.Join(dir, c.to), data, 0o600)); err != nil {
			t.Fatal(err)
		}
		tables := open(t, dir)
		bad := filepath.Join(dir, c.to)
		if v, err := wdl(t, tables, queen); err == nil || !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, %v, want %q", c.from, c.to, v, err, c.want)
		}
		if v, err := wdl(t, tables, rook); v != syzygy.Win || err != nil {
			t.Errorf("beside a bad file: %v, %v", v, err)
		}
		if errs := tables.OpenUpTo(3); len(errs) != 1 || !strings.Contains(errs[0].Error(), bad) {
			t.Errorf("%s for %s: %v", c.from, c.to, errs)
		}
		if err := syzygy.Check(bad); err == nil || strings.Count(err.Error(), bad) != 1 {
			t.Errorf("%s for %s is checked: %v", c.from, c.to, err)
		}
	}
}

// disk fails once it is broken.
type disk struct {
	io.ReaderAt
	broken *atomic.Bool
}

var errDisk = errors.New("the disk is broken")

func (d disk) ReadAt(b []byte, at int64) (int, error) {
	if d.broken.Load() {
		return 0, errDisk
	}
	return d.ReaderAt.ReadAt(b, at)
}

// A disk that fails while many probe gives right values or errors that name the file, and what is in the cache serves on for
// tables that did not fail.
func TestDiskFails(t *testing.T) {
	var broken atomic.Bool
	tablefile.ReadThrough(func(file io.ReaderAt) io.ReaderAt { return disk{file, &broken} })
	defer tablefile.ReadThrough(nil)
	dir := tabletest.Folder(t)
	tables := open(t, dir)
	if v, err := wdl(t, tables, rook); v != syzygy.Win || err != nil {
		t.Fatal(v, err)
	}
	var wg sync.WaitGroup
	for at := range 8 {
		wg.Go(func() {
			for i := range 60 {
				if at == 0 && i == 20 {
					broken.Store(true)
				}
				p := boardtest.Position(t, queen)
				moves := p.LegalMoves(nil)
				next := p.After(moves[(7*i+at)%len(moves)])
				v, err := tables.WDL(&next, syzygy.Hard)
				if err != nil && !(errors.Is(err, errDisk) && strings.Count(err.Error(), filepath.Join(dir, "KQvK.rtbw")) == 1) {
					t.Errorf("%v, %v", v, err)
				}
				if err == nil && v > syzygy.Draw {
					t.Errorf("%s: the bare king has a %v", next.FEN(false), v)
				}
			}
		})
	}
	wg.Wait()
	if v, err := wdl(t, tables, rook); v != syzygy.Win || err != nil {
		t.Errorf("what was read before: %v, %v", v, err)
	}
	if v, err := wdl(t, tables, "8/8/8/3k4/8/8/8/3KN3 w - - 0 1"); !errors.Is(err, errDisk) {
		t.Errorf("a table of the broken disk: %v, %v", v, err)
	}
}

// A file that is cut off after it was opened gives errors for what is gone.
func TestShrunkFile(t *testing.T) {
	dir := tabletest.Folder(t)
	tables := open(t, dir)
	if errs := tables.OpenUpTo(3); errs != nil {
		t.Fatal(errs)
	}
	path := filepath.Join(dir, "KPvK.rtbw")
	if err := os.Truncate(path, 200); err != nil {
		t.Fatal(err)
	}
	v, err := wdl(t, tables, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v, %v", v, err)
	}
	if err := syzygy.Check(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("checked: %v", err)
	}
}

// Of two folders the first serves. Files of other names, folders among them and folders that are not there harm nobody.
func TestFolders(t *testing.T) {
	first, second := tabletest.Queen(t), tabletest.Folder(t)
	for _, name := range []string{"KvK.rtbw", "kqvk.rtbw", "KQvKv.rtbw", "KXvK.rtbw", "KQQQvKQQQ.rtbw", "README", "v.rtbz", ".rtbw"} {
		if err := os.WriteFile(filepath.Join(first, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(first, "KRvK.rtbw"), 0o700); err != nil { // hides that of the second folder
		t.Fatal(err)
	}
	none := filepath.Join(second, "none")
	tables, errs := syzygy.Open(strings.Join([]string{first, none, second}, string(filepath.ListSeparator)), 0)
	defer tables.Close()
	if len(errs) != 1 || !errors.Is(errs[0], os.ErrNotExist) || !strings.Contains(errs[0].Error(), none) {
		t.Errorf("%v", errs)
	}
	if wdl, dtz, pieces := tables.Found(); wdl != 5 || dtz != 5 || pieces != 3 {
		t.Errorf("%d tables of values, %d of distances, of %d pieces", wdl, dtz, pieces)
	}
	if names := tables.Files(); len(names) != 10 || !slices.Contains(names, "KPvK.rtbz") || !slices.IsSorted(names) {
		t.Errorf("%v", names)
	}
	if v, err := wdl(t, tables, queen); v != syzygy.Win || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := wdl(t, tables, rook); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder as a table: %v, %v", v, err)
	}
	for _, bad := range []string{filepath.Join(first, "README"), filepath.Join(first, "KvK.rtbw"), none} {
		if err := syzygy.Check(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s is checked: %v", bad, err)
		}
	}
	for _, good := range []string{"KQvK.rtbw", "KPvK.rtbw", "KPvK.rtbz", "KBvK.rtbz"} {
		if err := syzygy.Check(filepath.Join(second, good)); err != nil {
			t.Error(err)
		}
	}
}

// Root moves are ranked by what they keep: the order of a plain search to the end over the same tables.
func TestRank(t *testing.T) {
	tables := open(t, tabletest.Folder(t))
	for _, c := range []struct {
		fen   string
		first string
		dtz   int
	}{
		{"8/8/8/8/8/1k6/8/K2q4 w - - 0 1", "", 0},                // mate
		{"k7/2Q5/2K5/8/8/8/8/8 b - - 0 1", "", 0},                // stalemate
		{"8/8/8/8/8/k7/7q/K7 b - - 0 1", "h2a2 h2h1 h2g1", 1},    // mates
		{"4k3/4P3/3K4/8/8/8/8/8 w - - 0 1", "d6c6 d6c5 d6e6", 0}, // a draw, all moves alike
		{"8/4P3/8/8/8/k7/8/K7 w - - 0 1", "e7e8q e7e8r", 1},      // promotes
		{"8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", "", 0},               // stalemate
		{"8/8/8/8/3k4/8/4K3/3q4 w - - 0 1", "e2d1", 0},           // takes the queen
		{"8/8/8/3k4/8/8/4K3/3q4 w - - 0 1", "e2d1", 0},           //
		{"8/8/8/8/8/1k6/3q4/K7 w - - 0 1", "a1b1", -2},           // the only move
		{"8/8/4k3/8/8/3K4/3P4/8 w - - 0 1", "d3d4 d3e4 d3c4", 5}, // the king goes before the pawn
	} {
		p := boardtest.Position(t, c.fen)
		ranked, err := tables.Rank(&p)
		if err != nil {
			t.Fatalf("%s: %v", c.fen, err)
		}
		if len(ranked) != len(p.LegalMoves(nil)) || (len(ranked) == 0) != (c.first == "") {
			t.Fatalf("%s: %d moves", c.fen, len(ranked))
		}
		if len(ranked) == 0 {
			continue
		}
		if m := p.UCI(ranked[0].Move, false); !slices.Contains(strings.Fields(c.first), m) || ranked[0].DTZ != c.dtz {
			t.Errorf("%s: %s with %d, want one of %s with %d", c.fen, m, ranked[0].DTZ, c.first, c.dtz)
		}
		want, err := tables.WDL(&p, syzygy.Hard)
		if best := sign(ranked[0].DTZ); err != nil || best != sign(int(want)) {
			t.Errorf("%s: the best move keeps %d of a %v, %v", c.fen, ranked[0].DTZ, want, err)
		}
		for i, m := range ranked[1:] {
			before := ranked[i]
			if sign(before.DTZ) < sign(m.DTZ) || sign(before.DTZ) == sign(m.DTZ) && before.DTZ > m.DTZ {
				t.Errorf("%s: %d before %d", c.fen, before.DTZ, m.DTZ)
			}
		}
	}
	p := boardtest.Position(t, "4k3/8/8/8/8/8/8/4K2R w K - 0 1")
	if _, err := tables.Rank(&p); !errors.Is(err, syzygy.ErrCastling) {
		t.Errorf("with castling rights: %v", err)
	}
}

func sign(x int) int { return min(1, max(-1, x)) }
