package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

// journalGames are the games of a journal, in its order.
func journalGames(t *testing.T, path string) []gameLine {
	t.Helper()
	var games []gameLine
	for i, line := range bytes.SplitAfter(read(t, path), []byte("\n")) {
		if i == 0 || len(line) == 0 {
			continue
		}
		var g gameLine
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		games = append(games, g)
	}
	return games
}

// played is what the games of a journal are but for times and dates, by number.
func played(t *testing.T, path string) map[int]string {
	t.Helper()
	games := map[int]string{}
	for _, g := range journalGames(t, path) {
		if games[g.Number] != "" {
			t.Errorf("game %d twice", g.Number)
		}
		g.Date = ""
		for i := range g.Moves {
			g.Moves[i].Took, g.Moves[i].Thought, g.Moves[i].NPS = 0, 0, 0
		}
		games[g.Number] = fmt.Sprintf("%+v", g)
	}
	return games
}

func same(t *testing.T, got, want map[int]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d games, want %d", len(got), len(want))
	}
	for number, text := range want {
		if got[number] != text {
			t.Errorf("game %d is %q, want %q", number, got[number], text)
		}
	}
}

// TestResumeTorn cuts journal and PGN off at random bytes, as a kill does, and goes on.
func TestResumeTorn(t *testing.T) {
	slow.Test(t)
	for _, stable := range []bool{true, false} {
		dir := t.TempDir()
		config := fixed(dir, 7)
		config.Files.PGNStable, config.Files.Journal, config.Machine.Concurrency = stable, filepath.Join(dir, "journal"), 2
		const before = "[Event \"before\"]\n\n1. e4 e5 *\n\n"
		if err := os.WriteFile(config.Files.PGN, []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := run(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		journal, pgn, games := read(t, config.Files.Journal), read(t, config.Files.PGN), played(t, config.Files.Journal)
		if !strings.HasPrefix(string(pgn), before) {
			t.Error("the PGN lost what was in it")
		}
		config.Files.Resume = true
		source := rand.New(rand.NewPCG(1, 0))
		header := bytes.IndexByte(journal, '\n') + 1
		cuts := []int{len(journal) - 1, header + source.IntN(len(journal)-header), header, len(journal), header + 1,
			header + source.IntN(len(journal)-header)}
		if testing.Short() {
			cuts = cuts[:2]
		}
		for _, cut := range cuts {
			short := len(before) + source.IntN(len(pgn)-len(before))
			if err := errors.Join(os.WriteFile(config.Files.Journal, journal[:cut], 0o644), os.WriteFile(config.Files.PGN,
				pgn[:short], 0o644)); err != nil {
				t.Fatal(err)
			}
			r, err := run(t.Context(), config)
			if err != nil || r.Games != 7 {
				t.Fatalf("cut at %d of %d: %+v, %v", cut, len(journal), r, err)
			}
			same(t, played(t, config.Files.Journal), games)
			text := read(t, config.Files.PGN)
			if stable && !bytes.Equal(text, pgn) {
				t.Errorf("cut at %d: the PGN differs: %s", cut, difference(pgn, text))
			}
			if n := bytes.Count(text, []byte("[Event ")); n != 8 || !strings.HasPrefix(string(text), before) {
				t.Errorf("cut at %d: %d games in the PGN", cut, n)
			}
		}
	}
}

// TestResumeFromNothing starts without a journal, with an empty one, and with a part of a header.
func TestResumeFromNothing(t *testing.T) {
	slow.Test(t)
	for _, text := range []string{"-", "", `{"tesla_m`, `{"tesla_match":1,"pla`} {
		config := fixed(t.TempDir(), 2)
		config.Files.Journal, config.Files.Resume = filepath.Join(t.TempDir(), "journal"), true
		if text != "-" {
			if err := os.WriteFile(config.Files.Journal, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := run(t.Context(), config); err != nil || r.Games != 2 || len(played(t, config.Files.Journal)) != 2 {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

// TestPGNIsMadeAgain checks that the PGN is, to the byte, that of the games when they were played.
func TestPGNIsMadeAgain(t *testing.T) {
	slow.Test(t)
	openings := filepath.Join(t.TempDir(), "openings.epd") // one of them is Chess960
	const epd = "1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1\n4k3/8/8/8/8/4q3/8/4K2R w K - 0 1\n"
	if err := os.WriteFile(openings, []byte(epd), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*Config){
		func(*Config) {},
		func(c *Config) { c.Openings.File = openings },
		func(c *Config) {
			c.Games = 3
			c.Players = append(c.Players, player.Player{Name: "z", Condition: player.Condition{Nodes: 9}})
		},
		func(c *Config) { // failures
			c.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
				return scripted{func(_ context.Context, g *board.Game) search.Result {
					if len(g.Moves) > 12 && p.Name == "x" {
						panic("{braces}")
					}
					return search.Result{Best: g.Pos.LegalMoves(nil)[0]}
				}}, nil
			}
		},
	} {
		config := fixed(t.TempDir(), 4)
		config.Files.PGNStable, config.Files.Journal = false, filepath.Join(t.TempDir(), "journal")
		change(&config)
		table, err := Play(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		pgn := read(t, config.Files.PGN)
		if err := os.Remove(config.Files.PGN); err != nil {
			t.Fatal(err)
		}
		config.Files.Resume = true
		config.InProcess.Searcher = func(player.Player) (search.Searcher, error) {
			return nil,
				errors.New("nothing is left to play")
		}
		again, err := Play(t.Context(), config)
		if text := read(t, config.Files.PGN); err != nil || !bytes.Equal(text, pgn) {
			t.Errorf("%v: %s", err, difference(pgn, text))
		}
		for i := range table.Pairings { // of the games that were played now
			table.Pairings[i].Overhead = stats.Overhead{}
		}
		if a, b := fmt.Sprintf("%+v", table), fmt.Sprintf("%+v", again); a != b {
			t.Errorf("the result was %s, is %s", a, b)
		}
	}
}

func TestJournalIsRefused(t *testing.T) {
	dir := t.TempDir()
	config := fixed(dir, 2)
	config.Files.Journal = filepath.Join(dir, "journal")
	if _, err := run(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), config); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a journal is begun twice: %v", err)
	}
	journal := read(t, config.Files.Journal)
	lines := bytes.SplitAfter(journal, []byte("\n"))
	edit := func(old, new string) string { return strings.Replace(string(journal), old, new, 1) }
	for _, c := range []struct {
		change func(*Config)
		text   string // of the journal; empty: as it is
		want   string
	}{
		{func(c *Config) { c.Openings.Seed = 4 }, "", "another match: seed is 3 in the journal, 4 here"},
		{func(c *Config) { c.Players[1].Condition.Nodes = 16 }, "",
			`players[1].condition is "15 nodes per move" in the journal, "16 nodes per move" here`},
		{func(c *Config) { c.Adjudication.Resign = Resign{3, 500} }, "",
			`resign is "" in the journal, "moves=3,score=500" here`},
		{func(c *Config) { c.Games = 6; c.Openings.Plies = 2 }, "", "games is 2 in the journal, 6 here; plies is 0"},
		{func(c *Config) { c.Players[0].Options = []player.Option{{Name: "Skill", Value: "1"}} }, "",
			"players[0].options is absent"},
		{func(c *Config) { c.Players = append(c.Players, player.Player{Name: "z"}) }, "", "players is ["},
		{func(c *Config) { c.Files.PGN += "2" }, "", ""}, // a new file may be made
		{func(c *Config) { c.Files.PGN = c.Files.Journal + "3" }, "", "holds no games"},
		{nil, edit(`"tesla_match":1`, `"tesla_match":9`), "version 9"},
		{nil, "my letter to a friend", "line 1: not the header"},
		{nil, "my letter\nto a friend\n", "line 1: not the header"},
		{nil, string(lines[0]) + "bogus\n" + string(lines[1]), "line 2: damaged"},
		{nil, string(journal) + string(lines[1]), "line 4: game 0 twice"},
		{nil, edit(`"game":1`, `"game":2`), "line 3: game 2 of a match of 2 games"},
		{nil, edit(`"white":"x"`, `"white":"z"`), "line 2: game 0: players z - y"},
		{nil, edit(`"result":"`, `"result":"0`), `line 2: game 0: result "0`},
		{nil, edit(`"failure":""`, `"failure":"flood"`), `line 2: game 0: failure "flood`},
		{nil, string(lines[0]) + strings.Replace(string(lines[1]), `"plies":`, `"plies":1`, 1), "line 2: game 0 has opening"},
		{nil, edit(`,"scored":true`, `,"m":"e1e8"`), "line 2: game 0: move 11"},
		{nil, edit(`"date":"2`, `"date":"x`), "line 2: game 0: date"},
	} {
		c2 := config
		c2.Files.Resume, c2.Players = true, slices.Clone(config.Players)
		if c.change != nil {
			c.change(&c2)
		}
		text := journal
		if c.text != "" {
			text = []byte(c.text)
		}
		if err := errors.Join(os.WriteFile(c2.Files.Journal, text, 0o644), os.WriteFile(config.Files.Journal+"3",
			[]byte("x"), 0o644)); err != nil {
			t.Fatal(err)
		}
		_, err := run(t.Context(), c2)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if c.want != "" && !bytes.Equal(read(t, config.Files.Journal), text) {
			t.Errorf("%q: the journal was changed", c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
			t.Errorf("%q: %v is left", c.want, left)
		}
	}
}

// TestJournalIsLocked checks that two runners do not write one journal.
func TestJournalIsLocked(t *testing.T) {
	config := fixed(t.TempDir(), 2)
	config.Files.Journal, config.Files.Resume = filepath.Join(t.TempDir(), "journal"), true
	inner := config
	config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
		if _, err := run(t.Context(), inner); err == nil || !strings.Contains(err.Error(), "another process") {
			t.Errorf("the journal is used twice: %v", err)
		}
		return mockFactory(p)
	}
	if r, err := run(t.Context(), config); err != nil || r.Games != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestJournalFails checks that a game that cannot be written down does not count.
func TestJournalFails(t *testing.T) {
	config := fixed(t.TempDir(), 2)
	config.Files.Journal = filepath.Join(t.TempDir(), "none", "journal")
	if r, err := run(t.Context(), config); err == nil || r.Games != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	m, err := newRun(t.Context(), &config)
	if err != nil {
		t.Fatal(err)
	}
	config.Files.Journal = filepath.Join(t.TempDir(), "journal")
	if _, err := m.openJournal(); err != nil {
		t.Fatal(err)
	}
	if err := m.journal.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.finish(m.newRecord(0)); err == nil || m.games != 0 {
		t.Errorf("%d games count, %v", m.games, err)
	}
}

// TestInterrupted checks that a match that was cancelled is all that was finished, and goes on from there.
func TestInterrupted(t *testing.T) {
	config := fixed(t.TempDir(), 8)
	config.Files.Journal, config.Machine.Concurrency = filepath.Join(t.TempDir(), "journal"), 2
	ctx, cancel := context.WithCancel(t.Context())
	config.Output.Out = writer(func(b []byte) {
		if bytes.HasPrefix(b, []byte("game ")) {
			cancel()
		}
	})
	r, err := run(ctx, config)
	done := len(played(t, config.Files.Journal))
	if !errors.Is(err, context.Canceled) || r.Games != done || done == 0 || done == 8 {
		t.Fatalf("%+v, %v, %d in the journal", r, err, done)
	}
	if n := bytes.Count(read(t, config.Files.PGN), []byte("[Event ")); n != done {
		t.Errorf("%d games in the PGN, want %d", n, done)
	}
	config.Files.Resume, config.Output.Out = true, nil
	if r, err = run(t.Context(), config); err != nil || r.Games != 8 {
		t.Errorf("%+v, %v", r, err)
	}
	var rounds []string
	for _, line := range strings.Split(string(read(t, config.Files.PGN)), "\n") {
		if strings.HasPrefix(line, "[Round ") {
			rounds = append(rounds, line)
		}
	}
	if len(rounds) != 8 || !slices.IsSorted(rounds) {
		t.Errorf("games in the PGN: %v", rounds)
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }
