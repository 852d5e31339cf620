package main

import (
	"bufio"
	"strings"
	"testing"

	"tesla/board"
)

// said is what an engine says of two positions. A bound and a current move are no whole iteration, and counts replace
// those before them.
const said = `info depth 1 nodes 20 pv e2e4
info depth 2 score cp 5 nodes 400 pv e2e4
info depth 3 currmove e2e4 currmovenumber 1
info depth 3 score cp 9 lowerbound nodes 900 pv e2e4
info string ruler nodes=10 end-cut=4 cut-first=3 quiet=10
bestmove e2e4
info depth 4 nodes 10000 pv e2e4
info string ruler nodes=30 end-cut=8 end-low=2 cut-first=6 quiet=10 late1=5 late-plies=5 high1=1
bestmove e2e4
`

func TestTable(t *testing.T) {
	c, lines := counts{}, bufio.NewScanner(strings.NewReader(said))
	for range 2 {
		if err := c.read(lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.read(lines); err == nil {
		t.Error("no error where the engine has ended")
	}
	var table strings.Builder
	write(&table, []string{"it"}, []counts{c})
	text := strings.Join(strings.Fields(table.String()), " ")
	for _, want := range []string{
		"| nominal depth | 3.0 |", "| effective branching factor | 15.00 |", "| quiescence nodes, of all | 25.0 % |",
		"| nodes that end by a cut of a move | 80.0 % |", "| cut by the first move | 75.0 % |",
		"| mean reduction of late moves | 1.00 |", "| of these, failing high | 20.0 % |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

func TestPositions(t *testing.T) {
	n := 0
	for fen := range strings.Lines(positions) {
		if _, err := board.ParseFEN(strings.TrimSpace(fen)); err != nil {
			t.Errorf("%q: %v", fen, err)
		}
		n++
	}
	if n != 60 {
		t.Errorf("%d positions", n)
	}
}
