package treesearch

import (
	"context"
	"testing"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/sure"
)

// An older choice is surer: after a doubling P(best) is 0.88.
const older = `{"search": "test", "net": "", "leaf_depth": 0, "efforts": [150, 1000], "stays": {"most": 1000, "weights": {}},
	"best": {"most": 1000, "weights": {"age": 2}}}`

// TestSure lets a tree grow whose first move changes once, and checks when it is looked at, what is told, and what ends.
func TestSure(t *testing.T) {
	start := board.StartPosition()
	moves := start.LegalMoves(nil)
	for _, c := range []struct {
		limits search.Limits
		end    search.End
		effort float64 // of the last look; 0: there was none
	}{
		{search.Limits{Sure: 0.85}, search.EndSure, 182},     // another move is first from 101 on, and sure after 0.87 doublings
		{search.Limits{Sure: 0.995}, search.EndUnsure, 1001}, // most is 0.99
		{search.Limits{Sure: 0.995, Evals: 500}, search.EndEvals, 501},
		{search.Limits{Evals: 500}, search.EndEvals, 501},
		{search.Limits{Sure: 0.85, Evals: 500, MultiPV: 2}, search.EndEvals, 0},
		{search.Limits{Sure: 0.85, Evals: 500, SearchMoves: moves[:3]}, search.EndEvals, 0},
		{search.Limits{Sure: 0.85, Evals: 500, Temperature: 1}, search.EndEvals, 0},
	} {
		m, err := sure.Read([]byte(older))
		if err != nil {
			t.Fatal(err)
		}
		var looks []sure.Facts
		m.Trace = func(f sure.Facts) { looks = append(looks, f) }
		tree := &fakeTree{}
		l := open(t, tree, Options{Sure: m})
		tree.gather = func(*batcher.Batch) bool {
			l.Reached(1)
			n := l.evals
			tree.roots = rootMoves(search.RootMove{Move: moves[0], N: n, Q: 0.1}, search.RootMove{Move: moves[1], Q: 0.05, Policy: 0.3},
				search.RootMove{Move: moves[2], N: 1})
			if n > 100 {
				tree.roots[0], tree.roots[2] = tree.roots[2], tree.roots[0]
			}
			return true
		}
		var last search.Info
		r, err := l.Search(context.Background(), board.NewGame(start), c.limits, func(in search.Info) {
			if in.MultiPV == 1 {
				last = in
			}
		})
		if err != nil || r.End != c.end {
			t.Errorf("%+v: ended with %v, %v; want %v", c.limits, r.End, err, c.end)
		}
		if c.effort == 0 {
			if len(looks) > 0 || last.Sure != (search.Sureness{}) {
				t.Errorf("%+v: %d looks, %+v", c.limits, len(looks), last.Sure)
			}
			continue
		}
		f := looks[len(looks)-1]
		if off := f.Effort / c.effort; off < 1 || off > lookEvery*1.02 || f.Changes != 1 || f.First != moves[2] || f.Untried != 0.3 || len(f.Rivals) != 2 || f.Moves != 3 {
			t.Errorf("%+v: the last look is %+v, want an effort of %v", c.limits, f, c.effort)
		}
		if last.Sure != r.Info.Sure {
			t.Errorf("%+v: reported %+v, returned %+v", c.limits, last.Sure, r.Info.Sure)
		}
	}
}
