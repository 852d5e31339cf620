package generate

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/tablebase/syzygy"
)

const kept = "../../tabletest/syzygy"

// threePieces makes the tables of three pieces once for all tests. In make race it makes the first one and takes the others as they
// are kept: each is made by the same goroutines, slowly there.
var threePieces = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tesla-tables-*")
	if err != nil {
		return "", err
	}
	if slow.Race && testing.Short() {
		first := Names(3)[0]
		if err := errors.Join(os.CopyFS(dir, os.DirFS(kept)), os.Remove(filepath.Join(dir, first+".rtbw")), os.Remove(filepath.Join(dir, first+".rtbz"))); err != nil {
			return dir, err
		}
	}
	return dir, Run(context.Background(), dir, 3, func(string) {})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := threePieces(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// TestKept compares the tables that tests of other packages read with those that are made.
func TestKept(t *testing.T) {
	dir, err := threePieces()
	files, errRead := os.ReadDir(dir)
	if err = errors.Join(err, errRead); err != nil || len(files) != 10 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if got, errKept := os.ReadFile(filepath.Join(kept, f.Name())); err != nil || errKept != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what tesla tablebase gen --pieces 3 --out %s makes: %v", f.Name(), kept, errKept)
		}
	}
}

func open(t testing.TB) *syzygy.Tables {
	t.Helper()
	dir, err := threePieces()
	if err != nil {
		t.Fatal(err)
	}
	tables, errs := syzygy.Open(dir, 1<<20)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return tables
}

// Published facts: the longest mates with queen and rook (10 and 16 moves), and the size of the win in the ending of king
// and pawn (111,282 of the positions with the pawn on the files a to d).
func TestKnownEndings(t *testing.T) {
	slow.Test(t)
	tables := open(t)
	for _, c := range []struct {
		name          string
		longest, wins int
	}{{"KQvK", 19, 0}, {"KRvK", 31, 0}, {"KBvK", 0, 0}, {"KNvK", 0, 0}, {"KPvK", 0, 111282}} {
		s := newSolver(tables, c.name)
		longest, wins := 0, 0
		var p board.Position
		for number := range s.count() {
			if c.name == "KPvK" && s.square(number, 2)&7 > 3 || c.name != "KPvK" && s.square(number, 0)&7 > 3 || !s.position(number, &p) {
				continue
			}
			v, err := tables.WDL(&p, syzygy.Hard)
			if err != nil {
				t.Fatalf("%s: %v", p.FEN(false), err)
			}
			if p.Black && v > syzygy.Draw || !p.Black && v < syzygy.Draw {
				t.Fatalf("%s: the bare king wins: %d", p.FEN(false), v)
			}
			if v != syzygy.Draw {
				wins++
			}
			if c.longest > 0 && v == syzygy.Win {
				d, err := tables.DTZ(&p, syzygy.Hard)
				if err != nil {
					t.Fatal(err)
				}
				longest = max(longest, d)
			}
		}
		if longest != c.longest || c.wins > 0 && wins != c.wins {
			t.Errorf("%s: %d wins, the longest of %d plies; want %d, %d", c.name, wins, longest, c.wins, c.longest)
		}
	}
}

// Each value follows from those of the positions after each move.
func TestValuesAreConsistent(t *testing.T) {
	tables := open(t)
	random := rand.New(rand.NewPCG(1, 1))
	for _, name := range Names(3) {
		s := newSolver(tables, name)
		var p board.Position
		for checked := 0; checked < 2000; {
			if !s.position(random.IntN(s.count()), &p) {
				continue
			}
			checked++
			got, err := tables.WDL(&p, syzygy.Hard)
			if err != nil {
				t.Fatal(err)
			}
			best, moves := syzygy.Loss, p.LegalMoves(nil)
			if len(moves) == 0 && !p.InCheck() {
				best = syzygy.Draw
			}
			for _, m := range moves {
				next := p.After(m)
				v, err := tables.WDL(&next, syzygy.Hard)
				if err != nil {
					t.Fatal(err)
				}
				best = max(best, -v)
			}
			if got != best {
				t.Fatalf("%s: %d, its moves give %d", p.FEN(false), got, best)
			}
		}
	}
}

// Names come after those that their captures and promotions lead to.
func TestNames(t *testing.T) {
	names := Names(4)
	if len(names) != 35 {
		t.Errorf("%d names, want 35: %v", len(names), names)
	}
	for _, c := range [][2]string{{"KQvK", "KQvKQ"}, {"KPvK", "KPvKP"}, {"KQvKP", "KPvKP"}, {"KRPvK", "KPPvK"}} {
		if a, b := slices.Index(names, c[0]), slices.Index(names, c[1]); a < 0 || b < 0 || a > b {
			t.Errorf("%s at %d, %s at %d", c[0], a, c[1], b)
		}
	}
}

