package match

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tesla/board"
	"tesla/search"
)

func TestReadInfoPV(t *testing.T) {
	for _, c := range []struct {
		line, pv string
		leading  bool
	}{
		{"info depth 7 score cp 31 pv e2e4 e7e5", "e2e4 e7e5", true},
		{"info depth 7 multipv 2 score cp 31 pv e2e4", "e2e4", false},
		{"info depth 7 score cp 31 lowerbound pv e2e4", "e2e4", false},
		{"info depth 7 score cp 31 pv", "", true},
		{"info string pv e2e4", "", true},
		{"info\tdepth  7   pv \t e2e4 ", "e2e4", true},
		{"inf depth 7 pv e2e4", "", false},
	} {
		var r reply
		pv, leading := readInfo([]byte(c.line), &r)
		if string(pv) != c.pv || leading != c.leading {
			t.Errorf("%q: %q %v", c.line, pv, leading)
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

func TestPVWatch(t *testing.T) {
	start := board.StartPosition()
	e4, err := start.ParseMove("e2e4", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lines   []string // "-" before one that is not of the first line
		illegal int
		first   board.Move
		example string
	}{
		{[]string{"e2e4 e7e5 g1f3"}, 0, e4, ""},
		{[]string{"e2e4 e2e4"}, 1, e4, "e2e4 e2e4"},
		{[]string{"e2e5 e2e4"}, 1, board.NullMove, "e2e5 e2e4"},
		{[]string{"e2e4", "-d2d4", "-d2d5", "-d2d5"}, 2, e4, "d2d5"},
		{[]string{"f2f3 e7e5 g2g4 d8h4 a2a3"}, 1, board.Move(0), "f2f3 e7e5 g2g4 d8h4 a2a3"}, // beyond mate
		{[]string{""}, 0, board.NullMove, ""},
	} {
		var w pvWatch
		w.reset(&start, false)
		for _, l := range c.lines {
			text, second := strings.CutPrefix(l, "-")
			w.text([]byte(text), !second)
		}
		if w.illegal != c.illegal || w.example != c.example || c.first == e4 && w.first != e4 || c.first == 0 && w.first == e4 {
			t.Errorf("%q: %d illegal, %q, first %v", c.lines, w.illegal, w.example, w.first)
		}
		var inner pvWatch
		inner.reset(&start, false)
		for _, l := range c.lines {
			text, second := strings.CutPrefix(l, "-")
			inner.moves(blindly(start, text), !second)
		}
		if inner.illegal != c.illegal || inner.first != w.first {
			t.Errorf("%q: in process %d illegal, first %v", c.lines, inner.illegal, inner.first)
		}
	}
}

// blindly reads moves; one that is illegal is a move of nothing.
func blindly(p board.Position, text string) []board.Move {
	var pv []board.Move
	for _, word := range strings.Fields(text) {
		m, err := p.ParseMove(word, false)
		if err != nil {
			return append(pv, 0xfff)
		}
		pv = append(pv, m)
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	return pv
}

// TestPVWatchIsBounded checks no more than it should, and then says nothing of the move either.
func TestPVWatchIsBounded(t *testing.T) {
	start := board.StartPosition()
	var w pvWatch
	w.reset(&start, false)
	for i := range maxPVs + 5 {
		w.text(fmt.Appendf(nil, "e2e4 x%d", i), true)
	}
	if w.illegal != maxPVs || w.first != board.NullMove {
		t.Errorf("%d, %v", w.illegal, w.first)
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

// FuzzEngineOutput feeds an engine's reader, which must take anything: in the middle of a search, in pieces.
func FuzzEngineOutput(f *testing.F) {
	f.Add([]byte("info depth 1 score cp 3 pv e2e4\nbestmove e2e4\n"), 3)
	f.Add([]byte("option name Hash type spin\nuciok\r\nreadyok\n\xff\x00info pv\nbestmove"), 1)
	f.Add([]byte("info score mate -99999999999999999999 lowerbound pv e1g1 e8g8\n"), 100)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		e := &engine{options: map[string]bool{}, answers: make(chan answer, 1), awaited: "bestmove", searching: true}
		e.seat = &seat{}
		start := board.StartPosition()
		e.heard.pv.reset(&start, false)
		for chunk := range slices.Chunk(text, max(1, min(size, len(text)))) {
			e.hear(chunk, start0)
		}
		e.hear(nil, start0)
		if r := e.heard.reply; r.scored && r.info.Bound > search.Upper {
			t.Errorf("%+v", r)
		}
	})
}

// TestEngineOutputCostsNoMemory reads what repeats, as floods do, without making anything.
func TestEngineOutputCostsNoMemory(t *testing.T) {
	e := &engine{answers: make(chan answer, 1), awaited: "bestmove", searching: true, seat: &seat{}}
	start := board.StartPosition()
	e.heard.pv.reset(&start, false)
	chunk := []byte("info depth 9 score cp 33 pv e2e4 e7e5\ninfo string \xff\n\ngarbage\ninfo depth 9 pv a1a1\nhalf a li")
	for range maxPVs { // past the variations that are checked, and what is kept of them
		e.hear(chunk, start0)
	}
	if n := testing.AllocsPerRun(1000, func() { e.hear(chunk, start0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkEngineOutput is the rate at which info lines are understood.
func BenchmarkEngineOutput(b *testing.B) {
	line := "info depth 9 seldepth 20 multipv 1 score cp 33 nodes 123456 nps 1000000 time 7 pv e2e4 e7e5 g1f3 b8c6 f1b5\n"
	chunk := bytes.Repeat([]byte(line), 64<<10/len(line))
	e := &engine{answers: make(chan answer, 1), awaited: "bestmove", searching: true, seat: &seat{}}
	start := board.StartPosition()
	e.heard.pv.reset(&start, false)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		e.hear(chunk, start0)
	}
}
