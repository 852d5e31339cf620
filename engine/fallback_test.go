package engine

import (
	"path/filepath"
	"strings"
	"testing"
)

// The fallbacks are taken in their order, each with a note that says what failed and what is taken instead; a strict
// engine takes none.
func TestFallback(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.tesla")
	plain := Default()
	plain.Backend, plain.Hash, plain.TreeMemory = "mock", 1, 16
	for _, c := range []struct {
		name   string
		change func(*Settings)
		notes  []string // what they contain, in order
		now    string   // backend
	}{
		{"all is there", func(*Settings) {}, []string{"backend mock, net"}, "mock"},
		{"no memory for the table", func(s *Settings) { s.Hash = maxMegabytes }, []string{"hash of 33554432 MiB", "using 16 MiB", "backend mock"}, "mock"},
		{"no such word", func(s *Settings) { s.SearchOptions = "hope=1" }, []string{"backend mock", "hope"}, "mock"},
		{"no memory for the tree", func(s *Settings) { s.TreeMemory = maxMegabytes }, []string{"backend mock", "using 256 MiB"}, "mock"},
		{"no net file", func(s *Settings) { s.Backend, s.WeightsFile = "nnue", missing },
			[]string{"backend nnue", "backend auto", "taking the embedded net", "backend "}, ""},
		{"no server", func(s *Settings) { s.Backend = "remote" }, []string{"taking the best backend that loads", "backend "}, ""},
		{"another evaluator", func(s *Settings) { s.Search = "lazysmp" }, []string{"lazysmp evaluates with nnue, not mock", "backend nnue"}, "nnue"},
	} {
		set := plain
		c.change(&set)
		e := NewFallback()
		s, notes, err := e.Open(set, false)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text := strings.Join(notes, "\n")
		for rest, i := text, 0; i < len(c.notes); i++ {
			_, after, found := strings.Cut(rest, c.notes[i])
			if rest = after; !found {
				t.Errorf("%s: no %q in its place in\n%s", c.name, c.notes[i], text)
			}
		}
		if now := s.Backend().Name; c.now != "" && now != c.now || now == "remote" {
			t.Errorf("%s: backend %s", c.name, now)
		}
		if failed := strings.Contains(text, "error: "); failed != (c.now == "" || len(c.notes) > 1 && c.now == "mock") {
			t.Errorf("%s: notes %s", c.name, text)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		strict, notes, err := Open(set)
		if strings.Contains(text, "error: ") != (err != nil) {
			t.Errorf("%s: a strict engine says %v, %q", c.name, err, notes)
		}
		if err == nil {
			err = strict.Close()
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// After a change that cannot be had, the earlier searcher plays on with the table and the tree that it had.
func TestReopen(t *testing.T) {
	set := Default()
	set.Backend, set.Hash, set.TreeMemory = "mock", 2, 16
	e := NewFallback()
	defer e.Close()
	if _, _, err := e.Open(set, false); err != nil {
		t.Fatal(err)
	}
	table, backend := e.table, e.backend
	set.Hash, set.TreeMemory = maxMegabytes, maxMegabytes
	s, notes, err := e.Open(set, false)
	text := strings.Join(notes, "\n")
	if err != nil || !strings.Contains(text, "still 2 MiB") || !strings.Contains(text, "using 16 MiB") {
		t.Fatalf("%v, %s", err, text)
	}
	if e.table != table || e.backend != backend || s.settings.TreeMemory != 16 {
		t.Errorf("table %v, backend %v, tree of %d MiB", e.table != table, e.backend != backend, s.settings.TreeMemory)
	}
	set.Hash, set.TreeMemory, set.Threads = 3, 17, 2
	if _, _, err := e.Open(set, false); err != nil || e.table.Megabytes() != 3 || e.backend == backend || e.treeMemory != 17 {
		t.Errorf("%v, table of %d MiB", err, e.table.Megabytes())
	}
}
