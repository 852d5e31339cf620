package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/lab/games"
)

func TestDatagen(t *testing.T) {
	dir := t.TempDir()
	out, again := filepath.Join(dir, "games"), filepath.Join(dir, "again")
	args := []string{"datagen", "--player", "search=bestfirst,backend=mock,evals=30", "--concurrency", "2", "--out", out, "--games"}
	if code, text, errOut := run(t, "", append(args, "4")...); code != exitDone || !strings.Contains(text, "games 4 of 4") {
		t.Fatalf("code %d: %s %s", code, text, errOut)
	}
	if code, _, errOut := run(t, "", append(args, "6")...); code != exitUsage || !strings.Contains(errOut, "exists") {
		t.Errorf("wrote over games: code %d, %s", code, errOut)
	}
	if code, text, errOut := run(t, "", append(args, "6", "--resume", "--json")...); code != exitDone || !strings.Contains(text, `"games":6`) {
		t.Errorf("code %d: %s %s", code, text, errOut)
	}
	if code, text, errOut := run(t, "", append(args, "2", "--resume")...); code != exitDone || !strings.Contains(text, "games 6 of 6, positions 0") ||
		!strings.Contains(errOut, "numbers beyond --games 2") {
		t.Errorf("fewer games than there are: code %d: %s %s", code, text, errOut)
	}
	if code, text, errOut := run(t, "", append(args, "6", "--resume", "--seed", "2")...); code != exitUsage || !strings.Contains(errOut, "seed was 1, now 2") {
		t.Errorf("code %d: %s %s", code, text, errOut)
	}
	if code, text, errOut := run(t, "", "datagen", "--stats", out); code != exitDone || !strings.Contains(text, "games 6 (") {
		t.Errorf("code %d: %s %s", code, text, errOut)
	}
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(start+";1;e2e4:3 e7e5:4\n"+start+";1;e2e4:3 e7e5:4\n"+start+";1;d2d4:3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, text, errOut := run(t, "", "datagen", "--convert", text, "--out", again, "--distinct"); code != exitDone || !strings.Contains(text, "games 2 (") || !strings.Contains(text, "; 1 repeated") {
		t.Errorf("code %d: %s %s", code, text, errOut)
	}
	if code, text, _ := run(t, "", "datagen", "--stats", again, "--json"); code != exitDone || !strings.Contains(text, `"white":2`) {
		t.Errorf("code %d: %s", code, text)
	}
	starts, lines := filepath.Join(dir, "starts"), filepath.Join(dir, "lines")
	if code, _, errOut := run(t, "", "datagen", "--out", starts, "--start", "dfrc", "--random", "0-0", "--plies", "3", "--games", "4",
		"--player", "search=lazysmp,nodes=50"); code != exitDone {
		t.Errorf("code %d: %s", code, errOut)
	}
	if all, err := games.ReadFile(starts); err != nil || len(all) != 4 || !all[0].Start.NeedsChess960() || !all[3].Start.NeedsChess960() {
		t.Errorf("%d games from double Chess960 starts, %v", len(all), err)
	}
	if code, text, errOut := run(t, "", "datagen", "--out", lines, "--from", starts, "--leaves", "6", "--tree", "backend=mock,evals=50",
		"--player", "search=lazysmp,nodes=50", "--games", "12", "--syzygy", dir); code != exitDone || !strings.Contains(text, "games 12 of 12, positions 24 in") {
		t.Errorf("code %d: %s %s", code, text, errOut)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-100] ^= 1
	if err := os.WriteFile(out, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--stats", out}, exitFailure, "byte"},
		{[]string{"--out", filepath.Join(dir, "x"), "--random", "9-2"}, exitUsage, "random"},
		{[]string{"--out", filepath.Join(dir, "x"), "--random", "9"}, exitUsage, "random"},
		{[]string{"--out", filepath.Join(dir, "x"), "--player", "search=bestfirst"}, exitUsage, "nodes"},
		{[]string{"--out", filepath.Join(dir, "x"), "--player", "cmd=/nonexistent,nodes=5"}, exitFailure, "nonexistent"},
		{[]string{"--out", filepath.Join(dir, "x"), "--from", "/nonexistent", "--player", "backend=mock,evals=5"}, exitFailure, "nonexistent"},
		{[]string{"--out", filepath.Join(dir, "x"), "--start", "shuffle"}, exitUsage, "chess960 or dfrc"},
		{[]string{"--out", filepath.Join(dir, "x"), "--start", "dfrc", "--from", starts}, exitUsage, "exclude"},
		{[]string{"--out", filepath.Join(dir, "x"), "--leaves", "5", "--within", "50"}, exitUsage, "exclude"},
		{[]string{"--out", filepath.Join(dir, "x"), "--leaves", "5", "--tree", "cmd=stockfish,nodes=5"}, exitUsage, "in process"},
		{[]string{"--out", filepath.Join(dir, "x"), "--leaves", "5", "--tree", "backend=mock"}, exitUsage, "--tree: want"},
		{[]string{"--out", filepath.Join(dir, "y"), "--leaves", "5", "--tree", "search=lazysmp,nodes=9"}, exitFailure, "no leaves from this searcher"},
		{[]string{"--out", filepath.Join(dir, "x"), "--tree", "search=bestfirst,evals=9"}, exitUsage, "--tree without --leaves"},
		{[]string{"--out", filepath.Join(dir, "x"), "--distinct"}, exitUsage, "--distinct without --convert"},
		{[]string{"--convert", text, "--out", filepath.Join(dir, "x"), "--games", "5", "--json"}, exitUsage, "--games means nothing beside --convert; --json means"},
		{[]string{"--stats", starts, "--out", filepath.Join(dir, "x")}, exitUsage, "--out means nothing beside --stats"},
		{[]string{"--resume", "--out", text, "--player", "backend=mock,evals=5"}, exitUsage, "magic"},
		{[]string{"--out", filepath.Join(dir, "z"), "--syzygy", "/nonexistent"}, exitFailure, "--syzygy: "},
		{nil, exitUsage, "--out"},
	} {
		if code, _, errOut := run(t, "", append([]string{"datagen"}, c.args...)...); code != c.code || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: code %d, %s; want %d and %q", c.args, code, errOut, c.code, c.want)
		}
	}
}
