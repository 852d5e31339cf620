package alphabeta

import (
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// Deepen is deepen of a position.
func (t *Thread) Deepen(p *board.Position, most int, nodes int64, stop func() bool) Line {
	t.begin(p, nil)
	return t.deepen(most, nodes, stop)
}

// Whatever the guess, aspiration windows end at the value of an open window.
func TestAspiration(t *testing.T) {
	const depth = aspirationDepth
	th := threadAt(t, Mode{Verify: true}, positions[2])
	want := th.search(0, depth, -infinite, infinite, false)
	for _, off := range []int{0, 1, -1, aspirationWindow, -aspirationWindow, 120, -120, 3000, -3000} {
		for _, widen := range []int{0, windowStep} {
			th.table.Clear()
			th.widen = widen
			if got := th.aspire(depth, want+off); got != want {
				t.Errorf("guess %d off, windows wider by %d: %d, want %d", off, widen, got, want)
			}
		}
	}
}

// A wrong guess costs nodes, and a good one saves some: the window is used.
func TestAspirationNarrows(t *testing.T) {
	nodes := func(off int) int64 {
		th := threadAt(t, Mode{}, middleGame)
		guess := th.Deepen(&th.pos[0], 5, 0, nil).Score
		th.table.Clear()
		before := th.nodes
		th.aspire(6, guess+off)
		return th.nodes - before
	}
	if good, bad := nodes(0), nodes(400); good >= bad {
		t.Errorf("%d nodes by a good guess, %d by a bad one", good, bad)
	}
}

func TestDeepen(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	p := th.pos[0]
	whole := th.Deepen(&p, 6, 0, nil)
	if whole.Depth != 6 || len(whole.PV) == 0 || whole.SelDepth < 2 || th.Evals() == 0 {
		t.Errorf("%+v, %d values, %d nodes", whole, th.Evals(), th.nodes)
	}
	nodes := th.nodes
	fresh := func() *Thread { return threadAt(t, Mode{}, middleGame) }
	th = fresh()
	if line := th.Deepen(&p, 6, nodes/2, nil); line.Depth >= 6 || line.Depth < 1 || th.nodes > nodes/2 {
		t.Errorf("half the nodes: depth %d, %d of %d nodes", line.Depth, th.nodes, nodes/2)
	}
	asked := 0
	th = fresh()
	line := th.Deepen(&p, MaxDepth, 0, func() bool { asked++; return asked > 5 })
	if line.Depth < 1 || th.nodes > 6*stopNodes || !th.ended {
		t.Errorf("stopped at the sixth question: depth %d, %d nodes", line.Depth, th.nodes)
	}
	if line := fresh().Deepen(&p, 6, 0, func() bool { return true }); len(line.PV) != 0 || line.Depth != 0 {
		t.Errorf("stopped at once: %+v", line)
	}
	if line := fresh().Deepen(&p, MaxDepth+10, 200, nil); line.Depth > MaxDepth {
		t.Errorf("depth %d", line.Depth)
	}
}

// A position without legal moves has a score and no line.
func TestDeepenWithoutMoves(t *testing.T) {
	for fen, want := range map[string]int{
		"7k/5K2/6Q1/8/8/8/8/8 b - - 0 1":    0,
		"R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1": search.MatedIn(0),
	} {
		p := boardtest.Position(t, fen)
		if line := threadAt(t, Mode{}, fen).Deepen(&p, 3, 0, nil); line.Score != want || len(line.PV) != 0 {
			t.Errorf("%s: %+v, want %d", fen, line, want)
		}
	}
}

// An iteration that is cut short gives the line of the best move so far.
func TestIterateStopped(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	if line, ok := th.iterate(3, 0); !ok || line.Depth != 3 || len(line.PV) == 0 {
		t.Fatalf("%+v, %t", line, ok)
	}
	th = threadAt(t, Mode{}, middleGame)
	th.limit = 3000
	line, ok := th.iterate(12, 0)
	if ok || !th.stopped || th.nodes > 3000 {
		t.Errorf("%t, %d nodes", ok, th.nodes)
	}
	if len(line.PV) > 0 && !th.pos[0].IsLegal(line.PV[0]) {
		t.Errorf("the line begins with %v", line.PV[0])
	}
	th.roots = []board.Move{moveOf(t, &th.pos[0], "a2a3")}
	th.limit, th.stopped, th.ended = 0, false, false
	if line, ok := th.iterate(2, 0); !ok || line.PV[0] != th.roots[0] {
		t.Errorf("one root move: %v, %t", line.PV, ok)
	}
}

// The value of any window is exact inside it and the right bound outside.
func TestFailSoft(t *testing.T) {
	const depth = 3
	for _, fen := range positions {
		exact := exactThread(t, fen)
		want := minimax(exact, 0, depth)
		th := exactThread(t, fen)
		for _, w := range [][2]int{{-infinite, infinite}, {want - 1, want + 1}, {want, want + 1}, {want - 1, want}, {want + 50, want + 90}, {want - 90, want - 50}} {
			switch got := th.search(0, depth, w[0], w[1], w[1]-w[0] == 1); {
			case want <= w[0] && (got < want || got > w[0]), want >= w[1] && (got > want || got < w[1]), want > w[0] && want < w[1] && got != want:
				t.Errorf("%s: window (%d, %d) gives %d, minimax %d", fen, w[0], w[1], got, want)
			}
		}
	}
}

// A mate score counts the plies from the root, wherever the table has it from, and the line is as long as the mate.
func TestMateDistance(t *testing.T) {
	th := threadAt(t, Mode{}, "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1")
	root := th.pos[0]
	line := th.Deepen(&root, 12, 0, nil)
	if line.Score != search.MateIn(5) || len(line.PV) != 5 {
		t.Fatalf("%d in %d plies, want %d", line.Score, len(line.PV), search.MateIn(5))
	}
	for ply, m := range append([]board.Move(nil), line.PV...) {
		root = root.After(m)
		left := 4 - ply
		want := search.MateIn(left)
		if left%2 == 0 {
			want = search.MatedIn(left)
		}
		if got := th.Deepen(&root, 12, 0, nil).Score; got != want {
			t.Errorf("after %d plies: %d, want %d", ply+1, got, want)
		}
	}
}

// Verify that the drivers' hooks are asked: a useless value unwinds, but does not end the search.
func TestUseless(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	asked := 0
	th.useless = func() bool { asked++; return asked > 10 }
	th.search(0, 10, -infinite, infinite, false)
	if !th.stopped || th.ended || th.nodes > 11*uselessNodes+quietPlies {
		t.Errorf("stopped %t, ended %t after %d nodes", th.stopped, th.ended, th.nodes)
	}
}
