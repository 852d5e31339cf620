package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/lab/match"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

// mocked is a searcher that owns its mock backend.
type mocked struct {
	*bestfirst.Searcher
	backend batcher.Backend
}

func (m mocked) Close() error { return errors.Join(m.Searcher.Close(), m.backend.Close()) }

// playMatch plays a match and returns the lines of its journal, with their ends.
func playMatch(t testing.TB, names ...string) (lines []string, table stats.Table) {
	t.Helper()
	config := match.Default()
	config.Players = nil
	for _, name := range names {
		config.Players = append(config.Players, player.Player{Name: name})
	}
	config.InProcess.Searcher = func(player.Player) (search.Searcher, error) {
		b := batcher.NewMock(batcher.Options{})
		s, err := bestfirst.New(b, nil, bestfirst.Options{BatchSize: 8, TreeMemory: 4 << 20})
		return mocked{s, b}, err
	}
	config.Games, config.Condition.Evals, config.Adjudication.MaxMoves = 4, 20, 20
	if len(names) == 2 {
		config.SPRT = &stats.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}
	}
	config.Files.Journal = filepath.Join(t.TempDir(), "j")
	table, err := match.Play(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(config.Files.Journal)
	if err != nil {
		t.Fatal(err)
	}
	lines = strings.SplitAfter(string(text), "\n")
	return lines[:len(lines)-1], table
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// follow opens the stream of a match.
func (d *served) follow(name string) *tab {
	d.t.Helper()
	return d.stream("/api/matches/" + name + "/events")
}

// A match is followed while another process writes its journal, a torn line and a damaged one included; and it is listed.
func TestMatch(t *testing.T) {
	folder := t.TempDir()
	d := serve(t, func(c *Config) { c.Matches = folder })
	lines, table := playMatch(t, "new", "old")
	path := filepath.Join(folder, "m 1.jsonl")
	writeFile(t, path, lines[0]+lines[1]+lines[2][:40])
	w := d.follow("m%201.jsonl")
	s := until(w, "state", func(s state) bool { return !s.Reading })
	if s.Played != 1 || s.Total != 4 || s.Error != "" || !s.Own || !strings.HasPrefix(s.Test, "0,5") || len(s.Players) != 2 || s.Quiet < 0 {
		t.Errorf("%+v", s)
	}
	writeFile(t, path, lines[2][40:])
	rows := until(w, "games", func([]row) bool { return true })
	if len(rows) != 1 || rows[0].Number != 1 || rows[0].Plies == 0 || rows[0].White != 1 {
		t.Errorf("%+v", rows)
	}
	writeFile(t, path, lines[3]+lines[4])
	s = until(w, "state", func(s state) bool { return s.Played == 4 })
	if got, want := s.Pairings[0].Result, table.Pairings[0].Result; got.Ptnml != want.Ptnml || got.Elo != want.Elo || got.LLR != want.LLR || got.SPRT.Pairs != 2 {
		t.Errorf("%+v, want %+v", got, want)
	}
	writeFile(t, path, "damage\n")
	s = until(w, "state", func(s state) bool { return s.Error != "" })
	if !strings.HasPrefix(s.Error, "m 1.jsonl: byte ") || s.Played != 4 {
		t.Errorf("%d games, %q", s.Played, s.Error)
	}
	if err := os.WriteFile(path, []byte(lines[0]), 0o600); err != nil { // another match of the same name
		t.Fatal(err)
	}
	until(w, "anew", func(struct{}) bool { return true })
	until(w, "state", func(s state) bool { return s.Played == 0 && s.Error == "" })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	until(w, "state", func(s state) bool { return strings.Contains(s.Error, "no such match: m 1.jsonl") })
}

// The list has the journals of the folder, and nothing else of it.
func TestMatchList(t *testing.T) {
	folder := t.TempDir()
	d := serve(t, func(c *Config) { c.Matches = folder })
	three, table := playMatch(t, "a", "b", "c")
	writeFile(t, filepath.Join(folder, "three"), strings.Join(three, ""))
	writeFile(t, filepath.Join(folder, "bad"), three[0]+"damage\n")
	writeFile(t, filepath.Join(folder, "notes.txt"), "no journal")
	writeFile(t, filepath.Join(folder, "empty"), "")
	if err := os.Mkdir(filepath.Join(folder, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	list := func() (matches []listed) {
		status, text, _ := d.do("GET", "/api/matches", "", nil)
		var l struct{ Matches []listed }
		if err := json.Unmarshal([]byte(text), &l); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s %v", status, text, err)
		}
		return l.Matches
	}
	byName := map[string]listed{}
	for _, l := range list() {
		byName[l.Name] = l
	}
	if l := byName["three"]; len(byName) != 2 || l.Games != 12 || l.Total != 12 || len(l.Players) != 3 || l.Error != "" || l.Elo != first(table).Elo {
		t.Errorf("%+v", byName)
	}
	if l := byName["bad"]; !strings.Contains(l.Error, "bad: byte ") {
		t.Errorf("%+v", l)
	}
	d.cfg.Matches = filepath.Join(folder, "three")
	if one := list(); len(one) != 1 || one[0].Games != 12 {
		t.Errorf("of a single file: %+v", one)
	}
	if status, _, _ := d.do("GET", "/api/matches/bad/events", "", nil); status != http.StatusNotFound {
		t.Errorf("another file than the one that is served: %d", status)
	}
	for _, nothing := range []string{"", filepath.Join(folder, "missing")} {
		d.cfg.Matches = nothing
		if status, text, _ := d.do("GET", "/api/matches", "", nil); status != http.StatusNotFound || !strings.Contains(text, "--matches") {
			t.Errorf("of %q: %d %s", nothing, status, text)
		}
	}
}

func first(table stats.Table) stats.Result { return table.First() }

// A game is replayed with the scores of both sides.
func TestMatchGame(t *testing.T) {
	folder := t.TempDir()
	d := serve(t, func(c *Config) { c.Matches = folder })
	lines, _ := playMatch(t, "new", "old")
	writeFile(t, filepath.Join(folder, "m"), strings.Join(lines, ""))
	status, text, _ := d.do("GET", "/api/matches/m/games/1", "", nil) // before anything else was asked
	var g replayed
	if err := json.Unmarshal([]byte(text), &g); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, text, err)
	}
	scored := [2]int{}
	for _, p := range g.Plies {
		if p.SAN == "" || p.FEN == "" || p.Book && p.Score != nil {
			t.Errorf("%+v", p)
		}
		if p.Score != nil && p.Black {
			scored[1]++
		} else if p.Score != nil {
			scored[0]++
		}
	}
	if g.White != "old" || g.Black != "new" || g.Result == "" || g.Reason == "" || scored[0] == 0 || scored[1] == 0 || !g.Plies[0].Book {
		t.Errorf("%s - %s %s %s, %v scores", g.White, g.Black, g.Result, g.Reason, scored)
	}
	for path, want := range map[string]int{"m/games/4": 404, "m/games/-1": 404, "m/games/x": 400, "none/games/0": 404} {
		if status, text, _ := d.do("GET", "/api/matches/"+path, "", nil); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, text, want)
		}
	}
}

