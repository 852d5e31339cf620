package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/board"
	"tesla/models"
	"tesla/search"
	"tesla/tablebase/tabletest"
)

// At a limited strength a searcher is made as the ratings were measured, searches little, and varies.
func TestLimitStrength(t *testing.T) {
	set := Default()
	set.LeafDepth, set.Threads, set.BatchSize, set.Hash, set.TreeMemory = 3, 2, 7, 3, 1000
	set.LimitStrength, set.Elo, set.Backend = true, search.MinElo, "mock"
	s, _, err := Open(set)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := Default()
	if want.Search, want.Backend, want.LeafDepth, want.Hash, want.LimitStrength, want.Elo = "bestfirst", "nnue", 0, 3, true, search.MinElo; s.settings != want {
		t.Errorf("made from %+v, want %+v", s.settings, want)
	}
	moves := map[board.Move]bool{}
	for range 40 {
		s.NewGame()
		r, err := s.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{Evals: 5000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Info.Evals != search.StrengthOf(search.MinElo).Evals {
			t.Fatalf("%d evaluations", r.Info.Evals)
		}
		moves[r.Best] = true
	}
	if len(moves) < 4 {
		t.Errorf("only %d moves in 40 games", len(moves))
	}
}

// A strict engine ends a search whose tables turn out to be bad, one with a fallback says so and goes on.
func TestBadTable(t *testing.T) {
	dir := tabletest.Folder(t)
	if err := os.Truncate(filepath.Join(dir, "KPvK.rtbw"), 10); err != nil {
		t.Fatal(err)
	}
	p, err := board.ParseFEN("8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*Engine{New(), NewFallback()} {
		set := Default()
		set.Search, set.Backend, set.Hash, set.SyzygyPath = "lazysmp", "nnue", 1, dir
		s, _, err := e.Open(set, true) // hurried: no file is opened yet
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Search(context.Background(), board.NewGame(p), search.Limits{Nodes: 100}, nil)
		if r.Best == board.NullMove || (err == nil) != e.fallback || err != nil && !strings.Contains(err.Error(), "KPvK.rtbw") {
			t.Errorf("fallback %t: %v, %v", e.fallback, r.Best, err)
		}
		if said := len(e.notices); (said > 0) != e.fallback {
			t.Errorf("fallback %t: %d notices", e.fallback, said)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Text and root moves are reported where they are wanted, and what the inner searcher has beyond search.Searcher is
// found.
func TestSearcher(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		set := Default()
		set.Backend, set.Hash, set.TreeMemory, set.VerboseMoveStats = "mock", 1, 16, verbose
		s, _, err := Open(set)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		lines, roots := 0, 0
		if _, err := s.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{Evals: 100}, func(in search.Info) {
			if in.Depth > 0 {
				lines++
			}
			if len(in.Roots) > 0 || in.Text != "" {
				roots++
			}
		}); err != nil {
			t.Fatal(err)
		}
		if lines == 0 || (roots > 0) != verbose {
			t.Errorf("verbose %t: %d lines, %d other reports", verbose, lines, roots)
		}
		tree, ok := search.As[interface{ TreeSize() (nodes, bytes int) }](search.Searcher(s))
		if !ok {
			t.Fatal("the tree's size is not found")
		}
		if nodes, _ := tree.TreeSize(); nodes < 50 {
			t.Errorf("%d nodes", nodes)
		}
		if _, ok := search.As[interface{ Messages() int64 }](s); ok {
			t.Error("bestfirst sends messages")
		}
	}
}

// A new game forgets evaluations: the backend is asked again.
func TestNewGameForgets(t *testing.T) {
	counted := &counting{Backend: batcher.NewMock(batcher.Options{})}
	defer counted.Close()
	cache := batcher.NewCache(counted, 1<<20)
	set := Default()
	set.Hash, set.TreeMemory = 1, 16
	s, err := OpenOn(cache, models.Net{}, set)
	if err != nil {
		t.Fatal(err)
	}
	var asked [2]int
	for i := range asked {
		s.NewGame()
		was := counted.items
		if _, err := s.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{Evals: 200}, nil); err != nil {
			t.Fatal(err)
		}
		asked[i] = counted.items - was
	}
	if asked[0] == 0 || asked[1] != asked[0] {
		t.Errorf("the backend evaluated %v positions", asked)
	}
	if err := s.Close(); err != nil || counted.closed {
		t.Errorf("%v; the caller's backend is closed: %t", err, counted.closed)
	}
}

// counting is a backend that counts what it evaluates.
type counting struct {
	batcher.Backend
	items  int
	closed bool
}

func (c *counting) Evaluate(items []*batcher.Item) error {
	c.items += len(items)
	return c.Backend.Evaluate(items)
}

func (c *counting) Close() error {
	c.closed = true
	return c.Backend.Close()
}
