package bestfirst

import (
	"testing"

	"tesla/board"
	"tesla/search"
)

// The tree is kept when another move takes the place of the last one: an analysis tries moves one after the other.
func TestSideline(t *testing.T) {
	s := &tested{Searcher: open(t, newMock(t), Options{})}
	find := func(g *board.Game, evals int64) search.Result {
		r, err := s.Search(t.Context(), g, search.Limits{Evals: evals}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Check(t)
		return r
	}
	played := gameOf(t, startFEN, "e2e4", "e7e5")
	r := find(played, 5000)
	for _, m := range []board.Move{r.Best, played.Pos.LegalMoves(nil)[3], r.Best} {
		g := played.Clone()
		g.Play(m)
		after := find(g, 50)
		if n := s.RootEvals(); m == r.Best && n < 4*after.Info.Evals {
			t.Errorf("a root of %d evaluations after %d new ones", n, after.Info.Evals)
		}
	}
	find(gameOf(t, startFEN, "d2d4"), 50)
	if n := s.RootEvals(); n != 50 {
		t.Errorf("a root of %d evaluations in another game", n)
	}
}
