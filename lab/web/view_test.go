package web

import (
	"encoding/json"
	"testing"

	"tesla/board"
	"tesla/engine"
	"tesla/search"
)

// searched is an engine on the mock, and what it shows of a search of some evaluations.
func searched(t testing.TB) func(evals int64) (search.Snapshot, *order) {
	set := engine.Default()
	set.Backend, set.Hash, set.TreeMemory = "mock", 1, 16
	s, _, err := engine.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	watcher, _ := search.As[search.Watcher](s)
	o := &order{game: board.NewGame(board.StartPosition())}
	return func(evals int64) (search.Snapshot, *order) {
		s.NewGame()
		if _, err := s.Search(t.Context(), o.game, search.Limits{Evals: evals, MultiPV: 3}, nil); err != nil {
			t.Fatal(err)
		}
		snapshot, ok := watcher.Snapshot(treeNodes)
		if !ok {
			t.Fatal("there is no tree")
		}
		return snapshot, o
	}
}

// A snapshot of a search of any length can be sent: JSON knows no infinity and no NaN.
func TestViewIsFinite(t *testing.T) {
	show := searched(t)
	for evals := int64(1); evals < 400; evals = evals*3/2 + 1 {
		in, o := show(evals)
		if _, err := json.Marshal(viewOf(&in, o, nil)); err != nil {
			t.Errorf("after %d evaluations: %v", evals, err)
		}
	}
}

// BenchmarkView is what the goroutine of a stream does for a snapshot.
func BenchmarkView(b *testing.B) {
	in, o := searched(b)(50000)
	b.ReportAllocs()
	for b.Loop() {
		text, err := json.Marshal(viewOf(&in, o, nil))
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(text)))
	}
}
