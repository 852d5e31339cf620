package siblings

import (
	"math"
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/board/boardtest"
)

// The king has one legal move: it captures the queen.
const file = "7k/8/8/8/8/8/8/Kq6 w - - 0 1;a1b1:0\n"

func TestRead(t *testing.T) {
	all, err := Read(strings.NewReader(file))
	if err != nil || len(all) != 1 || len(all[0].Children) != 1 || all[0].Labels[0] != 0.5 {
		t.Fatalf("%+v, %v", all, err)
	}
	for text, want := range map[string]string{
		"":                             "no position",
		"7k/8/8/8/8/8/8/Kq6 w - - 0 1": "line 1: want FEN;move:score move:score",
		file + "rubbish;e2e4:1":        "line 2: FEN",
		file + file + "7k/8/8/8/8/8/8/K7 w - - 0 1;a1a2:1": "line 3: 1 moves have labels, 3 are legal",
		"7k/8/8/8/8/8/8/Kq6 w - - 0 1;a1b1:x":              "want move:centipawns",
		"7k/8/8/8/8/8/8/Kq6 w - - 0 1;a1a2:1":              "a1a2",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The values' own choice is judged by the labels: the best move loses nothing, another what it is worth less.
func TestMeasure(t *testing.T) {
	all := []Position{{Labels: []float64{0.9, 0.5, 0.51}}, {Labels: []float64{0.2, 0.6}}}
	for _, c := range []struct {
		values  [][]float64
		loss    float64
		inOrder float64 // of three pairs: 0.50 and 0.51 are too close to count
	}{
		{[][]float64{{3, 1, 2}, {0, 1}}, 0, 1},
		{[][]float64{{1, 3, 2}, {0, 1}}, 0.2, 1.0 / 3},
		{[][]float64{{1, 1, 1}, {5, 5}}, 0.2, 0.5},
	} {
		i := 0
		r, err := Measure(t.Context(), all, func(*Position) ([]float64, error) { i++; return c.values[i-1], nil }, nil)
		if err != nil || math.Abs(r.Loss-c.loss) > 1e-9 || r.Pairs != 3 || math.Abs(r.InOrder-c.inOrder) > 1e-9 {
			t.Errorf("%v: %+v, %v; want loss %.2f, %.2f in order", c.values, r, err, c.loss, c.inOrder)
		}
	}
}

// The net's values are those of the side to move, so they are turned; the rules value a game that is over.
func TestByNet(t *testing.T) {
	all, err := Read(strings.NewReader("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1;" + labelled(t, "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	values, err := ByNet(func(items []*batcher.Item) error {
		calls++
		for _, it := range items {
			it.Eval.Q = -0.25
		}
		return nil
	}, 5)(&all[0])
	if err != nil || calls != (len(values)+4)/5 {
		t.Fatalf("%d values in %d calls of at most 5, %v", len(values), calls, err)
	}
	for move, want := range map[string]float64{"f1f8": 1, "f1f7": 0, "f1a1": 0.25} {
		for i, m := range all[0].Moves {
			if all[0].Board.UCI(m, false) == move && values[i] != want {
				t.Errorf("%s: value %v, want %v", move, values[i], want)
			}
		}
	}
}

// labelled gives every legal move the score 0.
func labelled(t *testing.T, fen string) string {
	p := boardtest.Position(t, fen)
	var b strings.Builder
	for _, m := range p.LegalMoves(nil) {
		b.WriteString(p.UCI(m, false) + ":0 ")
	}
	return b.String()
}