// A soft probe reads nothing; after a hard one it finds what it needs in the cache.
func TestSoftProbe(t *testing.T) {
	tables := open(t)
	p, err := board.ParseFEN("8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tables.WDL(&p, syzygy.Soft); !errors.Is(err, syzygy.ErrNotCached) {
		t.Errorf("%v, want %v", err, syzygy.ErrNotCached)
	}
	want, err := tables.WDL(&p, syzygy.Hard)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tables.WDL(&p, syzygy.Soft); got != want || err != nil {
		t.Errorf("%d, %v, want %d", got, err, want)
	}
}

// A file with a checksum that was changed anywhere gives errors or right values. With TESLA_LONG a thousand are tried.
func TestCorruptedFiles(t *testing.T) {
	slow.Test(t)
	dir, err := threePieces()
	if err != nil {
		t.Fatal(err)
	}
	rounds := 50
	if os.Getenv("TESLA_LONG") != "" {
		rounds = 1000
	}
	good := open(t)
	defer good.Close()
	random := rand.New(rand.NewPCG(3, 3))
	names, refused := Names(3), 0
	for range rounds {
		name := names[random.IntN(len(names))]
		data, changed := [2][]byte{}, random.IntN(2)
		for i, ext := range []string{".rtbw", ".rtbz"} {
			if data[i], err = os.ReadFile(filepath.Join(dir, name+ext)); err != nil {
				t.Fatal(err)
			}
		}
		data[changed] = corrupt(random, data[changed])
		damaged := t.TempDir()
		for i, ext := range []string{".rtbw", ".rtbz"} {
			if err := os.WriteFile(filepath.Join(damaged, name+ext), data[i], 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tables, _ := syzygy.Open(damaged, 0)
		s := newSolver(tables, name)
		var p board.Position
		failed := false
		for range 50 {
			if !s.position(random.IntN(s.count()), &p) {
				continue
			}
			want, _ := good.DTZ(&p, syzygy.Hard)
			got, err := tables.DTZ(&p, syzygy.Hard)
			if err == nil && got != want {
				t.Fatalf("%s of %s: %d, want %d or an error", p.FEN(false), name, got, want)
			}
			failed = failed || err != nil
		}
		if failed {
			refused++
		}
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
	}
	if refused < rounds/2 { // in a table of draws no probe needs the DTZ file
		t.Errorf("%d of %d files were refused", refused, rounds)
	}
}

// corrupt changes, drops, adds, moves or zeroes some bytes of a file.
func corrupt(random *rand.Rand, data []byte) []byte {
	at := random.IntN(len(data))
	run := data[at:min(len(data), at+1+random.IntN(64))]
	switch random.IntN(6) {
	case 0:
		return data[:at]
	case 1:
		return append(data, run...)
	case 2:
		return slices.Insert(data, at, run...)
	case 3:
		for i, b := range run {
			run[i] = ^b
		}
	case 4: // a hole, such as a download that was cut off leaves
		if clear(run); random.IntN(4) == 0 {
			clear(data[at:])
		}
	default:
		data[at] ^= 1 << random.IntN(8)
	}
	return data
}

// Many goroutines probe at once, with a cache so small that pages are replaced all the time.
func TestConcurrentProbes(t *testing.T) {
	dir, err := threePieces()
	if err != nil {
		t.Fatal(err)
	}
	small, errs := syzygy.Open(dir, 1)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	defer small.Close()
	large := open(t)
	s := newSolver(large, "KPvK")
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 1))
			var p board.Position
			for range 2000 {
				if !s.position(random.IntN(s.count()), &p) {
					continue
				}
				got, err := small.DTZ(&p, syzygy.Hard)
				want, _ := large.DTZ(&p, syzygy.Hard)
				if err != nil || got != want {
					t.Errorf("%s: %d, %v, want %d", p.FEN(false), got, err, want)
					return
				}
			}
		})
	}
	wait.Wait()
}

func BenchmarkWDL(b *testing.B) {
	tables := open(b)
	s := newSolver(tables, "KPvK")
	random := rand.New(rand.NewPCG(1, 1))
	var ps []board.Position
	for len(ps) < 10_000 {
		var p board.Position
		if s.position(random.IntN(s.count()), &p) {
			ps = append(ps, p)
		}
	}
	for i := range b.N {
		if _, err := tables.WDL(&ps[i%len(ps)], syzygy.Hard); err != nil {
			b.Fatal(err)
		}
	}
}
