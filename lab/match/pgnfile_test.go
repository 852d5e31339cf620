package match

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tesla/lab/match/pgn"
)

// A game as this program writes it, but shorter, and one of another program.
func ownText(round string) string {
	return "[Event \"x - y\"]\n[Round \"" + round + "\"]\n[MatchId \"7\"]\n\n1. e4 {book} e5 {x" + round + "} 1-0\n\n"
}

const foreign = "[Event \"blitz\"]\n[White \"p\"]\n[Black \"q\"]\n[Round \"1.1\"]\n\n1. d4 d5 {[%clk 0:01]} 1/2-1/2\n\n"

// TestRewrite writes the games of a journal into files with games of two matches, whole ones and parts.
func TestRewrite(t *testing.T) {
	one, two := ownText("1.1"), ownText("1.2")
	games := []string{one, two}
	blank := func(part string) string { return strings.Repeat(" ", len(part)-1) + "\n" }
	untagged := "[White \"B1\"]\n\n1. c4 *\n\n"
	for _, c := range []struct{ name, before, want string }{
		{"nothing", "", one + two},
		{"whole", foreign + one + two, foreign + one + two},
		{"one is missing", foreign + one, foreign + one + two},
		{"cut off in its moves", foreign + one + two[:70], foreign + one + two},
		{"cut off in its tags", foreign + one + two[:20], foreign + one + two},
		{"cut off in the tag of the match", foreign + one + two[:44], foreign + one + two},
		{"cut off in its first tag", foreign + one + two[:3], foreign + one + two},
		{"in another order", two + one, one + two},
		{"others behind", one + foreign + untagged, one + foreign + untagged + two},
		{"others behind, in another order", two + foreign + one + foreign, two + foreign + one + foreign},
		{"twice before others", one + one + foreign + two[:9], one + blank(one) + foreign + two},
		{"twice", one + two + foreign + one, one + two + foreign},
		{"others behind a part", one + two[:len(two)-9] + foreign, one + blank(two[:len(two)-9]) + foreign + two},
		{"others without an event behind a part", one + two[:62] + "\n" + untagged, one + blank(two[:63]) + untagged + two},
		{"others behind part of the tags", one + two[:20] + foreign, one + blank(two[:20]) + foreign + two},
		{"a game of ours that is not in the journal", ownText("9.1") + foreign, blank(one) + foreign + one + two},
		{"others without an end", "1. e4 e5 *", "1. e4 e5 *\n\n" + one + two},
	} {
		path := filepath.Join(t.TempDir(), "games.pgn")
		if err := os.WriteFile(path, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := openPGN(path)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for range 2 { // the second time there is nothing to do
			if err := f.rewrite(&pgnStyle{event: "x - y", id: "7"}, games); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if got := string(read(t, path)); got != c.want {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
	}
}

// TestSharedPGN has two matches append to one file at the same time. One of them was killed before, and others have
// appended to the file since.
func TestSharedPGN(t *testing.T) {
	dir := t.TempDir()
	config := fixed(dir, 4)
	config.Files.Journal, config.Files.PGNStable = filepath.Join(dir, "journal"), false
	if err := os.WriteFile(config.Files.PGN, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	// What a kill in the third game leaves, and then another program's game.
	journal := bytes.SplitAfter(read(t, config.Files.Journal), []byte("\n"))
	whole := read(t, config.Files.PGN)
	cut := bytes.LastIndex(whole, eventTag) + 300
	if err := errors.Join(os.WriteFile(config.Files.Journal, bytes.Join(journal[:3], nil), 0o644),
		os.WriteFile(config.Files.PGN, append(whole[:cut:cut], foreign...), 0o644)); err != nil {
		t.Fatal(err)
	}
	other := fixed(dir, 6)
	other.Files.PGNStable, other.Players[0].Name = false, "z"
	var both sync.WaitGroup
	for _, c := range []Config{config, other} {
		c.Files.Resume = c.Files.Journal != ""
		both.Go(func() {
			if _, err := run(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	text := string(read(t, config.Files.PGN))
	if !strings.Contains(text, foreign) || strings.Count(text, `[Event "x - y"]`) != 4 || strings.Count(text, `[Event "z - y"]`) != 6 {
		t.Error(text)
	}
	if games, skipped := pgn.ReadSummaries(text); len(games) != 11 || skipped != nil {
		t.Errorf("%d games, %v", len(games), skipped)
	}
	if info, err := os.Stat(config.Files.PGN); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestPGNIsNoPGN names files that are no PGN: they stay as they are.
func TestPGNIsNoPGN(t *testing.T) {
	for name, text := range map[string]string{"net": "TESLANET\x01\x00", "json": `[{"a":1}]`, "journal": `{"tesla_match":1}` + "\x00",
		"letter": "Dear friend", "settings": "; mine\n[section]\nkey=1\n", "list": "1. buy a net\n", "page": "%PDF-1.5\n", "data": "{\"a\": 1}",
		"binary": "[Event \"x\"]\x00"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		config := fixed(t.TempDir(), 2)
		config.Files.PGN = path
		if r, err := run(t.Context(), config); err == nil || !strings.Contains(err.Error(), "holds no games") || r.Games != 0 {
			t.Errorf("%s: %v", name, err)
		}
		if got := string(read(t, path)); got != text {
			t.Errorf("%s: it has %q", name, got)
		}
	}
	for _, start := range []string{"", "\ufeff[Event \"x\"]\n", "\n{a comment} 1. e4 *", "; comment\n[White \"x\"]", "% escape\n1. Nf3", "1. e4 e5 *", "1.e4 *",
		"[Event \"x\"]\n"} {
		if !holdsGames([]byte(start)) {
			t.Errorf("%q is refused", start)
		}
	}
}
