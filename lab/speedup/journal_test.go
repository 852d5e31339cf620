package speedup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"tesla/lab/journal"
	"tesla/lab/sweep"
)

// steady is a lab whose searches take what only position, searcher and work decide.
func steady() *lab {
	l := &lab{unit: Depth, cost: time.Microsecond}
	l.outcome = func(base bool, threads int, fen string, work int64) outcome {
		took := time.Duration(work*work) * time.Duration(100+len(fen)) * time.Millisecond / time.Duration(threads)
		return outcome{took: took, nodes: 1000*work + int64(threads), best: "d6d1", messages: int64(threads)}
	}
	return l
}

// journalled is the result of a run with a journal at path, and how many searches it did.
func journalled(t *testing.T, l *lab, path string, resume bool) (*Result, error) {
	t.Helper()
	config := l.config(t, true, 2, 1, 2)
	config.Repeat, config.Limit, config.Journal = 2, 2*time.Second, sweep.File{Path: path, Resume: resume}
	r, err := Run(context.Background(), config)
	l.checkClosed(t)
	return r, err
}

// TestResume kills a run at every kind of instant: at, just before and just after each end of a line, and within
// lines.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	l := steady()
	want, err := journalled(t, l, path, false)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cuts := []int{0, 1, 10}
	for i, c := range whole {
		if c == '\n' {
			cuts = append(cuts, i, i+1, min(len(whole), i+2), min(len(whole), i+40))
		}
	}
	all := l.searches
	torn := append(bytes.Clone(whole), bytes.Repeat([]byte("{"), 1000)...) // longer than any line
	if err := os.WriteFile(path, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := journalled(t, steady(), path, true); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
		t.Fatalf("torn behind the end: %v, the journal is %s", err, again)
	}
	for _, cut := range cuts {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		l := steady()
		got, err := journalled(t, l, path, true)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at byte %d: %v, %+v, want %+v", cut, err, got, want)
		}
		again, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(again, whole) {
			t.Fatalf("cut at byte %d: %v, the journal is %s", cut, err, again)
		}
		if cut == len(whole) && l.searches+l.opened > 0 || l.searches > all {
			t.Errorf("cut at byte %d: %d searches, %d at first", cut, l.searches, all)
		}
	}
}

// TestCancel cancels within each search of a run in turn: the journal has what was finished, and a resumed run
// completes it.
func TestCancel(t *testing.T) {
	l := steady()
	want, err := journalled(t, l, "", false)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= l.searches; k++ {
		path := filepath.Join(t.TempDir(), "journal")
		ctx, cancel := context.WithCancel(context.Background())
		l := steady()
		l.before = func(n int) {
			if n == k {
				cancel()
			}
		}
		config := l.config(t, true, 2, 1, 2)
		config.Repeat, config.Limit, config.Journal = 2, 2*time.Second, sweep.File{Path: path}
		r, err := Run(ctx, config)
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("search %d: %v", k, err)
		}
		if r != nil && (r.Positions != 1 || !reflect.DeepEqual(r.Table[0], want.Table[0])) {
			t.Errorf("search %d: %+v", k, r)
		}
		if text, err := os.ReadFile(path); err != nil || bytes.Count(text, []byte{'\n'}) > k {
			t.Errorf("search %d: %v, the journal is %s", k, err, text)
		}
		l.checkClosed(t)
		if got, err := journalled(t, steady(), path, true); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("resumed after search %d: %v, %+v", k, err, got)
		}
	}
}

// TestDeadline ends a run by the deadline of its context, which is not the limit of a trial.
func TestDeadline(t *testing.T) {
	l := steady()
	ctx, end := context.WithCancelCause(context.Background())
	l.before = func(n int) {
		if n == 3 { // the second trial; the first search warms up
			end(context.DeadlineExceeded)
		}
	}
	path := filepath.Join(t.TempDir(), "journal")
	config := l.config(t, true, 2, 1, 2)
	config.Journal.Path = path
	if r, err := Run(ctx, config); !errors.Is(err, context.DeadlineExceeded) || r != nil {
		t.Errorf("%v, %+v", err, r)
	}
	if text, err := os.ReadFile(path); err != nil || bytes.Count(text, []byte{'\n'}) != 2 {
		t.Errorf("%v: the journal is %s", err, text)
	}
	l.checkClosed(t)
}

func TestJournalRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	if _, err := journalled(t, steady(), path, true); err != nil { // nothing is there yet
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(good), "\n")
	for name, c := range map[string]struct {
		text   string
		change func(*Config)
		want   string
		usage  bool // journal.ErrRefused
	}{
		"not resumed": {string(good), func(c *Config) { c.Journal.Resume = false }, "exists", true},
		"threads": {string(good), func(c *Config) { c.Threads = []int{1, 2, 4} },
			"threads is [1 2] there and [1 2 4] here", true},
		"hash and repeat": {string(good), func(c *Config) { c.Hash, c.Repeat = 64, 7 },
			"hash is 1 there and 64 here; repeat is 2 there and 7 here", true},
		"limit":     {string(good), func(c *Config) { c.Limit = time.Second }, "limit is 2 there and 1 here", true},
		"work":      {string(good), func(c *Config) { c.Work = 9 }, "work is 0 there and 9 here", true},
		"commit":    {string(good), func(c *Config) { c.Commit = "abc" }, "commit is none there and abc here", true},
		"positions": {string(good), func(c *Config) { c.Positions = c.Positions[:1] }, "positions is 2 ", true},
		"baseline": {string(good), func(c *Config) { c.Driver.BaselineName, c.Driver.Own = "fake with one thread", true },
			"baseline is PVS there and fake with one thread here", true},
		"other JSON":  {"{}\n", nil, "line 1: of another run", true},
		"other text":  {"my notes", nil, "line 1", true},
		"other line":  {"my notes\n", nil, "line 1: not the header", true},
		"torn within": {lines[0] + lines[1][:20] + "\n" + lines[2], nil, "line 2: damaged", false},
		"other kind": {lines[0] + strings.Replace(lines[1], "trial", "trail", 1), nil,
			`line 2: not a record: kind "trail"`, false},
		"out of range": {lines[0] + strings.Replace(lines[1], `"position":1`, `"position":0`, 1), nil,
			"line 2: not a record: a number", false},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		l := steady()
		config := l.config(t, true, 2, 1, 2)
		config.Repeat, config.Limit, config.Journal = 2, 2*time.Second, sweep.File{Path: path, Resume: true}
		if c.change != nil {
			c.change(&config)
		}
		_, err := Run(context.Background(), config)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, journal.ErrRefused) != c.usage || l.searches > 0 {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.text {
			t.Errorf("%s: the file was changed: %v %s", name, err, text)
		}
	}
	l := steady()
	if _, err := journalled(t, l, t.TempDir(), true); err == nil || !strings.Contains(err.Error(), "journal") ||
		l.searches > 0 {
		t.Errorf("a folder as journal: %v", err)
	}
}

// FuzzJournal reads anything without panic, leaves what it refuses as it is, and cuts nothing else than a last line
// off.
func FuzzJournal(f *testing.F) {
	f.Add([]byte("{\"kind\":\"config\"}\n{\"kind\":\"trial\",\"position\":1,\"threads\":1,\"work\":1}\n{\"kind"))
	f.Add([]byte("\n\n"))
	want := header{Kind: kindConfig}
	whole, err := json.Marshal(want)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(whole, "\n{\"kind\":\"trial\",\"position\":1,\"threads\":1,\"work\":1}\n{\"kind"...))
	path := filepath.Join(f.TempDir(), "journal")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, refused := sweep.OpenJournal(sweep.File{Path: path, Resume: true}, want, stepOf)
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if refused != nil {
			if !bytes.Equal(after, text) {
				t.Errorf("%v, but %q is now %q", refused, text, after)
			}
			return
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		if begun := append(bytes.Clone(whole), '\n'); !bytes.Equal(after, begun) && !bytes.HasPrefix(text, after) ||
			bytes.Count(text[min(len(after), len(text)):], []byte{'\n'}) > 1 || !bytes.HasSuffix(after, []byte{'\n'}) {
			t.Errorf("%q is now %q", text, after)
		}
	})
}
