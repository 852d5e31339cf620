package tablebase_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase"
	"tesla/tablebase/tablefile"
	"tesla/tablebase/tabletest"
)

// What searches use of the tables; the tables are made once.
func TestSearches(t *testing.T) {
	dir := tabletest.Folder(t)
	for name, test := range map[string]func(*testing.T, string){"covers": covers, "soft": soft, "queue": queue, "ranks": ranks,
		"values": rankedByValue, "bad file": badFile, "slow root": slowRoot} {
		t.Run(name, func(t *testing.T) { test(t, dir) })
	}
}

// Positions are probed after captures and pawn moves, without castling rights, and with few enough pieces.
func covers(t *testing.T, dir string) {
	tables, _ := tablebase.Open(tablebase.Paths{Syzygy: dir})
	defer tables.Close()
	for _, c := range []struct {
		fen          string
		fifty, never bool // covered with and without the fifty-move rule
	}{
		{"8/8/8/3k4/8/8/3KP3/8 w - - 0 1", true, true},
		{"8/8/8/3k4/8/8/3KP3/8 w - - 1 1", false, true},
		{"8/8/8/3k4/8/8/3KPP2/8 w - - 0 1", false, false},
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", false, false},
	} {
		p := tabletest.Position(t, c.fen)
		for _, rule := range []bool{true, false} {
			b := tables.Prober(tablebase.Rules{Pieces: 7, Depth: 1, FiftyMoves: rule})
			for mode, on := range map[tablebase.Mode]bool{tablebase.Off: false, tablebase.Soft: true, tablebase.Hard: true} {
				b.Begin(mode)
				if want := on && (rule && c.fifty || !rule && c.never); b.Covers(&p) != want {
					t.Errorf("%s, fifty-move rule %t, mode %d: covered %t", c.fen, rule, mode, !want)
				}
			}
		}
	}
	p := tabletest.Position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	for _, c := range []struct {
		pieces, least int
		at            bool // at depth 4
	}{{3, 4, true}, {3, 5, false}, {4, 5, true}, {2, 1, false}} {
		b := tables.Prober(tablebase.Rules{Pieces: c.pieces, Depth: c.least})
		if b.Begin(tablebase.Hard); b.CoversAt(&p, 4) != c.at {
			t.Errorf("at most %d pieces, least depth %d: covered %t at depth 4", c.pieces, c.least, !c.at)
		}
	}
	if tables.Prober(tablebase.Rules{}) != nil {
		t.Error("a limit of 0 pieces uses tables")
	}
}

// A soft probe of either format does not read. What is asked for is read in the background, and answered.
func soft(t *testing.T, dir string) {
	for name, paths := range map[string]tablebase.Paths{"Syzygy": {Syzygy: dir}, "Gaviota": {Gaviota: "gaviota/testdata/gtb4"}} {
		t.Run(name, func(t *testing.T) { softly(t, tabletest.OpenBoth(t, paths, tablebase.Soft)) })
	}
}

func softly(t *testing.T, b *tablebase.Prober) {
	t.Helper()
	p := tabletest.Position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	if _, err := b.Score(&p); !errors.Is(err, tablebase.ErrNotCached) || b.Hits() != 0 {
		t.Fatalf("%v, %d hits, before anything was read", err, b.Hits())
	}
	answers := make(chan tablebase.Answer, 1)
	if !b.Ask(&p, 7, answers) {
		t.Fatal("the request is refused")
	}
	if a := <-answers; a.Ref != 7 || a.CP != search.TableScore || a.Err != nil {
		t.Errorf("%+v", a)
	}
	if cp, err := b.Score(&p); cp != search.TableScore || err != nil || b.Hits() != 2 {
		t.Errorf("%d, %v, %d hits", cp, err, b.Hits())
	}
	p = tabletest.Position(t, "8/8/8/3k4/8/8/3KPP2/8 w - - 0 1")
	if b.Ask(&p, 8, answers); (<-answers).Err == nil {
		t.Error("a position of four pieces is known")
	}
}

// slow is a disk whose reads take a while.
type slow struct {
	io.ReaderAt
	each time.Duration
}

func (s slow) ReadAt(b []byte, at int64) (int, error) {
	time.Sleep(s.each)
	return s.ReaderAt.ReadAt(b, at)
}

func slowDisk(t *testing.T, each time.Duration) {
	tablefile.ReadThrough(func(r io.ReaderAt) io.ReaderAt { return slow{r, each} })
	t.Cleanup(func() { tablefile.ReadThrough(nil) })
}

