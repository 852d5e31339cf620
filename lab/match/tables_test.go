package match

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/search"
	"tesla/tablebase/tabletest"
)

// tableMatch is a match of two games from a position in which White must capture the queen, after which queen and king are
// left.
func tableMatch(t *testing.T, tables string) Config {
	t.Helper()
	dir := t.TempDir()
	config := Default()
	config.Players = []player.Player{{Name: "x"}, {Name: "y"}}
	config.InProcess.Searcher = func(player.Player) (search.Searcher, error) {
		return scripted{func(_ context.Context, g *board.Game) search.Result { return first(g, 0) }}, nil
	}
	config.Games, config.Condition.Nodes, config.Adjudication.MaxMoves, config.Adjudication.TB = 2, 1, 4, tables
	config.Openings.File = filepath.Join(dir, "start.epd")
	if err := os.WriteFile(config.Openings.File, []byte("7k/8/8/8/8/8/1q6/K5Q1 w - -\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config.Files.Journal, config.Files.PGN = filepath.Join(dir, "journal"), filepath.Join(dir, "games.pgn")
	return config
}

// A game ends where tables know its value, and the result, the journal and the PGN tell so. A match is resumed with the
// same tables only.
func TestTables(t *testing.T) {
	config := tableMatch(t, tabletest.Queen(t))
	r, err := run(t.Context(), config)
	if err != nil || r.Wins != 1 || r.Losses != 1 || r.Tables != 2 || !strings.Contains(r.Text(), "Ended by endgame tables: 2\n") {
		t.Fatalf("%+v, %v\n%s", r, err, r.Text())
	}
	for _, g := range journalGames(t, config.Files.Journal) {
		if !g.Tables || g.Reason != "White wins by endgame tables" || g.Termination != "adjudication" {
			t.Errorf("%+v", g)
		}
	}
	text := string(read(t, config.Files.PGN))
	for _, want := range []string{`[Termination "adjudication"]`, `[Adjudicator "endgame tables"]`, "{White wins by endgame tables} 1-0"} {
		if strings.Count(text, want) != 2 {
			t.Errorf("the PGN has not %s twice:\n%s", want, text)
		}
	}
	for _, file := range []string{config.Files.Journal, config.Files.PGN} {
		games, err := ReadGames(file, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if again := games.Tally(nil).Result(); again.Tables != 2 {
			t.Errorf("%s: %+v", file, again)
		}
	}
	config.Files.Resume = true
	if r, err := run(t.Context(), config); err != nil || r.Tables != 2 {
		t.Errorf("resumed: %+v, %v", r, err)
	}
	config.Adjudication.TB = ""
	if _, err := run(t.Context(), config); err == nil || !strings.Contains(err.Error(), `tb is "2 files, `) {
		t.Errorf("resumed without tables: %v", err)
	}
}

// With a bad table the game goes on, and the match tells it once.
func TestBadTable(t *testing.T) {
	dir := tabletest.Queen(t)
	path := filepath.Join(dir, "KQvK.rtbw")
	data := read(t, path)
	data[len(data)/2] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	config := tableMatch(t, dir)
	var warnings bytes.Buffer
	config.Output.Warn = &warnings
	r, err := run(t.Context(), config)
	if err != nil || r.Draws != 2 || r.Tables != 0 || strings.Count(warnings.String(), path) != 1 {
		t.Errorf("%+v, %v, %s", r, err, &warnings)
	}
}

// The folders are listed once: what Validate has opened is what the match plays with.
func TestTablesAreListedOnce(t *testing.T) {
	config := tableMatch(t, tabletest.Queen(t))
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	first := config.Adjudication.tables
	if err := config.Validate(); err != nil || first == nil || config.Adjudication.tables != first {
		t.Errorf("%p, then %p, %v", first, config.Adjudication.tables, err)
	}
	config.Adjudication.TB = "absent"
	if err := config.Validate(); err == nil || config.Adjudication.tables != nil {
		t.Errorf("tables of another folder stay: %v", err)
	}
}

func TestNoTables(t *testing.T) {
	config := tableMatch(t, t.TempDir())
	for path, want := range map[string]string{config.Adjudication.TB: "no Syzygy tables", "absent": "absent"} {
		config.Adjudication.TB = path
		if err := config.Validate(); err == nil || !strings.Contains(err.Error(), "--syzygy: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
