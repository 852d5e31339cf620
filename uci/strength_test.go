package uci

import (
	"fmt"
	"strings"
	"testing"

	"tesla/search"
)

// TestLimitStrength plays one position again and again: below its best the engine searches little and varies, with what was rated.
// The time is more than any stall of the machine takes of it.
func TestLimitStrength(t *testing.T) {
	cfg := config(t)
	var opened Settings
	open := cfg.Open
	cfg.Open = func(set Settings) (search.Searcher, []string, error) { opened = set; return open(set) }
	g := play(t, cfg)
	g.send("setoption name LeafDepth value 3", "setoption name Threads value 2", "setoption name BatchSize value 7",
		"setoption name Hash value 3", "setoption name TreeMemory value 1000",
		"setoption name UCI_LimitStrength value true", fmt.Sprintf("setoption name UCI_Elo value %d", search.MinElo))
	moves := map[string]bool{}
	for range 40 {
		g.send("ucinewgame", "position startpos", "go movetime 60000")
		lines := g.until("bestmove ")
		move := strings.Fields(lines[len(lines)-1])[1]
		moves[move] = true
		last := lines[len(lines)-2]
		if !strings.Contains(last, " pv "+move) || !strings.Contains(last, fmt.Sprintf(" nodes %d ", search.StrengthOf(search.MinElo).Evals)) {
			t.Errorf("%q then %q", last, lines[len(lines)-1])
		}
	}
	if len(moves) < 4 {
		t.Errorf("only the moves %v in 40 games", moves)
	}
	want := DefaultSettings()
	if want.Backend, want.LeafDepth, want.Hash = "nnue", 0, 3; opened != want {
		t.Errorf("opened with %+v, want %+v", opened, want)
	}
	g.send("setoption name UCI_LimitStrength value false")
	clear(moves)
	for range 10 {
		g.send("ucinewgame", "position startpos", "go evals 30")
		lines := g.until("bestmove ")
		moves[lines[len(lines)-1]] = true
	}
	if len(moves) != 1 || opened.Threads != 2 {
		t.Errorf("at full strength, with %d threads: %v", opened.Threads, moves)
	}
	g.send(fmt.Sprintf("setoption name UCI_Elo value %d", search.MaxElo+1))
	g.until("info string error")
}
