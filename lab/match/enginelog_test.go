package match

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tesla/lab/match/player"
)

// TestPlayerLog has two games at a time share a log with both directions, the standard error and the time.
func TestPlayerLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engine.log")
	a := external(t, "crash")
	a.Log = path
	config := patient(a, new(bytes.Buffer))
	config.Files.Log = filepath.Join(t.TempDir(), "all.log")
	config.Machine.Concurrency, config.Machine.Oversubscribe = 2, true
	if _, err := run(context.Background(), config); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const stamp = `(?m)^\d\d:\d\d:\d\d\.\d{6} crash#`
	for _, want := range []string{
		"1 # process [0-9]+, on ", "2 # process", "1 > uci$", "1 < uciok$", "1 > setoption name Hash value 2$", "2 > position .*moves ",
		"2 > go movetime 20$", "1 < info depth 3 .* pv ", "1 < bestmove ", "1 ! the test engine crashes$", "1 # ended: exit status 3$",
	} {
		if !regexp.MustCompile(stamp + want).Match(text) {
			t.Errorf("the log lacks %s:\n%s", want, text)
		}
	}
	if !bytes.Contains(read(t, config.Files.Log), []byte("the test engine crashes")) {
		t.Error("Files.Log has less than the player's own log")
	}
	if _, err := os.Stat(path + ".1"); err == nil {
		t.Error("a small log was rotated")
	}
}

func TestLogKey(t *testing.T) {
	if p, err := player.Parse("cmd=x,log='a b.log'"); err != nil || p.Log != "a b.log" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"log=a.log", "cmd=x,log="} {
		if _, err := player.Parse(bad); err == nil || !strings.Contains(err.Error(), "log") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	config := Default()
	config.Players[0], config.Players[1], config.InProcess.Searcher = external(t, "sound"), player.Player{}, mockFactory
	config.Games, config.Condition.Nodes = 1, 1
	config.Players[0].Log = filepath.Join(t.TempDir(), "not", "there")
	if _, err := run(context.Background(), config); err == nil || !strings.Contains(err.Error(), config.Players[0].Log) {
		t.Error(err)
	}
}

// TestLogOfFlood bounds what a flood leaves on disk: a quota for each move.
func TestLogOfFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("a flood")
	}
	t.Parallel()
	a := external(t, "flood")
	a.Log = filepath.Join(t.TempDir(), "engine.log")
	var all bytes.Buffer
	config := patient(a, &all)
	config.Games, config.Adjudication.MaxMoves = 1, 2
	if r, err := run(context.Background(), config); err != nil || r.Losses != 0 {
		t.Fatal(r, err)
	}
	text, err := os.ReadFile(a.Log)
	if err != nil {
		t.Fatal(err)
	}
	if most := 3 << 20; len(text) > most || !bytes.Contains(text, []byte("lines of")) {
		t.Errorf("%d bytes, want at most %d and a word on what is left out", len(text), most)
	}
}
