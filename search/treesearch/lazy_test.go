package treesearch

import (
	"slices"
	"testing"

	"tesla/batcher"
	"tesla/board"
)

// Evaluate orders the moves of a node that a leaf opens, and evaluates the position after the first of them. Others it leaves
// as they are.
func TestOpens(t *testing.T) {
	for _, c := range []struct {
		fen  string
		over bool
	}{
		{"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3", false},
		{"k7/8/1K6/8/8/8/8/7R b - - 0 1", true}, // Kb8 and Rh8 mates
		{"k7/8/1K6/1p6/8/8/8/7R b - - 0 1", true},
	} {
		p, err := board.ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		lazy := batcher.LazyOf(batcher.NewMock(batcher.Options{}))
		o := &orders{fill: lazy.Policies(), policy: NewPolicy(1)}
		leaves := []Leaf{{Opens: true}, {}}
		v := valuesOnly{lazy, func(ref uint32) *Leaf { return &leaves[ref] }, make(chan *orders, 1)}
		v.free <- o
		items := []*batcher.Item{{Ref: 0, Position: p}, {Ref: 1, Position: p}}
		if err := v.Evaluate(items); err != nil {
			t.Fatal(err)
		}
		want := batcher.Item{Position: p}
		var leaf Leaf
		o.order(&want, &leaf)
		l := &leaves[0]
		if !slices.Equal(l.Moves, want.Moves) || l.Order.keys != leaf.Order.keys || l.Over != c.over {
			t.Errorf("%s: moves %v, over %v", c.fen, l.Moves, l.Over)
		}
		var child board.Position
		first, _ := l.Order.At(0)
		p.Make(l.Moves[first], &child)
		after := batcher.Item{Position: child}
		if err := lazy.EvaluateValues([]*batcher.Item{&after}); err != nil || items[0].Position != child || items[0].Eval != after.Eval {
			t.Errorf("%s: %v, %+v, want %+v", c.fen, err, items[0].Eval, after.Eval)
		}
		if items[1].Position != p || len(leaves[1].Moves) > 0 {
			t.Errorf("%s: a leaf that opens nothing is another", c.fen)
		}
	}
}
