package games

import (
	"strings"
	"testing"

	"tesla/board"
)

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

func TestPlay(t *testing.T) {
	g, err := Parse(start + ";0;f2f3:10 e7e5:-20 g2g4:30 d8h4:31999")
	if err != nil {
		t.Fatal(err)
	}
	var scores [][2]int16
	var results []int8
	end, err := g.Play(len(g.Plies), func(ply int, pos *board.Position, m board.Move) error {
		scores = append(scores, g.Scores(ply))
		results = append(results, g.ResultFor(pos))
		return nil
	})
	if err != nil || !end.InCheck() || end.HasLegalMove() {
		t.Errorf("end %s, error %v; want mate", end.FEN(false), err)
	}
	want := [][2]int16{{10, 30}, {-20, 31999}, {30, Missing}, {31999, Missing}}
	for i, s := range scores {
		if s != want[i] || results[i] != int8(2*(i&1)-1) {
			t.Errorf("ply %d: scores %v result %d, want %v and %d", i, s, results[i], want[i], 2*(i&1)-1)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"nothing", "line 1: 1 fields"},
		{start + ";2;e2e4:1", `line 1: result "2"`},
		{"8/8 w - - 0 1;1;e2e4:1", "line 1: start position"},
		{start + ";1;e2e4", `line 1: ply 1 "e2e4": no score`},
		{start + ";1;e2e4:40000", "no score"},
		{start + ";1;e2e4:1 e2e4:1", "line 1: ply 2"},
	} {
		err := Lines(strings.NewReader(test.line+"\n"), func(_ int, line string) error {
			g, err := Parse(line)
			if err != nil {
				return err
			}
			_, err = g.Play(len(g.Plies), func(int, *board.Position, board.Move) error { return nil })
			return err
		})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.line, err, test.want)
		}
	}
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		line string
		want int8
	}{
		{start + ";0.5;f2f3:10 e7e5:-20 g2g4:30 d8h4:31999", -1},
		{"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1;0.5;a1a8:31999", 1},
		{"7k/8/5K2/8/8/8/8/6Q1 w - - 0 1;1;g1g6:0", 0},
		{start + ";1;e2e4:30", 1},
	} {
		if g, err := Read(test.line); err != nil || g.Result != test.want {
			t.Errorf("%s: error %v, or not result %d", test.line, err, test.want)
		}
	}
}
