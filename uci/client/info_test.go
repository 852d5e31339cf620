package client

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
)

// TestParseInfo reads single lines.
func TestParseInfo(t *testing.T) {
	for _, c := range []struct {
		line, pv string
		want     search.Info
		scored   bool
	}{
		{"info depth 7 score cp 31 nodes 5 pv e2e4 e7e5", "e2e4 e7e5",
			search.Info{Depth: 7, MultiPV: 1, Score: search.Score{CP: 31}, Nodes: 5}, true},
		{"info depth 7 multipv 2 score cp 31 pv e2e4", "e2e4",
			search.Info{Depth: 7, MultiPV: 2, Score: search.Score{CP: 31}}, true},
		{"info score cp 60 lowerbound depth 8 pv e2e4", "e2e4",
			search.Info{Depth: 8, MultiPV: 1, Score: search.Score{CP: 60}, Bound: search.Lower}, true},
		{"info score cp 60 upperbound", "",
			search.Info{MultiPV: 1, Score: search.Score{CP: 60}, Bound: search.Upper}, true},
		{"info depth 9 score mate -3 nps 700", "",
			search.Info{Depth: 9, MultiPV: 1, Score: search.Score{Mate: -3}, NPS: 700}, true},
		{"info depth 7 pv", "", search.Info{Depth: 7, MultiPV: 1}, false},
		{"info string depth 99 score cp 1 pv e2e4", "", search.Info{MultiPV: 1}, false},
		{"info\tdepth  7   pv \t e2e4 ", "e2e4", search.Info{Depth: 7, MultiPV: 1}, false},
		{"info depth", "", search.Info{MultiPV: 1}, false},
		{"info depth 8 currmove e2e4", "", search.Info{Depth: 8, MultiPV: 1}, false},
	} {
		var i search.Info
		r, ok := parseInfo([]byte(c.line), &i)
		if !ok || string(r.pv) != c.pv || r.scored != c.scored || !reflect.DeepEqual(i, c.want) {
			t.Errorf("%q: %+v, scored %t, variation %q", c.line, i, r.scored, r.pv)
		}
	}
	if _, ok := parseInfo([]byte("inf depth 7 pv e2e4"), &search.Info{}); ok {
		t.Error("inf is read as info")
	}
}

// A move that failed high may be played; one that failed low is not the one to expect.
func TestFirstMoveOfBounds(t *testing.T) {
	start := board.StartPosition()
	for _, c := range []struct{ bound, want string }{{"lowerbound", "d2d4"}, {"upperbound", "e2e4"}} {
		var h heard
		h.reset(&start, false, true, 1)
		h.info([]byte("info depth 7 score cp 31 pv e2e4"))
		h.info([]byte("info depth 8 score cp 60 " + c.bound + " pv d2d4"))
		if got := start.UCI(h.pv.First, false); got != c.want {
			t.Errorf("after a %s: %s, want %s", c.bound, got, c.want)
		}
	}
}

