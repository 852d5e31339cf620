package match

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tesla/lab/match/player"
)

// TestPlayerLog has a log with both directions, stderr and the time, that two games at a time share.
func TestPlayerLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "engine.log")
	a := external(t, "crash")
	a.Log = path
	var all bytes.Buffer
	config := patient(a, &all)
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
	if !strings.Contains(all.String(), "the test engine crashes") {
		t.Error("Config.Log has less than the player's own log")
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
	config.Games, config.Adjudication.MaxMoves, config.Output.Log = 1, 2, nil
	if r, err := run(context.Background(), config); err != nil || r.Losses != 0 {
		t.Fatal(r, err)
	}
	text, err := os.ReadFile(a.Log)
	if err != nil {
		t.Fatal(err)
	}
	if most := 3 * logQuota; len(text) > most || !bytes.Contains(text, []byte("lines of")) {
		t.Errorf("%d bytes, want at most %d and a word on what is left out", len(text), most)
	}
}

func TestLogRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := openLog(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat("x", 99) + "\n")
	for range 57 {
		if _, err := l.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	for file, want := range map[string]int64{path: 700, path + ".1": 1000} {
		if info, err := os.Stat(file); err != nil || info.Size() != want {
			t.Errorf("%s: %v %v, want %d bytes", file, info, err, want)
		}
	}
	if l, err = openLog(path, 1000); err != nil || l.size != 700 {
		t.Fatalf("opened again: %v, %v", l, err)
	}
	l.file.Close()
	if _, err := l.Write(line); err != nil {
		t.Errorf("a failing log fails the writer: %v", err)
	}
	if err := l.Close(); err == nil {
		t.Error("nothing tells that the log failed")
	}
	if _, err := openLog(filepath.Join(path, "not", "there"), 1); err == nil {
		t.Error("a log in no folder")
	}
}

func TestTranscriptQuota(t *testing.T) {
	var out bytes.Buffer
	log := transcript{name: []byte("e"), to: append(transcript{}.to, &out), quota: 100}
	now := time.Date(2000, 1, 2, 3, 4, 5, 6000, time.UTC)
	for range 5 {
		log.add(now, fromEngine, []byte(strings.Repeat("y", 40)))
	}
	log.add(now, toEngine, []byte("go"))
	log.flush()
	const line = "03:04:05.000006 e < "
	want := line + strings.Repeat("y", 40) + "\n03:04:05.000006 e # 4 lines of 160 bytes are left out\n03:04:05.000006 e > go\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"e2e4", "e2e4"}, {"Zürich ♞", "Zürich ♞"}, {"\x00\xff\n\x7f", `\x00\xff\x0a\x7f`}, {strings.Repeat("a", 30), strings.Repeat("a", 20) + "..."},
		{"tab\there", "tab\there"}, {"\u202e", `\xe2\x80\xae`}, {"", ""},
	} {
		if got := string(appendPrintable(nil, []byte(c.text), 20)); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLastWords(t *testing.T) {
	var w lastWords
	for range 1000 {
		w.Write([]byte("never mind\n"))
	}
	w.Write(bytes.Repeat([]byte("z"), 10000))
	w.Write([]byte("\nfirst\n\n  second \nthird"))
	if got := w.tail(30); got != "...zzzzz | first | second | third" {
		t.Errorf("%q", got)
	}
	if len(w.text) > lastWordsSize {
		t.Errorf("%d bytes are kept", len(w.text))
	}
}
