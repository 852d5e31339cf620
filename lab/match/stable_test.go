package match

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/notnil/chess"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/internal/slow"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
	"tesla/tt128"
)

// long tests are for make test-long.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("TESLA_LONG") == "" {
		t.Skip("a long test: TESLA_LONG is not set")
	}
}

// hashed is a mock with a transposition table, which must not remember anything from game to game.
type hashed struct {
	search.Searcher
	table *tt128.Table
}

func (h hashed) Close() error { return errors.Join(h.Searcher.Close(), h.table.Close()) }

func hashedFactory(player.Player) (search.Searcher, error) {
	table, err := tt128.New(1)
	if err != nil {
		return nil, err
	}
	b := batcher.NewMock(batcher.Options{})
	s, err := bestfirst.New(b, table, bestfirst.Options{BatchSize: 8, TreeMemory: 8 << 20})
	if err != nil {
		return nil, errors.Join(err, table.Close())
	}
	return hashed{mocked{s, b}, table}, nil
}

// fixed is a match whose games depend on nothing but the configuration.
func fixed(dir string, games int) Config {
	config := Default()
	config.Players = []player.Player{{Name: "x", Threads: 1}, {Name: "y", Threads: 1,
		Condition: player.Condition{Nodes: 15}}}
	config.InProcess.Searcher, config.Games, config.Condition.Nodes = hashedFactory, games, 30
	config.Adjudication.MaxMoves = 25
	config.Openings.Seed, config.Files.PGNStable, config.Files.PGN = 3, true, filepath.Join(dir, "games.pgn")
	config.Commit = "0123456789ab"
	return config
}

// TestReproducible plays the same match one after the other and two at a time.
func TestReproducible(t *testing.T) {
	slow.Test(t)
	reproduce(t, 8)
}

func TestReproducible200(t *testing.T) {
	long(t)
	reproduce(t, 200)
}

func reproduce(t *testing.T, games int) {
	var first []byte
	for i, concurrency := range []int{1, 2, 1, 2} {
		config := fixed(t.TempDir(), games)
		config.Machine.Concurrency = concurrency
		if _, err := run(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		text := read(t, config.Files.PGN)
		if n := bytes.Count(text, []byte("[Event ")); n != games {
			t.Errorf("run %d has %d games, want %d", i+1, n, games)
		}
		if i == 0 {
			first = text
		} else if !bytes.Equal(text, first) {
			t.Errorf("run %d, %d games at a time, differs: %s", i+1, concurrency, difference(first, text))
		}
	}
	for _, word := range []string{"nps=", "eps=", "fill=", "[Commit", "[Date \"2"} {
		if bytes.Contains(first, []byte(word)) {
			t.Errorf("a stable PGN has %s", word)
		}
	}
}

// difference is the first line in which two texts differ.
func difference(a, b []byte) string {
	x, y := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "line " + strconv.Itoa(i+1) + ": " + x[i] + " | " + y[i]
		}
	}
	return "one is longer"
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestPGNAgainstOther reads what was written with another program, game by game. It ends a game without a word at a
// move that it does not know, so the number of moves is compared with that of the journal.
func TestPGNAgainstOther(t *testing.T) {
	slow.Test(t)
	config := fixed(t.TempDir(), 12)
	config.Files.PGNStable, config.Condition.Evals, config.Condition.Nodes = false, 60, 0
	config.Adjudication.MaxMoves, config.Machine.Concurrency = 40, 2
	config.InProcess.Net = func(p player.Player) (string, error) { return "net of " + p.Name, nil }
	config.Files.Journal = filepath.Join(t.TempDir(), "journal")
	if _, err := run(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	text := read(t, config.Files.PGN)
	lines := journalGames(t, config.Files.Journal)
	games, err := chess.GamesFromPGN(bytes.NewReader(bytes.TrimRight(text, "\n")))
	if err != nil || len(games) != 12 || len(lines) != 12 {
		t.Fatalf("%d games, %d in the journal, %v", len(games), len(lines), err)
	}
	for i, g := range games {
		l := lines[i]
		if len(g.Moves()) != l.Plies || l.Plies != len(l.Moves) || g.GetTagPair("PlyCount").Value != strconv.Itoa(l.Plies) {
			t.Errorf("game %d: %d moves are read, %d were played", l.Number+1, len(g.Moves()), l.Plies)
		}
		if g.Outcome().String() != l.Result || g.GetTagPair("White").Value != l.White ||
			g.GetTagPair("OpeningIndex").Value != strconv.Itoa(l.Opening) {
			t.Errorf("game %d: %v, want %s", l.Number+1, g.TagPairs(), l.Result)
		}
		for j, m := range g.Moves() {
			if m.String() != l.Moves[j].UCI {
				t.Fatalf("game %d: move %d is read as %s, %s was played", l.Number+1, j+1, m, l.Moves[j].UCI)
			}
		}
	}
	flat := bytes.ReplaceAll(text, []byte("\n"), []byte(" "))
	for _, want := range []string{
		`[WhiteEngine "tesla"]`, `[WhiteNet "net of x"]`, `[BlackOptions "threads=1"]`, `[Commit "0123456789ab"]`,
		`[Termination "`, " n=60 ", " nps=", " eps=", " fill=", "[Date \"20",
	} {
		if !bytes.Contains(flat, []byte(want)) {
			t.Errorf("the PGN lacks %s", want)
		}
	}
}

// TestEarlyEnd checks that a match that a test ends early is the same whatever ran at a time, and stays ended.
func TestEarlyEnd(t *testing.T) {
	slow.Test(t)
	var first []byte
	for _, concurrency := range []int{1, 3} {
		config := fixed(t.TempDir(), 30)
		config.Machine.Concurrency, config.SPRT = concurrency, &stats.SPRT{Elo1: 50, Alpha: 0.3, Beta: 0.3, Logistic: true}
		config.Files.Journal = filepath.Join(t.TempDir(), "journal")
		for range 2 {
			r, err := run(t.Context(), config)
			if err != nil || r.SPRT.Decision == stats.Undecided || r.Games != 2*r.SPRT.Pairs || r.SPRT.Pairs < 3 {
				t.Errorf("%d at a time: %+v, %v, %+v", concurrency, r, err, r.SPRT)
			}
			config.Files.Resume = true // and once more
		}
		text := read(t, config.Files.PGN)
		if first == nil {
			first = text
		} else if !bytes.Equal(text, first) {
			t.Errorf("%d at a time: %s", concurrency, difference(first, text))
		}
	}
}
