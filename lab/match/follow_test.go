package match

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tesla/lab/match/player"
	"tesla/lab/match/stats"
)

// followedMatch plays a match of some players and returns the lines of its journal.
func followedMatch(t *testing.T, players int) (text []byte, table stats.Table) {
	t.Helper()
	config := Default()
	config.Players = []player.Player{{Name: "x"}, {Name: "y"}, {Name: "z"}}[:players]
	config.InProcess.Searcher = mockFactory
	config.Games, config.Condition.Evals, config.Adjudication.MaxMoves = 4, 20, 20
	config.Files.Journal = filepath.Join(t.TempDir(), "journal")
	if players == 2 {
		config.SPRT = &stats.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}
	}
	table, err := Play(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(config.Files.Journal)
	if err != nil {
		t.Fatal(err)
	}
	return text, table
}

// TestFollow reads a journal that grows by single bytes: it is never wrong, and each game is there with its last byte.
func TestFollow(t *testing.T) {
	text, table := followedMatch(t, 2)
	path := filepath.Join(t.TempDir(), "j")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var f Follower
	step := 97 // bytes at a time; the ends of lines are met too, for a game is looked for after each step
	for at := 0; at < len(text); at += step {
		if _, err := file.Write(text[at:min(at+step, len(text))]); err != nil {
			t.Fatal(err)
		}
		if more, err := f.Read(file, 1<<20); err != nil || more {
			t.Fatalf("after %d bytes: more %v, %v", at, more, err)
		}
		if whole := bytes.Count(text[:min(at+step, len(text))], []byte("\n")); len(f.Games) != max(0, whole-1) {
			t.Fatalf("%d lines, %d games", whole, len(f.Games))
		}
	}
	if f.Header.Test == nil || f.Header.Test.Elo1 != 5 || f.Header.Total != 4 || f.Header.Openings == "" || f.Header.Machine == "" || f.Header.Started.IsZero() || len(f.Header.Players) != 2 {
		t.Errorf("%+v", f.Header)
	}
	var tally stats.Tally
	for _, g := range f.Games {
		tally.Add(g.Fact)
	}
	got, want := tally.Result(), table.First()
	if got.Ptnml != want.Ptnml || got.Elo != want.Elo || got.Wins != want.Wins || got.Games != 4 {
		t.Errorf("%+v, want %+v", got, want)
	}
	played, moves, err := f.Replay(file, 3)
	if err != nil {
		t.Fatal(err)
	}
	plies, ply := f.Has(3).Plies, slices.IndexFunc(moves, func(m Move) bool { return !m.Book })
	if len(played.Moves) != plies || len(moves) != plies || ply <= 0 || !moves[ply].Scored {
		t.Errorf("%d moves of %d, the opening ends at %d", len(played.Moves), plies, ply)
	}
	if _, _, err := f.Replay(file, 4); err == nil {
		t.Error("game 4 of 4 was found")
	}
}

// TestFollowMany reads the journal of three players: each game counts for its pairing, as in the match.
func TestFollowMany(t *testing.T) {
	text, table := followedMatch(t, 3)
	file := writeJournal(t, string(text))
	f := &Follower{}
	reads := 1
	for more := true; more; reads++ {
		var err error
		if more, err = f.Read(file, 1); err != nil { // a line at a time
			t.Fatal(err)
		}
	}
	tallies := make([]stats.Tally, len(f.Header.Pairings))
	for _, g := range f.Games {
		tallies[g.Pairing].Add(g.Fact)
	}
	for i, p := range table.Pairings {
		if got := tallies[i].Result(); got.Ptnml != p.Ptnml || got.Games != 4 || f.Header.Pairings[i] != p.Sides {
			t.Errorf("%s - %s: %+v, want %+v", p.First, p.Second, got, p.Result)
		}
	}
	if reads < 13 {
		t.Errorf("12 games and a header in %d reads", reads)
	}
}

