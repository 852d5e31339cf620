package alphabeta

import (
	"slices"
	"testing"

	"tesla/board/boardtest"
	"tesla/internal/slow"
	"tesla/search"
)

// Without its selective parts the search finds the value of brute force.
func TestMinimax(t *testing.T) {
	slow.Test(t)
	for _, fen := range positions {
		p := boardtest.Position(t, fen)
		for depth := 1; depth <= 3; depth++ {
			exact := NewThread(net(t), table(t), Mode{Verify: true})
			exact.begin(&p, nil)
			want := minimax(exact, 0, depth)
			th := NewThread(net(t), table(t), Mode{Verify: true})
			if got := th.Deepen(&p, depth, 0, nil); got.Score != want {
				t.Errorf("%s: depth %d gives %d, minimax %d", fen, depth, got.Score, want)
			}
		}
	}
}

func TestFindsMates(t *testing.T) {
	for _, c := range []struct {
		fen, best string
		mate      int
	}{
		{"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", "d6d1", 3},
		{"7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", "", 1},
		{"r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7", 1},
		{"6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "b1b8", 1},
	} {
		p := boardtest.Position(t, c.fen)
		line := NewThread(net(t), table(t), Mode{}).Deepen(&p, 16, 0, nil)
		if got := search.ScoreFromCP(line.Score); got.Mate != c.mate || c.best != "" && p.UCI(line.PV[0], false) != c.best {
			t.Errorf("%s: %v by %s, want mate %d by %s", c.fen, got, p.UCI(line.PV[0], false), c.mate, c.best)
		}
	}
}

// The same search twice visits the same nodes, and its principal variation is legal.
func TestRepeats(t *testing.T) {
	th := NewThread(net(t), table(t), Mode{})
	for _, fen := range positions {
		p := boardtest.Position(t, fen)
		var nodes [2]int64
		var scores [2]int
		for i := range nodes {
			th.table.Clear()
			th.Forget()
			line := th.Deepen(&p, 9, 0, nil)
			nodes[i], scores[i] = th.nodes, line.Score
			for at, k := p, 0; k < len(line.PV); k++ {
				if !at.IsLegal(line.PV[k]) {
					t.Fatalf("%s: move %d of %v is not legal", fen, k, line.PV)
				}
				at = at.After(line.PV[k])
			}
		}
		if nodes[0] != nodes[1] || scores[0] != scores[1] {
			t.Errorf("%s: nodes %v, scores %v", fen, nodes, scores)
		}
	}
}

// Each mode searches other nodes to the same depth: without the selective parts there are more.
func TestModes(t *testing.T) {
	slow.Test(t)
	p := boardtest.Position(t, middleGame)
	count := func(mode Mode) int64 {
		th := NewThread(net(t), table(t), mode)
		th.Deepen(&p, 6, 0, nil)
		return th.nodes
	}
	if selective, plain, exact := count(Mode{}), count(Mode{Plain: true}), count(Mode{Verify: true}); 2*selective > plain || plain == exact {
		t.Errorf("%d nodes, plain %d, exact %d", selective, plain, exact)
	}
}

// A quiet move that cut stands well in its histories: it is not counted among those that failed before it.
func TestCutIsRewarded(t *testing.T) {
	th := NewThread(net(t), table(t), Mode{})
	p := boardtest.Position(t, middleGame)
	th.Deepen(&p, MaxDepth, 20_000, nil)
	best := max(slices.Max(th.history.butterfly[0][:]), slices.Max(th.history.butterfly[1][:]))
	if best < butterflyMax/4 {
		t.Errorf("the best history is %d of %d", best, butterflyMax)
	}
}

// A position of the game before the root is a draw the third time, one of the line the second time.
func TestRepetition(t *testing.T) {
	th := NewThread(net(t), table(t), Mode{})
	p := boardtest.Position(t, "7k/8/8/8/8/8/1R6/K7 w - - 40 60")
	const other = 1
	for _, c := range []struct {
		game []uint64 // before the position, which is last
		want bool
	}{
		{[]uint64{p.Key}, false},
		{[]uint64{p.Key, other, other, other, p.Key}, false},
		{[]uint64{p.Key, other, other, other, p.Key, other, other, other, p.Key}, true},
	} {
		th.begin(&p, c.game)
		if got := th.drawn(0); got != c.want {
			t.Errorf("%d positions before: drawn %v", len(c.game)-1, got)
		}
	}
	th.begin(&p, []uint64{p.Key})
	th.pos[4] = p
	if !th.drawn(4) {
		t.Error("a repetition in the line is no draw")
	}
}

func TestNoAllocation(t *testing.T) {
	th := NewThread(net(t), table(t), Mode{})
	p := boardtest.Position(t, middleGame)
	th.Deepen(&p, 6, 0, nil)
	if n := testing.AllocsPerRun(5, func() { th.Deepen(&p, 6, 0, nil) }); n > 0 {
		t.Errorf("%v allocations a search", n)
	}
}

// A value comes from the cache only for its own position, and is that of the net.
func TestValueCache(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	p := &th.pos[0]
	want := th.stack.Value(p)
	e := th.cached(p.Key)
	*e = (p.Key^1<<16)&^0xffff | 77 // of another position with the same lower bits
	for i := range 2 {
		was := th.stack.Evals()
		if got := th.value(p); got != want || th.stack.Evals() != was+1-int64(i) {
			t.Errorf("call %d: %d after %d evaluations, want %d", i, got, th.stack.Evals()-was, want)
		}
	}
	*e = *e&^0xffff | 0xffff
	if got := th.value(p); got != -1 {
		t.Errorf("%d from the cache, want -1", got)
	}
}
