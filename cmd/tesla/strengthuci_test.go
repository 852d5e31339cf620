package main

import "testing"

// At limited strength a move that is not the best may be drawn: it is the first of the lines, and in no other.
func TestLinesOfLimitedStrength(t *testing.T) {
	g := tablesGUI(t, "UCI_LimitStrength value true", "UCI_Elo value 1000", "MultiPV value 4")
	for _, name := range searchers {
		g.say("setoption name Search value %s", name)
		others := 0
		for range 12 {
			g.say("ucinewgame")
			g.ready()
			lines, _ := g.search("startpos moves e2e4 e7e5 g1f3", "nodes 1000")
			seen := map[string]bool{}
			for rank := 1; rank <= 4; rank++ {
				seen[lines[rank].move] = true
			}
			if len(seen) != 4 || len(lines) != 4 || lines[1].move != lines[1].best {
				t.Errorf("%s: %v", name, lines)
			}
			if lines[1].score < lines[2].score {
				others++
			}
		}
		if others == 0 {
			t.Errorf("%s: the best move was played in all of 12 searches", name)
		}
	}
}
