package batcher

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tesla/board"
	"tesla/models/eut"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// Each output that is wrong is named, with the position.
func TestCheck(t *testing.T) {
	good := func() *Item {
		it := &Item{Position: board.StartPosition()}
		it.Moves = it.Position.LegalMoves(nil)[:3]
		it.Eval, it.Policy = Eval{W: 0.5, D: 0.3, L: 0.2, Q: 0.3, Sigma: 0.1}, []float32{0.5, 0.25, 0.25}
		return it
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		spoil func(it *Item)
		want  string
	}{
		"NaN win":            {func(it *Item) { it.Eval.W = nan }, "output value"},
		"infinite loss":      {func(it *Item) { it.Eval.L = inf }, "output value"},
		"negative draw":      {func(it *Item) { it.Eval.D = -0.01 }, "output value"},
		"sum below 1":        {func(it *Item) { it.Eval.W -= 0.002 }, "sum to"},
		"sum above 1":        {func(it *Item) { it.Eval.D += 0.002 }, "sum to"},
		"NaN score":          {func(it *Item) { it.Eval.Q = nan }, "expected score"},
		"score above 1":      {func(it *Item) { it.Eval.Q = 1.01 }, "expected score"},
		"NaN sigma":          {func(it *Item) { it.Eval.Sigma = nan }, "output sigma"},
		"infinite sigma":     {func(it *Item) { it.Eval.Sigma = inf }, "output sigma"},
		"sigma of 0":         {func(it *Item) { it.Eval.Sigma = 0 }, "output sigma"},
		"NaN policy":         {func(it *Item) { it.Policy[1] = nan }, "output policy"},
		"infinite policy":    {func(it *Item) { it.Policy[1] = inf }, "output policy"},
		"negative policy":    {func(it *Item) { it.Policy[2] = -0.01 }, "output policy"},
		"policy sum":         {func(it *Item) { it.Policy[0] = 0.49 }, "sum to 0.99"},
		"length of a policy": {func(it *Item) { it.Policy = it.Policy[:2] }, "2 probabilities for 3 moves"},
	} {
		it := good()
		test.spoil(it)
		err := it.Check()
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), it.Position.FEN(false)) {
			t.Errorf("%s: %v, want an error with %q and the position", name, err, test.want)
		}
	}
	// Half precision rounds each output. Its steps below 1 are 2^-11, so this is the worst that a net's answer becomes.
	it := good()
	it.Eval.W, it.Eval.D, it.Eval.L = 0.5+1.0/4096, 0.3+1.0/8192, 0.2+1.0/8192
	if err := it.Check(); err != nil {
		t.Errorf("an answer in half precision: %v", err)
	}
}

// Answer refuses what a graph must not say, before it hides it: probabilities are brought to a sum of one.
func TestAnswer(t *testing.T) {
	position := board.StartPosition()
	moves := position.LegalMoves(nil)
	index, _ := eut.PolicyIndex(&position, moves[3])
	logits := func(v float32) []float32 {
		l := make([]float32, eut.PolicySize)
		l[index] = v
		return l
	}
	for name, test := range map[string]struct {
		wdl    []float32
		sigma  float32
		policy []float32
		want   string // empty: a good answer
	}{
		"good":           {[]float32{0.5, 0.3, 0.2}, 0.1, logits(2), ""},
		"rounded":        {[]float32{0.5003, 0.3, 0.2}, 0.1, logits(-2), ""},
		"one likely":     {[]float32{0.5, 0.3, 0.2}, 0.1, logits(80), ""},
		"sum":            {[]float32{0.5, 0.4, 0.2}, 0.1, logits(2), "output value"},
		"zeros":          {[]float32{0, 0, 0}, 0.1, logits(2), "output value"},
		"NaN":            {[]float32{nan, 0.3, 0.2}, 0.1, logits(2), "output value"},
		"sigma":          {[]float32{0.5, 0.3, 0.2}, nan, logits(2), "output sigma"},
		"NaN logit":      {[]float32{0.5, 0.3, 0.2}, 0.1, logits(nan), "output policy"},
		"infinite logit": {[]float32{0.5, 0.3, 0.2}, 0.1, logits(inf), "output policy"},
	} {
		it := &Item{Position: position, Moves: moves}
		err := it.Answer(test.wdl, []float32{test.sigma}, test.policy)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want an error with %q", name, err, test.want)
			}
			continue
		}
		if sum := it.Eval.W + it.Eval.D + it.Eval.L; err != nil || math.Abs(float64(sum-1)) > 1e-6 {
			t.Errorf("%s: %v, the sum is %v", name, err, sum)
		}
		if best := slices.Index(it.Policy, slices.Max(it.Policy)); test.policy[index] > 0 && best != 3 {
			t.Errorf("%s: move %d is the likeliest, want 3", name, best)
		}
	}
}

// BenchmarkAnswer sets what the check costs (check) beside all of Answer; a transformer takes some 100,000 ns for a
// position.
func BenchmarkAnswer(b *testing.B) {
	items := Walk(256)
	wdl, sigma, policy := []float32{0.5, 0.3, 0.2}, []float32{0.1}, make([]float32, eut.PolicySize)
	for _, it := range items {
		if err := it.Answer(wdl, sigma, policy); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("all", func(b *testing.B) {
		for i := range b.N {
			if err := items[i%len(items)].Answer(wdl, sigma, policy); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		for i := range b.N {
			if err := items[i%len(items)].Check(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
