package alphabeta

import (
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
	"tesla/tt128"
)

// A leaf has the value and the move of a search to its depth, and of a deeper one where more plies are asked for.
func TestLeaf(t *testing.T) {
	const depth = 3
	for _, fen := range positions {
		p := boardtest.Position(t, fen)
		for _, further := range []int{0, 2} {
			leaf := NewLeaf(net(t), table(t), depth)
			cp, best := leaf.Leaf(&p, []uint64{p.Key}, 0, further, nil)
			th := threadAt(t, Mode{}, fen)
			line := th.Deepen(&p, depth+further, 0, nil)
			if cp != line.Score || best != line.PV[0] {
				t.Errorf("%s, %d further: %d by %v, want %d by %v", fen, further, cp, best, line.Score, line.PV[0])
			}
			if leaf.Evals() == 0 || leaf.Evals() != th.Evals() {
				t.Errorf("%s: %d values, want %d", fen, leaf.Evals(), th.Evals())
			}
		}
	}
}

// A leaf where the game is over has a score and no move; one that is stopped at once, neither.
func TestLeafWithoutMove(t *testing.T) {
	never, at := func() bool { return false }, func() bool { return true }
	for name, c := range map[string]struct {
		fen  string
		stop func() bool
		want int
	}{
		"mated":     {"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", never, search.MatedIn(0)},
		"stalemate": {"7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", never, 0},
		"stopped":   {middleGame, at, 0},
	} {
		p := boardtest.Position(t, c.fen)
		if cp, best := NewLeaf(net(t), table(t), 3).Leaf(&p, []uint64{p.Key}, 0, 0, c.stop); cp != c.want || best != board.NullMove {
			t.Errorf("%s: %d by %v, want %d", name, cp, best, c.want)
		}
	}
}

// A leaf finds a mate that a static value does not see.
func TestLeafFindsMate(t *testing.T) {
	p := boardtest.Position(t, "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1")
	if cp, best := NewLeaf(net(t), table(t), 2).Leaf(&p, []uint64{p.Key}, 0, 0, nil); cp != search.MateIn(1) || p.UCI(best, false) != "b1b8" {
		t.Errorf("%d by %s", cp, p.UCI(best, false))
	}
}

// The search of a leaf knows what was played and what its line holds: it takes the second occurrence of a position of
// the line for a draw, and the third of one that was played.
func TestLeafRepeats(t *testing.T) {
	p := boardtest.Position(t, "6k1/6p1/8/7Q/8/8/qr6/7K w - - 20 40") // a rook down; all but checks lose
	m, err := p.ParseMove("h5e8")
	if err != nil {
		t.Fatal(err)
	}
	check := p.After(m)
	for name, c := range map[string]struct {
		keys  []uint64
		game  int
		drawn bool
	}{
		"nothing":       {[]uint64{p.Key}, 0, false},
		"on the line":   {[]uint64{check.Key, 1, 2, p.Key}, 0, true},
		"played":        {[]uint64{check.Key, 1, 2, p.Key}, 3, false},
		"played twice":  {[]uint64{check.Key, 1, 2, 3, check.Key, 1, 2, p.Key}, 7, true},
		"once and once": {[]uint64{check.Key, 1, 2, 3, check.Key, 1, 2, p.Key}, 4, true},
	} {
		if cp, best := NewLeaf(net(t), table(t), 1).Leaf(&p, c.keys, c.game, 0, nil); (cp == 0 && p.UCI(best, false) == "h5e8") != c.drawn {
			t.Errorf("%s: %d by %s, a draw: want %v", name, cp, p.UCI(best, false), c.drawn)
		}
	}
}

// A leaf has the bounds and the move of a deeper search by a searcher before, which the table keeps; not those of its own.
func TestLeafKnows(t *testing.T) {
	p := boardtest.Position(t, middleGame)
	m := p.LegalMoves(nil)[1]
	for name, c := range map[string]struct {
		lower, upper, draft int
		handed              bool
		want                int // 0: the leaf's own value
	}{
		"exact":   {500, 500, 9, true, 500},
		"lower":   {500, infinite, 9, true, 500},
		"upper":   {-infinite, -500, 9, true, -500},
		"open":    {-500, 500, 9, true, 0},
		"shallow": {500, 500, 4, true, 0},
		"own":     {500, 500, 9, false, 0},
	} {
		tb := table(t)
		leaf := NewLeaf(net(t), tb, 3)
		own, best := leaf.Leaf(&p, []uint64{p.Key}, 0, 2, nil)
		leaf.Forget()
		tb.Clear()
		entry := tt128.NewDraft(c.lower, c.upper, c.draft, m, false)
		tb.Store(p.Key, 0, entry)
		if c.handed {
			tb.HandOver()
		}
		cp, move := leaf.Leaf(&p, []uint64{p.Key}, 0, 2, nil)
		if c.want == 0 {
			c.want = own
		}
		if known := c.handed && c.draft > 5; cp != c.want || (move == m) != known || m == best {
			t.Errorf("%s: %d by %v, want %d; the move of the entry is %v", name, cp, move, c.want, m)
		}
		if kept, _ := tb.Probe(p.Key, 0); (kept.Draft() == c.draft) != (c.draft == 9 && c.handed) {
			t.Errorf("%s: the table has %d plies", name, kept.Draft())
		}
	}
}