func writeJournal(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// TestFollowDamage reads journals that are damaged: the error names the byte, and goes when the damage does.
func TestFollowDamage(t *testing.T) {
	text, _ := followedMatch(t, 2)
	lines := strings.SplitAfter(string(text), "\n")
	header, one, two := lines[0], lines[1], lines[2]
	for name, damaged := range map[string]struct{ text, want string }{
		"no journal":     {"{\"a\":1}\n", "byte 0: not the header"},
		"other version":  {`{"tesla_match":9}` + "\n", "byte 0: the journal has version 9"},
		"no players":     {`{"tesla_match":1,"games":2}` + "\n", "byte 0: the journal has 0 players"},
		"zeros":          {header + "\x00\x00\x00", "damaged"},
		"not JSON":       {header + "{\"game\":0,\n", "byte "},
		"twice":          {header + one + one, "twice"},
		"other match":    {header + strings.Replace(one, `"white":"`, `"white":"x`, 1), "players xx"},
		"no such game":   {header + strings.Replace(one, `"game":`, `"game":9`, 1), "of a match of 4 games"},
		"no result":      {header + strings.Replace(strings.Replace(strings.Replace(one, "1/2-1/2", "*", 1), "1-0", "*", 1), "0-1", "*", 1), `result "*"`},
		"colours":        {header + strings.NewReplacer(`"a_white":true`, `"a_white":false`, `"a_white":false`, `"a_white":true`).Replace(one), "players "},
		"endless line":   {header + `{"game":` + strings.Repeat(" ", longestLine+1<<17), "is longer than"},
		"header endless": {Mark + strings.Repeat(" ", longestLine+1<<17), "byte 0: the line is longer"},
	} {
		var f Follower
		if _, err := f.Read(writeJournal(t, damaged.text), 1<<30); err == nil || !strings.Contains(err.Error(), damaged.want) {
			t.Errorf("%s: %v, want %q in it", name, err, damaged.want)
		}
	}
	file := writeJournal(t, header+one+"damage\n")
	var f Follower
	if _, err := f.Read(file, 1<<20); err == nil || len(f.Games) != 1 {
		t.Errorf("%v after %d games", err, len(f.Games))
	}
	if err := file.Truncate(int64(len(header + one))); err != nil { // as the match does when it is resumed
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte(two), int64(len(header+one))); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(file, 1<<20); err != nil || len(f.Games) != 2 || f.Anew != 0 {
		t.Errorf("%v after %d games, read anew %d times", err, len(f.Games), f.Anew)
	}
	if err := file.Truncate(int64(len(header))); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(file, 1<<20); err != nil || len(f.Games) != 0 || f.Anew != 1 {
		t.Errorf("%v: %d games of a shorter file, read anew %d times", err, len(f.Games), f.Anew)
	}
}

// TestFollowLeftOut reads a journal in which the games of a worker were taken back, and one of them was played again.
func TestFollowLeftOut(t *testing.T) {
	text, _ := followedMatch(t, 2)
	lines := strings.SplitAfter(string(text), "\n")
	bad := strings.Replace(lines[1], `"moves":`, `"worker":"bad","moves":`, 1)
	const out = `{"without":["bad"]}` + "\n"
	whole := lines[0] + bad + lines[2] + out
	file := writeJournal(t, whole[:len(whole)-9])
	var f Follower
	for _, c := range []struct {
		add         string
		games, anew int
	}{{"", 2, 0}, {whole[len(whole)-9:], 1, 1}, {lines[1], 2, 1}} {
		info, err := file.Stat()
		if err == nil {
			_, err = file.WriteAt([]byte(c.add), info.Size())
		}
		if err == nil {
			_, err = f.Read(file, 1<<20)
		}
		if err != nil || len(f.Games) != c.games || f.Anew != c.anew {
			t.Fatalf("after %q: %d games, read anew %d times, %v", c.add, len(f.Games), f.Anew, err)
		}
	}
	for i := range f.Games {
		if g := &f.Games[i]; f.Has(g.Number) != g || g.Worker != "" {
			t.Errorf("game %d is not where it is looked for, or is of worker %q", g.Number, g.Worker)
		}
	}
}
