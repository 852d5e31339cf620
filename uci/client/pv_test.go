package client

import (
	"fmt"
	"strings"
	"testing"

	"tesla/board"
)

func TestPVChecker(t *testing.T) {
	start := board.StartPosition()
	e4, err := start.ParseMove("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lines   []string // "-" before one of another line than the first
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
		var w PVChecker
		w.Reset(&start, false)
		for _, l := range c.lines {
			text, second := strings.CutPrefix(l, "-")
			w.checkText([]byte(text), !second)
		}
		known := c.first == e4
		if w.Illegal != c.illegal || w.Example != c.example || known != (w.First == e4) {
			t.Errorf("%q: %d illegal, %q, first %v", c.lines, w.Illegal, w.Example, w.First)
		}
		var inner PVChecker
		inner.Reset(&start, false)
		for _, l := range c.lines {
			text, second := strings.CutPrefix(l, "-")
			inner.Moves(blindly(start, text), !second)
		}
		if inner.Illegal != c.illegal || inner.First != w.First {
			t.Errorf("%q: in process %d illegal, first %v", c.lines, inner.Illegal, inner.First)
		}
	}
}

// blindly reads moves. In place of the first illegal one it ends with a move that no piece can make.
func blindly(p board.Position, text string) []board.Move {
	var pv []board.Move
	for _, word := range strings.Fields(text) {
		m, err := p.ParseMove(word)
		if err != nil {
			return append(pv, 0xfff)
		}
		pv = append(pv, m)
		p = p.After(m)
	}
	return pv
}

// TestPVCheckerIsBounded checks no more than maxPVs variations, and then does not know the first move.
func TestPVCheckerIsBounded(t *testing.T) {
	start := board.StartPosition()
	var w PVChecker
	w.Reset(&start, false)
	for i := range maxPVs + 5 {
		w.checkText(fmt.Appendf(nil, "e2e4 x%d", i), true)
	}
	if w.Illegal != maxPVs || w.First != board.NullMove {
		t.Errorf("%d, %v", w.Illegal, w.First)
	}
}

// TestFirstMovesAlone checks the first moves of variations alone, as for training data.
func TestFirstMovesAlone(t *testing.T) {
	start := board.StartPosition()
	var c PVChecker
	c.reset(&start, false, false, 1)
	if m := c.checkText([]byte("e2e4 e2e4"), true); c.Illegal != 0 || start.UCI(m, false) != "e2e4" {
		t.Errorf("%v, %d illegal", m, c.Illegal)
	}
	if m := c.checkText([]byte("e2e5 e7e5"), true); c.Illegal != 1 || m != board.NullMove {
		t.Errorf("%v, %d illegal", m, c.Illegal)
	}
}
