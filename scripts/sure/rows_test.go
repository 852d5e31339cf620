package main

import (
	"math"
	"testing"

	"tesla/search/sure"
)

// TestRow checks what came of looks: the loss against the best move, whether the move stayed, and the pairs.
func TestRow(t *testing.T) {
	look := func(effort float64, first, second string, gap float64) Look {
		return Look{Facts: sure.Facts{Effort: effort, Rivals: []sure.Rival{{N: 2, Q: 0.2}, {N: 1, Q: 0.2 - gap}, {N: 1, Q: -1}}, Q: 0.2}, First: first,
			Rivals: []string{first, second, "h2h4"}}
	}
	r := &Record{FEN: "x", Game: "g:1", Scores: map[string]int{"a2a3": 0, "b2b3": 250}}
	looks := []Look{look(100, "a2a3", "b2b3", 0.1), look(500, "b2b3", "a2a3", 0.05), look(900, "a2a3", "b2b3", 0.1), look(1000, "b2b3", "a2a3", 0)}
	top := sure.Points(250)
	first, last := row(r, "p", looks, 0, top), row(r, "p", looks, 3, top)
	if math.Abs(first.Regret-(top-0.5)) > 1e-12 || last.Regret != 0 || first.Score != 0.5 {
		t.Errorf("regrets %v and %v, score %v", first.Regret, last.Regret, first.Score)
	}
	if first.Stays == nil || !*first.Stays { // 900 is nearest below ten times 100
		t.Errorf("stays %v, want true: the move is first at 900", first.Stays)
	}
	if last.Stays != nil {
		t.Error("it is not known what is first at an effort of 10,000")
	}
	if *first.Gap < 0.0999 || *first.Gap > 0.1001 || len(first.Pairs) != 1 || first.Pairs[0][0] != 0 || last.Pairs[0][0] != 1 {
		t.Errorf("gap %v, pairs %v and %v", *first.Gap, first.Pairs, last.Pairs)
	}
}

func TestBest(t *testing.T) {
	l := Look{Facts: sure.Facts{Rivals: []sure.Rival{{N: 2}, {N: 9}, {N: 5}}}, Rivals: []string{"a", "b", "c"}}
	if got := best([]Look{{}, l}, 2); len(got) != 2 || got[0] != "b" || got[1] != "c" || best(nil, 2) != nil {
		t.Errorf("%v", got)
	}
}
