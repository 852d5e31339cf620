package uci

import (
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
)

// The words of go and the limits that they make, for White.
func TestParseGo(t *testing.T) {
	clock := func(own, other, inc time.Duration, moves int) search.Limits {
		return search.Limits{HasClock: true, Time: [2]time.Duration{own, other}, Inc: [2]time.Duration{inc, 0}, MovesToGo: moves}
	}
	const second, most = time.Second, (1 << 40) * time.Millisecond
	fallback := search.Limits{MoveTime: unclear}
	for _, c := range []struct {
		words string
		want  search.Limits
		error string // "" for none
	}{
		{"wtime 1000 btime 1000 movestogo 0", clock(second, second, 0, 0), ""},
		{"wtime 1000 btime 1000 movestogo -3", clock(second, second, 0, 0), ""},
		{"wtime 1000 btime 1000 movestogo 12", clock(second, second, 0, 12), ""},
		{"wtime 1000.5 btime 1000.0 winc 10.9 movestogo 3.0", clock(second, second, 10*time.Millisecond, 3), ""},
		{"wtime 1000,5 btime 1000", clock(second, second, 0, 0), ""},
		{"wtime 0.7 btime 1000", clock(0, second, 0, 0), ""},
		{"wtime .5 btime -.5", clock(0, 0, 0, 0), ""},
		{"wtime -20 btime 1000 winc -5", clock(-20*time.Millisecond, second, 0, 0), ""},
		{"wtime 99999999999999999999999 btime 1000", clock(most, second, 0, 0), ""},
		{"wtime -99999999999999999999999 btime 1000", clock(-most, second, 0, 0), ""},
		{"wtime 1000 wtime 2000 btime 5000", clock(2*second, 5*second, 0, 0), ""},
		{"wtime btime 1000", clock(second, second, 0, 0), "wtime: no value"},
		{"btime 1000", clock(second, second, 0, 0), ""},
		{"wtime btime", fallback, "wtime: no value"},
		{"wtime 1e5", fallback, "not a valid value"},
		{"wtime nan btime inf", fallback, "not a valid value"},
		{"wtime 12x btime 1000", clock(second, second, 0, 0), "not a valid value"},
		{"winc 10", search.Limits{MoveTime: unclear, Inc: [2]time.Duration{10 * time.Millisecond}}, ""},
		{"movestogo 0", fallback, ""},
		{"movetime 0", search.Limits{MoveTime: time.Millisecond}, ""},
		{"movetime -7", search.Limits{MoveTime: time.Millisecond}, ""},
		{"movetime 250.9", search.Limits{MoveTime: 250 * time.Millisecond}, ""},
		{"depth 0", search.Limits{Depth: 1}, ""},
		{"depth -4", search.Limits{Depth: 1}, ""},
		{"depth 99999999999999999999", search.Limits{Depth: 1 << 30}, ""},
		{"nodes 0", search.Limits{Nodes: 1}, ""},
		{"nodes -1", search.Limits{Nodes: 1}, ""},
		{"depth depth 3", search.Limits{Depth: 3}, "depth: no value"},
		{"movtime 100", fallback, `skipped "movtime 100"`},
		{"foo depth 3 bar", search.Limits{Depth: 3}, `skipped "foo bar"`},
		{"sure 0.95", search.Limits{Sure: 0.95}, ""},
		{"movetime 500 sure .9", search.Limits{MoveTime: 500 * time.Millisecond, Sure: 0.9}, ""},
		{"infinite sure 0.9", search.Limits{Infinite: true, Sure: 0.9}, ""},
		{"sure", fallback, "sure: no value"},
		{"sure depth 3", search.Limits{Depth: 3}, "sure: no value"},
		{"sure 95", fallback, "not a probability"},
		{"sure 1 depth 3", search.Limits{Depth: 3}, "not a probability"},
		{"sure nan", fallback, "not a probability"},
		{"sure -0.5", fallback, "not a probability"},
		{"searchmoves", fallback, "searchmoves: no move"},
		{"searchmoves depth 3", search.Limits{Depth: 3}, "searchmoves: no move"},
		{"ponder", search.Limits{Ponder: true, MoveTime: search.DefaultThink}, ""},
		{"infinite depth 3", search.Limits{Infinite: true, Depth: 3}, ""},
		{"", search.Limits{Infinite: true}, ""},
	} {
		start := board.StartPosition()
		got, errs := parseGo(strings.Fields(c.words), &start)
		said := ""
		for _, err := range errs {
			said += err.Error() + "; "
		}
		if got.SearchMoves != nil || !same(got, c.want) || (c.error == "") != (said == "") || !strings.Contains(said, c.error) {
			t.Errorf("go %s: %+v, %q, want %+v, %q", c.words, got, said, c.want, c.error)
		}
	}
}

// same compares limits without their moves.
func same(a, b search.Limits) bool {
	return a.Depth == b.Depth && a.Nodes == b.Nodes && a.Evals == b.Evals && a.Mate == b.Mate && a.MoveTime == b.MoveTime &&
		a.Infinite == b.Infinite && a.Ponder == b.Ponder && a.Time == b.Time && a.Inc == b.Inc && a.HasClock == b.HasClock &&
		a.MovesToGo == b.MovesToGo && a.Sure == b.Sure
}

// Every odd go is answered in time, with a legal move.
func TestOddGo(t *testing.T) {
	g := play(t, config(t))
	g.send("isready")
	g.until("readyok")
	for _, command := range []string{"go wtime 1000 btime 1000 movestogo 0", "go movetime 0", "go depth 0", "go nodes 0", "go nodes -3",
		"go wtime 0 btime 0", "go wtime -5000 btime 1000", "go wtime 300.7 btime 300.2", "go wtime btime 300", "go wtime", "go hello",
		"go mate", "go depth 2 depth", "go movetime 20 movetime 10", "go searchmoves e2e5 depth 2"} {
		begun := time.Now()
		g.send(command)
		check(t, board.StartPosition(), false, g.until("bestmove"))
		if took := time.Since(begun); took > 700*time.Millisecond { // a slow machine's time; 1 s would use the clock up
			t.Errorf("%s took %v", command, took)
		}
	}
}
