package games

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
)

const initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

func TestText(t *testing.T) {
	var g *Game
	if err := Each(strings.NewReader(initial+";0.5;f2f3:10 e7e5:-20 g2g4:30 d8h4:31999\n"),
		func(x *Game) error { g = x; return nil }); err != nil {
		t.Fatal(err)
	}
	var scores [][2]int16
	var results []int8
	end, err := g.Labels(func(ply int, p *board.Position, m board.Move) error {
		scores = append(scores, g.Scores(ply))
		results = append(results, g.ResultFor(p))
		return nil
	})
	if err != nil || !end.InCheck() || end.HasLegalMove() || g.Result != -1 {
		t.Errorf("end %s, result %d, error %v; want mate", end.FEN(false), g.Result, err)
	}
	want := [][2]int16{{10, 30}, {-20, 31999}, {30, Missing}, {31999, Missing}}
	for i, s := range scores {
		if s != want[i] || results[i] != int8(2*(i&1)-1) {
			t.Errorf("ply %d: scores %v result %d, want %v and %d", i, s, results[i], want[i], 2*(i&1)-1)
		}
	}
}

// TestTextLines reads lines as an editor on Windows writes them.
func TestTextLines(t *testing.T) {
	var plies, numbers []int
	if err := Text(strings.NewReader("\ufeff"+initial+";0.5;e2e4:1\r\n\r\n"+initial+";1;\r\n \r\n"), func(g *Game) error {
		plies, numbers = append(plies, len(g.Plies)), append(numbers, int(g.Number))
		return nil
	}); err != nil || fmt.Sprint(plies, numbers) != "[1 0] [0 1]" {
		t.Errorf("games of %v plies with the numbers %v: %v", plies, numbers, err)
	}
}

func TestTextErrors(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"nothing", "line 1: 1 fields"},
		{initial + ";2;e2e4:1", `line 1: result "2"`},
		{"8/8 w - - 0 1;1;e2e4:1", "line 1: start position"},
		{initial + ";1;e2e4", `line 1: ply 1 "e2e4": no score`},
		{initial + ";1;e2e4:40000", "no score"},
		{initial + ";1;e2e4:1\n" + initial + ";1;e2e4:1 e2e4:1", "line 2: ply 2"},
	} {
		if err := Text(strings.NewReader(test.line+"\n"), func(*Game) error { return nil }); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.line, err, test.want)
		}
	}
}

// Results are those of the rules, whatever the text says.
func TestCorrect(t *testing.T) {
	for _, test := range []struct {
		line string
		want int8
	}{
		{initial + ";0.5;f2f3:10 e7e5:-20 g2g4:30 d8h4:31999", -1},
		{"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1;0.5;a1a8:31999", 1},
		{"7k/8/5K2/8/8/8/8/6Q1 w - - 0 1;1;g1g6:0", 0},
		{initial + ";1;e2e4:30", 1},
	} {
		if err := Each(strings.NewReader(test.line), func(g *Game) error {
			if g.Result != test.want {
				t.Errorf("%s: result %d", test.line, g.Result)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

// Both forms hold the same games, and their statistics are right.
func TestEach(t *testing.T) {
	text := initial + ";1;e2e4:30 e7e5:-20 d1h5:700 b8c6:0 f1c4:50 g8f6:-31998 h5f7:31999\n" + initial +
		";0.5;e2e4:30 e7e5:-20\n" +
		initial + ";0.5;e2e4:30 e7e5:-20\n"
	var all []*Game
	if err := Each(strings.NewReader(text), func(g *Game) error { all = append(all, g); return nil }); err != nil {
		t.Fatal(err)
	}
	path, data := write(t, all)
	again, err := ReadFile(path)
	if err != nil || len(again) != 3 {
		t.Fatalf("%d games, %v", len(again), err)
	}
	gather := NewGather()
	for _, g := range again {
		if err := gather.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	s := gather.Done()
	if s.White != 1 || s.Draws != 2 || s.Positions != 11 || s.Distinct != 7 || s.Repeated != 1 || s.Captures != 1.0/11 ||
		s.Mates != 2.0/11 || s.Decided != 3.0/11 {
		t.Errorf("%+v", s)
	}
	if err := Each(bytes.NewReader(data[:len(data)-1]), func(*Game) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "byte") {
		t.Errorf("a torn file: %v", err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Error(err)
	}
}
