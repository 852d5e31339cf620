package client

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
)

// TestReport reads info lines for OnInfo: what a line does not name is zero, and a variation ends before an illegal move.
func TestReport(t *testing.T) {
	t.Parallel()
	start := board.StartPosition()
	var after board.Position
	e4, err := start.ParseMove("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	start.Make(e4, &after)
	e5, err := after.ParseMove("e7e5")
	if err != nil {
		t.Fatal(err)
	}
	var h heard
	h.reset(&start, false, false, 1)
	for _, c := range []struct {
		line string
		want Report
	}{
		{"info depth 9 seldepth 14 time 1500 nodes 70 nps 46 hashfull 12 tbhits 3 score cp 31 wdl 400 500 100 pv e2e4 e7e5",
			Report{search.Info{Depth: 9, SelDepth: 14, Time: 1500 * time.Millisecond, Nodes: 70, NPS: 46, Hashfull: 12, TBHits: 3,
				MultiPV: 1, Score: search.Score{CP: 31}, WDL: [3]int{400, 500, 100}, PV: []board.Move{e4, e5}}, true}},
		{"info nodes 80", Report{search.Info{Nodes: 80, MultiPV: 1}, false}},
		{"info depth 10 currmove e2e4 currmovenumber 2",
			Report{search.Info{Depth: 10, MultiPV: 1, Current: e4, Number: 2}, false}},
		{"info depth 2 score mate 4 pv e2e4 e7e4 a2a3",
			Report{search.Info{Depth: 2, MultiPV: 1, Score: search.Score{Mate: 4}, PV: []board.Move{e4}}, true}},
		{"info score cp 5 wdl 1 2", Report{search.Info{MultiPV: 1, Score: search.Score{CP: 5}, WDL: [3]int{1, 2, 0}}, true}},
	} {
		if got := h.report([]byte(c.line)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.line, got, c.want)
		}
	}
}

// TestOnInfo gets the reports of each search before its move, and none where no search runs.
func TestOnInfo(t *testing.T) {
	t.Parallel()
	var o observed
	config := o.config(t, "garbage") // it writes info lines before its first search
	var mu sync.Mutex
	var depths []int
	config.OnInfo = func(r Report) {
		mu.Lock()
		defer mu.Unlock()
		depths = append(depths, r.Depth)
	}
	e, err := Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	g := board.NewGame(board.StartPosition())
	for n := range 3 {
		a, err := e.Search(t.Context(), g, search.Limits{Nodes: 1}, time.Minute, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(a.Move)
		mu.Lock()
		if len(depths) != 2*(n+1) || depths[2*n] != 3 || depths[2*n+1] != 4 {
			t.Errorf("search %d: depths %v", n, depths)
		}
		mu.Unlock()
	}
}
