package alphabeta

import (
	"context"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
	"tesla/search/sure"
)

// TestSure checks what a model is told after each depth, and that it ends a search. The model is the surer the longer a move has been
// first.
func TestSure(t *testing.T) {
	const text = `{"search": "lazysmp", "net": "", "leaf_depth": 0, "efforts": [1, 20000], "stretch": 1.5, "stays": {"most": 20000, "weights": {}},
		"best": {"most": 20000, "weights": {"age": 1}}}`
	p := boardtest.Position(t, middleGame)
	look := func(threads int, l search.Limits) (search.Result, []sure.Facts, []search.Info) {
		m, err := sure.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s := newDriver(t, "lazysmp", threads, DefaultOptions())
		var facts []sure.Facts
		var infos []search.Info
		m.Trace = func(f sure.Facts) { facts = append(facts, f) }
		s.UseSureness(m)
		r, err := s.Search(context.Background(), board.NewGame(p), l, func(in search.Info) { infos = append(infos, in) })
		if err != nil {
			t.Fatal(err)
		}
		return r, facts, infos
	}
	for _, threads := range []int{1, 2} {
		r, facts, infos := look(threads, search.Limits{Depth: 8})
		// With two threads the other one may be the first to complete the last depth, whatever the first has done.
		if len(facts) > 8 || threads == 1 && (len(facts) != 8 || facts[7].First != r.Best) {
			t.Fatalf("%d looks with %d threads, best %v: %+v", len(facts), threads, r.Best, facts)
		}
		for i, f := range facts {
			if f.Depth != i+1 || f.Moves != p.CountLegal() || f.Share <= 0 || f.Share > 1 || f.Next < 0 || f.Next > 1 || i > 0 && f.Effort <= facts[i-1].Effort {
				t.Errorf("depth %d: %+v", i+1, f)
			}
		}
		for i := range infos {
			if infos[i].Sure.Stretch != 1.5 {
				t.Errorf("report %d of %d, with %d threads: %+v", i+1, len(infos), threads, infos[i].Sure)
			}
		}
		if in := infos[len(infos)-1]; threads == 1 && (in.Sure.Best == 0 || in.Sure.Stays == 0) {
			t.Errorf("%+v is reported", in.Sure)
		}
	}
	if r, facts, _ := look(1, search.Limits{Sure: 0.7}); r.Info.Sure.Best < 0.7 || facts[len(facts)-1].Effort > 20000 {
		t.Errorf("ended with %+v after %d looks", r.Info.Sure, len(facts))
	}
	if r, facts, _ := look(1, search.Limits{Sure: 0.9999}); r.Info.Sure.Best != 0 || facts[len(facts)-1].Effort <= 20000 {
		t.Errorf("ended with %+v after %d looks: nothing is stated beyond 20,000 nodes", r.Info.Sure, len(facts))
	}
	for _, l := range []search.Limits{{Depth: 3, MultiPV: 2}, {Depth: 3, SearchMoves: p.LegalMoves(nil)[:2]}, {Depth: 3, Temperature: 0.1}} {
		if r, facts, _ := look(1, l); len(facts) > 0 || r.Info.Sure != (search.Sureness{}) {
			t.Errorf("%+v: %d looks, %+v", l, len(facts), r.Info.Sure)
		}
	}
}
