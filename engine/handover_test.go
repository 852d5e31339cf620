package engine

import (
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// A change of the searcher on a position hands the table over, in both ways: the best-first search finds the move of lazysmp at
// its first evaluations, and lazysmp visits fewer nodes after a best-first search. A new game ends that.
func TestHandOver(t *testing.T) {
	e := New()
	defer e.Close()
	set := Default()
	set.Backend, set.Threads, set.LeafDepth = "nnue", 1, 0
	g := board.NewGame(boardtest.Position(t, "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"))
	play := func(name string, l search.Limits, fresh bool) search.Result {
		set.Search = name
		s, _, err := e.Open(set, false)
		if err != nil {
			t.Fatal(err)
		}
		if fresh {
			s.NewGame()
		}
		if e.table.Handed() == (fresh || e.table.Empty()) {
			t.Errorf("%s: handed over: %v", name, e.table.Handed())
		}
		r, err := s.Search(t.Context(), g, l, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	deep := play("lazysmp", search.Limits{Depth: 12}, true)
	if r := play("bestfirst", search.Limits{Evals: 40}, false); r.Best != deep.Best {
		t.Errorf("bestfirst after lazysmp plays %v, want %v", r.Best, deep.Best)
	}
	if r := play("bestfirst", search.Limits{Evals: 40}, true); r.Best == deep.Best {
		t.Error("the position tests nothing: bestfirst alone plays the same")
	}
	play("bestfirst", search.Limits{Evals: 5000}, true)
	play("lazysmp", search.Limits{Depth: 1}, false)
	if entry, ok := e.table.Probe(g.Pos.Key, 0); !ok || !entry.PV() {
		t.Error("the root is no PV entry after a best-first search")
	}
}