// A request never waits: too many are refused. Close drops those that wait, and leaves no goroutine.
func queue(t *testing.T, dir string) {
	slowDisk(t, 10*time.Millisecond)
	before := runtime.NumGoroutine()
	tables, _ := tablebase.Open(tablebase.Paths{Syzygy: dir})
	b := tables.Prober(tablebase.Rules{Pieces: 7})
	b.Begin(tablebase.Soft)
	p := tabletest.Position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	began, refused := time.Now(), 0
	for range 2000 {
		if !b.Ask(&p, 0, make(chan tablebase.Answer, 1)) {
			refused++
		}
		b.Request(&p)
	}
	if spent := time.Since(began); refused < 1000 || spent > time.Second {
		t.Errorf("%d of 2000 requests were refused, in %v", refused, spent)
	}
	if err := tables.Close(); err != nil {
		t.Error(err)
	}
	for try := 0; runtime.NumGoroutine() > before; try++ {
		if time.Sleep(time.Millisecond); try == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// ranked is the moves of a position in UCI form, and their scores.
func ranked(t *testing.T, b *tablebase.Prober, g *board.Game, allowed []board.Move, lines int) (names []string, scores []int, exact bool) {
	t.Helper()
	root := b.Root(context.Background(), g, allowed, lines)
	for _, m := range root.Restrict(allowed, lines) {
		names, scores = append(names, g.Pos.UCI(m.Move, false)), append(scores, m.CP)
	}
	return names, scores, root.Exact
}

// Moves are ranked by distance; the halfmove clock and repetitions count.
func ranks(t *testing.T, dir string) {
	b := tabletest.Open(t, dir, tablebase.Soft)
	for _, c := range []struct {
		fen   string
		moves []string // played
		lines int
		best  []string
		score int
	}{
		{"8/8/8/3k4/8/8/3KP3/8 w - - 0 1", nil, 1, []string{"d2d3"}, search.TableWinIn(11)},
		{"8/8/8/3k4/8/8/3KP3/8 w - - 90 1", nil, 1, []string{"d2d3"}, 1},                             // too late
		{"8/8/8/8/8/1k6/8/K6r w - - 0 1", nil, 1, nil, 0},                                            // mated
		{"8/8/8/8/4k3/8/3Kp3/8 w - - 98 70", nil, 1, []string{"d2e2"}, 0},                            // the pawn falls
		{"8/4P3/8/8/8/2k5/8/K7 w - - 0 1", nil, 1, []string{"e7e8q", "e7e8r"}, search.TableWinIn(1)}, // equal distance
		{"7k/8/5KQ1/8/8/8/8/8 w - - 0 1", nil, 1, []string{"g6g7"}, search.TableWinIn(1)},            // mate
		{"8/8/8/8/8/2k5/7r/K7 w - - 0 1", nil, 1, []string{"a1b1"}, -search.TableWinIn(6)},
	} {
		g := board.NewGame(tabletest.Position(t, c.fen))
		names, scores, exact := ranked(t, b, g, nil, c.lines)
		if c.best == nil {
			if len(names) != 0 {
				t.Errorf("%s: %v", c.fen, names)
			}
			continue
		}
		slices.Sort(names)
		if !slices.Equal(names, c.best) || scores[0] != c.score || !exact {
			t.Errorf("%s: %v of %v, exact %t; want %v of %d", c.fen, names, scores, exact, c.best, c.score)
		}
	}
	// A move into a position that has occurred twice draws, so the next best one is first.
	g := board.NewGame(tabletest.Position(t, "8/8/8/3k4/8/8/3KQ3/8 w - - 0 1"))
	names, _, _ := ranked(t, b, g, nil, 1)
	best, err := g.Pos.ParseMove(names[0])
	if err != nil {
		t.Fatal(err)
	}
	after := g.Clone()
	after.Play(best)
	away := after.Pos.UCI(after.Pos.LegalMoves(nil)[0], false)
	for range 2 {
		for _, text := range []string{names[0], away, names[0][2:4] + names[0][:2], away[2:4] + away[:2]} {
			m, err := g.Pos.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(m)
		}
	}
	if again, _, _ := ranked(t, b, g, nil, 1); slices.Contains(again, names[0]) {
		t.Errorf("%v: the best move leads to the third occurrence of a position", again)
	}
}

// With tables of values alone, moves that keep the value are the best.
func rankedByValue(t *testing.T, dir string) {
	values := t.TempDir()
	for _, path := range glob(t, filepath.Join(dir, "*.rtbw")) {
		if err := os.Link(path, filepath.Join(values, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	b := tabletest.Open(t, values, tablebase.Soft)
	g := board.NewGame(tabletest.Position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1"))
	names, scores, exact := ranked(t, b, g, nil, 1)
	if !slices.Contains(names, "d2d3") || slices.Contains(names, "e2e4") || !search.IsTable(scores[0]) || exact {
		t.Errorf("%v of %v, exact %t", names, scores, exact)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

// A bad file is told of once, and the others serve.
func badFile(t *testing.T, dir string) {
	bad := t.TempDir()
	for _, path := range glob(t, filepath.Join(dir, "*.rtb?")) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) == "KPvK.rtbw" {
			data = data[:20]
		}
		if err := os.WriteFile(filepath.Join(bad, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, early := range []bool{true, false} {
		tables, _ := tablebase.Open(tablebase.Paths{Syzygy: bad})
		var told []string
		tables.Tell(func(err error) { told = append(told, err.Error()) })
		if early {
			for _, err := range tables.OpenHeaders() {
				told = append(told, err.Error())
			}
		}
		b := tables.Prober(tablebase.Rules{Pieces: 7})
		b.Begin(tablebase.Hard)
		p := tabletest.Position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
		for range 3 {
			if _, err := b.Score(&p); err == nil {
				t.Error("a position of a bad table is known")
			}
		}
		if len(told) != 1 || !strings.Contains(told[0], "KPvK.rtbw") {
			t.Errorf("opened early %t: %q", early, told)
		}
		p = tabletest.Position(t, "8/8/8/3k4/8/8/3KR3/8 w - - 0 1")
		if cp, err := b.Score(&p); cp != search.TableScore || err != nil {
			t.Errorf("another table: %d, %v", cp, err)
		}
		if found := tables.Found(); found != "endgame tables: 5 Syzygy tables of values and 5 of distances, of up to 3 pieces" {
			t.Error(found)
		}
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Ranking the root ends with its context; what has been read by then serves the next time.
func slowRoot(t *testing.T, dir string) {
	slowDisk(t, 5*time.Millisecond)
	b := tabletest.Open(t, dir, tablebase.Soft)
	g := board.NewGame(tabletest.Position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 0 1"))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if root := b.Root(ctx, g, nil, 1); len(root.Moves) > 0 {
		t.Error("the root was ranked in a millisecond")
	}
	if root := b.Root(context.Background(), g, nil, 1); len(root.Moves) == 0 || !root.Exact {
		t.Errorf("%+v", root)
	}
}