// No request reaches a file outside of the folder, nor one that is no journal.
func TestMatchPaths(t *testing.T) {
	outside, folder := t.TempDir(), t.TempDir()
	lines, _ := playMatch(t, "new", "old")
	writeFile(t, filepath.Join(outside, "secret"), strings.Join(lines, ""))
	writeFile(t, filepath.Join(folder, "notes"), "no journal")
	if err := os.Mkdir(filepath.Join(folder, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "sub", "below"), strings.Join(lines, ""))
	if runtime.GOOS != "windows" {
		for name, to := range map[string]string{"link": filepath.Join(outside, "secret"), "dots": "../.." + filepath.Base(outside) + "/secret"} {
			if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	d := serve(t, func(c *Config) { c.Matches = folder })
	up := "..%2F" + filepath.Base(outside) + "%2Fsecret"
	for _, name := range []string{up, strings.ReplaceAll(up, "%2F", "%5C"), "%2Fetc%2Fpasswd", "..", ".", "link", "dots", "sub", "sub%2Fbelow", "notes", "%00", "a%00b", strings.Repeat("x", 5000)} {
		for _, rest := range []string{"/events", "/games/0"} {
			status, text, _ := d.do("GET", "/api/matches/"+name+rest, "", nil)
			if status == http.StatusOK || status >= 500 || strings.Contains(text, `"plies"`) {
				t.Errorf("%.40s%s: %d %.200s", name, rest, status, text)
			}
		}
	}
	if status, text, _ := d.do("GET", "/api/matches", "", nil); status != http.StatusOK || !strings.Contains(text, `"matches":[]`) {
		t.Errorf("the list: %d %s", status, text)
	}
}

// A match of many games is sent in parts, and its stream leaves nothing behind.
func TestLongMatch(t *testing.T) {
	folder := t.TempDir()
	d := serve(t, func(c *Config) { c.Matches = folder })
	lines, _ := playMatch(t, "new", "old")
	var text bytes.Buffer
	text.WriteString(strings.Replace(lines[0], `"games":4`, `"games":4000`, 1))
	for n := range 2500 {
		line := lines[1+n%2]
		text.WriteString(`{"game":` + strconv.Itoa(n) + line[strings.Index(line, ","):])
	}
	writeFile(t, filepath.Join(folder, "m"), text.String())
	before := runtime.NumGoroutine()
	w := d.follow("m")
	parts, games := 0, 0
	until(w, "games", func(rows []row) bool {
		parts++
		games += len(rows)
		return games == 2500
	})
	if parts < 3 {
		t.Errorf("%d games in %d parts", games, parts)
	}
	until(w, "state", func(s state) bool { return s.Played == 2500 && !s.Reading })
	w.close()
	wait(t, "the stream's goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}
