package alphabeta

import (
	"context"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// sum is the work of a task, its critical path, and how many forks of it were cut.
func sum(t *Task) (work, path int64, cuts int) {
	work, path = t.Lead, t.Lead
	for i := range t.Parts {
		f, longest := t.Parts[i].Fork, int64(0)
		for k := range f.Moves {
			w, p, c := sum(&f.Moves[k])
			work, cuts = work+w, cuts+c
			if longest = max(longest, p); f.Cut && k == len(f.Moves)-1 {
				longest, cuts = p, cuts+1
			}
		}
		work, path = work+t.Parts[i].After, path+longest+t.Parts[i].After
	}
	return work, path, cuts
}

// A logged tree has all nodes of the search, the critical path that the search has found, and changes nothing.
func TestTree(t *testing.T) {
	g := board.NewGame(boardtest.Position(t, middleGame))
	plain, _ := newDriver(t, "jamboree", 1, DefaultOptions()).Search(context.Background(), g, search.Limits{Depth: 9}, nil)
	for _, name := range []string{"pvsplit", "jamboree"} {
		s := newDriver(t, name, 1, DefaultOptions())
		if !s.LogTree() {
			t.Fatalf("%s logs no tree", name)
		}
		for range 2 {
			s.NewGame()
			r, _ := s.Search(context.Background(), g, search.Limits{Depth: 9}, nil)
			work, path, cuts := sum(s.Tree())
			if r.Best != plain.Best || work != plain.Info.Nodes || path != s.Path() || path >= work || cuts == 0 {
				t.Errorf("%s: %v, %d nodes, path %d, %d cuts; the search has %d nodes, path %d", name, r.Best, work, path, cuts,
					plain.Info.Nodes, s.Path())
			}
		}
	}
	if newDriver(t, "lazysmp", 1, DefaultOptions()).LogTree() || newDriver(t, "pvsplit", 2, DefaultOptions()).LogTree() {
		t.Error("threads that share out no moves, or several threads, log a tree")
	}
}
