package puzzles

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
	"tesla/engine"
	"tesla/internal/slow"
	"tesla/lab/annotate"
	"tesla/lab/match/pgn"
	"tesla/lab/suite"
	"tesla/lab/sweep"
	"tesla/search"
)

const nodes = 8000

// games have a puzzle of two moves for White (the mate of Legal, Paris 1750), one of a move for Black, and what is none: a move
// that is the only legal one, a piece that is taken back, and a mate where all wins.
const games = `[Event "Legal"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

[Event "Fool"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "the only move"]

1. e4 d6 2. d4 e5 3. dxe5 dxe5 4. Qxd8+ Kxd8 *

[Event "back again"]

1. e4 e5 2. Nf3 Nc6 3. Nxe5 Nxe5 *

[Event "all wins"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/8/5PPP/QR4K1 w - - 0 1"]

1. Qa8# 1-0
`

// open opens lazysmp with options in words. With any nothing is stated of it.
func open(t *testing.T, words string) search.Searcher {
	t.Helper()
	set := engine.Default()
	set.Search, set.SearchOptions, set.Backend, set.Threads, set.Hash = "lazysmp", words, "nnue", 1, 16
	s, _, err := engine.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// config is that of a run over games, in a folder of its own.
func config(t *testing.T, games string) Config {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in.pgn")
	if err := os.WriteFile(in, []byte(games), 0o600); err != nil {
		t.Fatal(err)
	}
	return Config{In: in, Out: filepath.Join(dir, "out.pgn"), Limits: search.Limits{Nodes: nodes}, Label: annotate.Label{Search: "lazysmp"}, Err: io.Discard}
}

// results are the files that a run wrote.
func results(t *testing.T, c *Config) (inPGN, inEPD []byte) {
	t.Helper()
	inPGN, err := os.ReadFile(c.Out)
	if err != nil {
		t.Fatal(err)
	}
	if inEPD, err = os.ReadFile(c.epd()); err != nil {
		t.Fatal(err)
	}
	return inPGN, inEPD
}

func TestRun(t *testing.T) {
	s, c := open(t, ""), config(t, games)
	var said strings.Builder
	if err := Run(t.Context(), c, s, &said); err != nil {
		t.Fatal(err)
	}
	inPGN, inEPD := results(t, &c)
	all := pgn.ReadAnnotated(string(inPGN))
	for i, want := range []string{"6. Bxf7+ Ke7 7. Nd5#", "2... Qh4#"} {
		if len(all) != 2 {
			t.Fatalf("%d puzzles:\n%s", len(all), said.String())
		}
		if got := strings.Join(pgn.Numbered(all[i].Start, all[i].Moves), " "); got != want || all[i].Err != nil || !strings.Contains(said.String(), want) {
			t.Errorf("puzzle %d is %q, want %q: %v", i+1, got, want, all[i].Err)
		}
	}
	if a := all[0]; a.Tag("Length") != "2" || a.Tag("Difficulty") == "" || a.Tag("Date") != "????.??.??" || !strings.Contains(string(inPGN), "Nxf7 loses 0.") {
		t.Errorf("%s", inPGN)
	}
	records, err := suite.Read(bytes.NewReader(inEPD))
	if err != nil || len(records) != 3 || records[1].ID != "puzzle move 2.001" {
		t.Fatalf("%s: %v", inEPD, err)
	}
	solved, err := suite.Run(t.Context(), suite.Config{Records: records, Limits: c.Limits,
		Searches: []sweep.Searcher{{Name: "lazysmp", Open: func() (search.Searcher, error) { return lent{s}, nil }}}})
	if err != nil || solved.Solved != 3 {
		t.Errorf("solved %+v: %v", solved, err)
	}
	if _, err := os.Stat(c.Out + ".journal"); !os.IsNotExist(err) {
		t.Errorf("the journal stays: %v", err)
	}
}

// lent is a searcher that its user does not close.
type lent struct{ search.Searcher }

func (lent) Close() error { return nil }

// failing is a searcher that fails after a number of searches.
type failing struct {
	search.Searcher
	left int
}

var errFailed = errors.New("it failed")

func (f *failing) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	if f.left--; f.left < 0 {
		return search.Result{}, errFailed
	}
	return f.Searcher.Search(ctx, g, l, report)
}

// TestResume checks that a run that failed at any time, and is begun again, writes the bytes of one that did not.
func TestResume(t *testing.T) {
	slow.Test(t)
	s, whole := open(t, ""), config(t, games)
	if err := Run(t.Context(), whole, s, io.Discard); err != nil {
		t.Fatal(err)
	}
	wantPGN, wantEPD := results(t, &whole)
	for _, searches := range []int{1, 14} {
		c := config(t, games)
		if err := Run(t.Context(), c, &failing{s, searches}, io.Discard); !errors.Is(err, errFailed) {
			t.Errorf("after %d searches: %v", searches, err)
		}
		if _, err := os.Stat(c.Out); err == nil {
			t.Errorf("after %d searches a result is there", searches)
		}
		if err := Run(t.Context(), c, s, io.Discard); err != nil {
			t.Fatal(err)
		}
		if gotPGN, gotEPD := results(t, &c); !bytes.Equal(gotPGN, wantPGN) || !bytes.Equal(gotEPD, wantEPD) {
			t.Errorf("after %d searches:\n%s\n%s", searches, gotPGN, gotEPD)
		}
	}
}

// TestUnclear checks that there is no puzzle where nothing is stated, and what is no file of games.
func TestUnclear(t *testing.T) {
	var said strings.Builder
	c := config(t, games)
	c.Err = &said
	if err := Run(t.Context(), c, open(t, "plain"), io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "nothing is stated of the ") {
		t.Errorf("it says %q", said.String())
	}
	if inPGN, inEPD := results(t, &c); len(inPGN)+len(inEPD) > 0 {
		t.Errorf("%s\n%s", inPGN, inEPD)
	}
	for text, want := range map[string]string{"": "no game", "1. Ke5 *\n": "no game"} {
		if err := Run(t.Context(), config(t, text), open(t, "plain"), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := (&Config{}).Validate(); err == nil || !strings.Contains(err.Error(), "no --out") || !strings.Contains(err.Error(), "one of --nodes") {
		t.Errorf("%v", err)
	}
}
