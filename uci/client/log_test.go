package client

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLogRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := openLog(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte("12:34:56.000000 " + strings.Repeat("x", 83) + "\n")
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

// TestLogIsNoLog names files that are no logs, and a rotated one that is none: they stay as they are.
func TestLogIsNoLog(t *testing.T) {
	for _, name := range []string{"log", "log.1"} {
		path := filepath.Join(t.TempDir(), "log")
		other := filepath.Join(filepath.Dir(path), name)
		if err := os.WriteFile(other, []byte("TESLANET and much more"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenLog(path); err == nil || !strings.Contains(err.Error(), name+" exists and is not a file that this command writes") {
			t.Errorf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(other); err != nil || string(text) != "TESLANET and much more" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if l, err := OpenLog(os.DevNull); err != nil {
		t.Error(err)
	} else if err := l.Close(); err != nil {
		t.Error(err)
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
	want := line + strings.Repeat("y", 40) +
		"\n03:04:05.000006 e # 4 lines of 160 bytes are left out\n03:04:05.000006 e > go\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"e2e4", "e2e4"}, {"Zürich ♞", "Zürich ♞"}, {"\x00\xff\n\x7f", `\x00\xff\x0a\x7f`},
		{strings.Repeat("a", 30), strings.Repeat("a", 20) + "..."},
		{"tab\there", "tab\there"}, {"\u202e", `\xe2\x80\xae`}, {"", ""},
	} {
		if got := string(appendPrintable(nil, []byte(c.text), 20)); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestPrintableInPGN has no braces, which would end a comment.
func TestPrintableInPGN(t *testing.T) {
	if got := Printable([]byte("a {b}\n"), 10); got != `a (b)\x0a` {
		t.Errorf("%q", got)
	}
}

// TestLogOfCommands logs several commands that are written at once, each in a line of its own, and cuts long ones.
func TestLogOfCommands(t *testing.T) {
	var out bytes.Buffer
	log := transcript{name: []byte("e"), to: append(transcript{}.to, &out)}
	log.commands([]byte("ucinewgame\nisready\n" + strings.Repeat("p", 2*logLine) + "\n"))
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[0], " e > ucinewgame") || !strings.HasSuffix(lines[1], " e > isready") {
		t.Fatalf("%q", lines)
	}
	if got := strings.Count(lines[2], "p"); got != logLine || !strings.HasSuffix(lines[2], "p...") {
		t.Errorf("%d bytes of a long line", got)
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