// TestHeard reads the lines of one search: a bound counts only as long as there is no exact score, and the first line
// only for the score of the answer.
func TestHeard(t *testing.T) {
	start := board.StartPosition()
	for _, c := range []struct {
		lines []string
		want  search.Score
		depth int
		ranks string
	}{
		{[]string{"info depth 7 score cp 31 nodes 5 pv e2e4"}, search.Score{CP: 31}, 7, "e2e4 31"},
		{[]string{"info depth 9 score mate -3 pv e2e4", "info string depth 99 score cp 1"},
			search.Score{Mate: -3}, 9, "e2e4 -3#"},
		{[]string{"info depth 7 score cp 31 pv e2e4", "info depth 8 score cp 60 lowerbound pv d2d4"},
			search.Score{CP: 31}, 7, "e2e4 31"},
		{[]string{"info depth 8 score cp 60 lowerbound pv e2e4"}, search.Score{CP: 60}, 8, ""},
		{[]string{"info depth 8 multipv 1 score cp 60 pv d2d4", "info depth 8 multipv 2 score cp 1 pv c2c4"},
			search.Score{CP: 60}, 8, "d2d4 60, c2c4 1"},
		{[]string{"info depth 8 multipv 3 score cp 60 pv d2d4"}, search.Score{}, 0, ""},
		{[]string{"info depth 8 score cp 5 pv e2e5"}, search.Score{CP: 5}, 8, "0000 5"},
		{[]string{"info depth 8 currmove e2e4", "info", "bogus", "info depth"}, search.Score{}, 0, ""},
	} {
		var h heard
		h.reset(&start, false, true, 3)
		for _, l := range c.lines {
			h.info([]byte(l))
		}
		var ranks []string
		for _, l := range h.ranks {
			name := "0000"
			if l.Move != board.NullMove {
				name = start.UCI(l.Move, false)
			}
			text := fmt.Sprintf("%s %d", name, l.Score.CP)
			if l.Score.Mate != 0 {
				text = fmt.Sprintf("%s %d#", name, l.Score.Mate)
			}
			ranks = append(ranks, text)
		}
		if h.last.Score != c.want || h.last.Depth != c.depth || h.scored != (c.depth > 0) {
			t.Errorf("%q: %+v, want %+v at depth %d", c.lines, h.last, c.want, c.depth)
		}
		if strings.Join(ranks, ", ") != c.ranks {
			t.Errorf("%q: %q, want %q", c.lines, ranks, c.ranks)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]int{"": 0, "-": 0, "12": 12, "-7": -7, "1x": 0, "+3": 0, "007": 7} {
		if got := number([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if n := number(bytes.Repeat([]byte("9"), 400)); n < 1<<59 {
		t.Errorf("a huge number is %d", n)
	}
}

func TestSplitter(t *testing.T) {
	long := strings.Repeat("l", maxLine)
	text := "one\n\ntwo\r\n" + long + "\n" + long + "cut\n" + strings.Repeat("m", 3*maxLine) + "\nlast"
	want := []string{"one", "", "two\r", long, long, strings.Repeat("m", maxLine), "last"}
	for _, size := range []int{1, 7, 4096, 64 << 10, len(text)} {
		var s splitter
		var got []string
		line := func(b []byte) { got = append(got, string(b)) }
		for chunk := range slices.Chunk([]byte(text), size) {
			s.feed(chunk, line)
		}
		s.feed(nil, line)
		if !slices.Equal(got, want) || s.cuts != 2 {
			t.Errorf("pieces of %d: %d lines of %d, %d cut", size, len(got), len(want), s.cuts)
		}
	}
}

// start0 is some time.
var start0 = time.Now()

// listening is an engine without a process that searches the start position.
func listening() *Engine {
	e := &Engine{declared: map[string]Declaration{}, answers: make(chan answer, 1), awaited: "bestmove", searching: true}
	start := board.StartPosition()
	e.heard.reset(&start, false, true, 1)
	return e
}

// FuzzEngineOutput feeds any output to the reader in the middle of a search, in pieces.
func FuzzEngineOutput(f *testing.F) {
	f.Add([]byte("info depth 1 score cp 3 pv e2e4\nbestmove e2e4\n"), 3)
	f.Add([]byte("option name Hash type spin\nuciok\r\nreadyok\n\xff\x00info pv\nbestmove"), 1)
	f.Add([]byte("info score mate -99999999999999999999 lowerbound pv e1g1 e8g8\n"), 100)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		e := listening()
		for chunk := range slices.Chunk(text, max(1, min(size, len(text)))) {
			e.hear(chunk, start0)
		}
		e.hear(nil, start0)
		if h := &e.heard; h.last.Bound > search.Upper || h.scored != (h.last.MultiPV == 1) {
			t.Errorf("%+v", h.last)
		}
	})
}

// TestEngineOutputCostsNoMemory reads a flood of the same lines without an allocation.
func TestEngineOutputCostsNoMemory(t *testing.T) {
	e := listening()
	chunk := []byte("info depth 9 score cp 33 pv e2e4 e7e5\ninfo string \xff\n\ngarbage\ninfo depth 9 pv a1a1\nhalf a li")
	for range maxPVs { // past the variations that are checked, and what is kept of them
		e.hear(chunk, start0)
	}
	if n := testing.AllocsPerRun(1000, func() { e.hear(chunk, start0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkEngineOutput measures the rate at which info lines are read.
func BenchmarkEngineOutput(b *testing.B) {
	line := "info depth 9 seldepth 20 multipv 1 score cp 33 nodes 123456 nps 1000000 time 7 pv e2e4 e7e5 g1f3 b8c6 f1b5\n"
	chunk := bytes.Repeat([]byte(line), 64<<10/len(line))
	e := listening()
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		e.hear(chunk, start0)
	}
}
