package client

import (
	"strings"
	"testing"

	"tesla/board"
	"tesla/search"
)

func TestParseLine(t *testing.T) {
	p := board.StartPosition()
	for line, want := range map[string]struct {
		rank  int
		score search.Score
		ok    bool
	}{
		"info depth 3 multipv 2 score cp -31 nodes 5 pv e2e4 e7e5": {2, search.Score{CP: -31}, true},
		"info depth 3 score mate 2 pv e2e4":                        {1, search.Score{Mate: 2}, true},
		"info depth 3 score mate -2 pv e2e4":                       {1, search.Score{Mate: -2}, true},
		"info score cp 20 lowerbound pv e2e4":                      {},
		"info string score cp 20 pv e2e4":                          {},
		"info nodes 7":                                             {},
	} {
		l, ok, err := ParseLine(&p, strings.Fields(line))
		if err != nil || ok != want.ok || ok && (l.Rank != want.rank || l.Score != want.score || p.UCI(l.Move, false) != "e2e4") {
			t.Errorf("%s: %v, %t, %v", line, l, ok, err)
		}
	}
	for _, line := range []string{"info score cp x pv e2e4", "info multipv 0 score cp 1 pv e2e4", "info score cp 1 pv e2e5", "info score cp"} {
		if _, ok, err := ParseLine(&p, strings.Fields(line)); err == nil && ok {
			t.Errorf("%s is no error", line)
		}
	}
}
