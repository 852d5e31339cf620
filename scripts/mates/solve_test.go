package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"tesla/board"
)

// The distances of known problems and endings, with and without what the fifty-move rule and a repetition make of them.
func TestDistance(t *testing.T) {
	for _, test := range []struct {
		fen   string
		moves []string
		want  int
	}{
		{fen: "6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1", want: 1},
		{fen: "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", want: 2}, // Paul Morphy
		{fen: "3K4/8/3k4/8/3r4/8/8/8 w - - 0 1", want: -2},
		{fen: "8/8/8/8/8/4k3/8/3rK3 w - - 0 1", want: 0}, // no mate: the rook falls
		{fen: "8/8/8/8/8/3k4/3r4/3K4 w - - 0 1", want: 0},
		{fen: "1k6/3R4/1K6/8/8/8/8/8 w - - 0 1", want: 1},
		{fen: "k7/8/2K5/8/8/8/8/7R w - - 0 1", want: 2},
		{fen: "k7/8/2K5/8/8/8/8/7R w - - 97 80", want: 2},
		{fen: "k7/8/2K5/8/8/8/8/7R w - - 98 80", want: 0}, // the clock is at 100 before the mate
		{fen: "k7/8/2K5/8/8/8/8/7R w - - 0 1", moves: []string{"h1g1", "a8b8", "g1h1", "b8a8"}, want: 2},
		{fen: "2k5/8/2K5/8/8/8/8/R7 w - - 0 1", want: 1},
	} {
		if n, err := distance(readGame(t, test.fen, test.moves), 4, 1_000_000); n != test.want || err != nil {
			t.Errorf("%s %v: %d, %v, want %d", test.fen, test.moves, n, err, test.want)
		}
	}
}

// The shortest mates of the file that tests of searchers use, and those that are said to be farther, are what it says.
func TestFile(t *testing.T) {
	const most = 2
	text, err := os.ReadFile("../../cmd/tesla/testdata/mates.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		want, err := strconv.Atoi(number)
		if err != nil {
			continue // a comment
		}
		if max(want, -want) > most {
			want = 0
		}
		fen, moves, _ := strings.Cut(strings.TrimPrefix(rest, "fen "), " moves ")
		if n, err := distance(readGame(t, fen, strings.Fields(moves)), most, 1_000_000); n != want || err != nil {
			t.Errorf("%s: %d, %v, within %d moves", line, n, err, most)
		}
	}
}

func readGame(t *testing.T, fen string, moves []string) *board.Game {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	g := board.NewGame(p)
	for _, text := range moves {
		m, err := g.Pos.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	return g
}

func BenchmarkDistance(b *testing.B) {
	p, err := board.ParseFEN("8/5k2/8/5K2/6R1/8/8/8 w - - 0 1")
	if err != nil {
		b.Fatal(err)
	}
	visits := 0
	for b.Loop() {
		s := newSolver(board.NewGame(p), 6, 1<<30)
		for n := 1; n <= 6; n++ {
			if _, err := s.mates(&p, n); err != nil {
				b.Fatal(err)
			}
		}
		visits += 1<<30 - s.left
	}
	b.ReportMetric(float64(visits)/float64(b.N), "positions/op")
}
