package alphabeta

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/internal/slow"
	"tesla/models"
	"tesla/nnue"
	"tesla/search"
	"tesla/tt128"
)

var loadNet = sync.OnceValues(models.DefaultNNUE)

func net(t testing.TB) *nnue.Net {
	t.Helper()
	n, err := loadNet()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func table(t testing.TB) *tt128.Table {
	t.Helper()
	tt, err := tt128.New(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tt.Close() })
	return tt
}

const middleGame = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"

var positions = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	middleGame,
	"8/5k2/8/8/8/3K4/4P3/8 w - - 99 80",
	"4k2r/8/8/8/8/8/8/R3K3 b Qk - 3 10",
}

// minimax is the value that a search without any part must find: brute force to a depth, static leaves.
func minimax(t *Thread, ply, depth int) int {
	p := &t.pos[ply]
	if ply > 0 && t.drawn(ply) {
		return 0
	}
	if depth == 0 {
		return t.quiesce(ply, 0, -infinite, infinite)
	}
	best := -infinite
	for _, m := range p.LegalMoves(nil) {
		t.push(ply, m)
		best = max(best, -minimax(t, ply+1, depth-1))
		t.stack.Pop()
	}
	if best > -infinite {
		return best
	}
	if p.InCheck() {
		return tt128.Mated(ply)
	}
	return 0
}

// Without its selective parts the search finds the value of brute force.
func TestMinimax(t *testing.T) {
	for _, fen := range positions {
		p := boardtest.Position(t, fen)
		for depth := 1; depth <= 3; depth++ {
			exact := NewThread(net(t), table(t), Parts{Verify: true})
			exact.begin(&p, nil)
			want := minimax(exact, 0, depth)
			th := NewThread(net(t), table(t), Parts{Verify: true})
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
		line := NewThread(net(t), table(t), AllParts()).Deepen(&p, 16, 0, nil)
		if got := search.ScoreFromCP(line.Score); got.Mate != c.mate || c.best != "" && p.UCI(line.PV[0], false) != c.best {
			t.Errorf("%s: %v by %s, want mate %d by %s", c.fen, got, p.UCI(line.PV[0], false), c.mate, c.best)
		}
	}
}

// The same search twice visits the same nodes, and its principal variation is legal.
func TestRepeats(t *testing.T) {
	th := NewThread(net(t), table(t), AllParts())
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
				var next board.Position
				at.Make(line.PV[k], &next)
				at = next
			}
		}
		if nodes[0] != nodes[1] || scores[0] != scores[1] {
			t.Errorf("%s: nodes %v, scores %v", fen, nodes, scores)
		}
	}
}

// Each part changes the search, so that its switch is not dead.
func TestPartsMatter(t *testing.T) {
	slow.Test(t)
	p := boardtest.Position(t, middleGame)
	count := func(parts Parts) int64 {
		th := NewThread(net(t), table(t), parts)
		th.Deepen(&p, 15, 0, nil)
		return th.nodes
	}
	all := count(AllParts())
	for name, off := range map[string]func(*Parts){
		"NullMove":          func(p *Parts) { p.NullMove = false },
		"ReverseFutility":   func(p *Parts) { p.ReverseFutility = false },
		"Futility":          func(p *Parts) { p.Futility = false },
		"LateMovePruning":   func(p *Parts) { p.LateMovePruning = false },
		"LateMoveReduction": func(p *Parts) { p.LateMoveReduction = false },
		"SEEPruning":        func(p *Parts) { p.SEEPruning = false },
		"Singular":          func(p *Parts) { p.Singular = false },
		"InternalReduction": func(p *Parts) { p.InternalReduction = false },
		"Aspiration":        func(p *Parts) { p.Aspiration = false },
		"FailHighReduction": func(p *Parts) { p.FailHighReduction = false },
		"Butterfly":         func(p *Parts) { p.Butterfly = false },
		"CaptureHistory":    func(p *Parts) { p.CaptureHistory = false },
		"Continuation":      func(p *Parts) { p.Continuation = false },
		"Correction":        func(p *Parts) { p.Correction = false },
	} {
		parts := AllParts()
		off(&parts)
		if got := count(parts); got == all {
			t.Errorf("%s: %d nodes with and without it", name, got)
		}
	}
}

// A quiet move that cut stands well in its histories: it is not counted among those that failed before it.
func TestCutIsRewarded(t *testing.T) {
	th := NewThread(net(t), table(t), AllParts())
	p := boardtest.Position(t, middleGame)
	th.Deepen(&p, 8, 0, nil)
	best := max(slices.Max(th.history.butterfly[0][:]), slices.Max(th.history.butterfly[1][:]))
	if best < historyMax/4 {
		t.Errorf("the best history is %d of %d", best, historyMax)
	}
}

// A position of the game before the root is a draw the third time, one of the line the second time.
func TestRepetition(t *testing.T) {
	th := NewThread(net(t), table(t), AllParts())
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
	th := NewThread(net(t), table(t), AllParts())
	p := boardtest.Position(t, middleGame)
	th.Deepen(&p, 6, 0, nil)
	if n := testing.AllocsPerRun(5, func() { th.Deepen(&p, 6, 0, nil) }); n > 0 {
		t.Errorf("%v allocations a search", n)
	}
}

func searchWith(t *testing.T, threads int, fen string, l search.Limits) (search.Result, []search.Info) {
	t.Helper()
	s := newMethod(t, "lazysmp", threads, DefaultOptions())
	p := boardtest.Position(t, fen)
	var infos []search.Info
	res, _ := s.Search(context.Background(), board.NewGame(p), l, func(i search.Info) { infos = append(infos, i) })
	return res, infos
}

func TestLimits(t *testing.T) {
	if res, infos := searchWith(t, 1, middleGame, search.Limits{Depth: 7}); res.Info.Depth != 7 || len(infos) != 7 {
		t.Errorf("depth 7: %d reports, the last of depth %d", len(infos), res.Info.Depth)
	}
	if res, _ := searchWith(t, 2, middleGame, search.Limits{Depth: 7}); res.Info.Depth != 7 {
		t.Errorf("depth 7 with two threads: depth %d", res.Info.Depth)
	}
	if res, _ := searchWith(t, 1, middleGame, search.Limits{Nodes: 5000}); res.Info.Nodes > 5000 || res.Info.Nodes < 500 {
		t.Errorf("5000 nodes: %d", res.Info.Nodes)
	}
	if res, _ := searchWith(t, 1, middleGame, search.Limits{Evals: 5000}); res.Info.Evals > 5000 || res.Info.Evals < 500 {
		t.Errorf("5000 evaluations: %d", res.Info.Evals)
	}
	if res, infos := searchWith(t, 1, middleGame, search.Limits{Nodes: 1}); res.Best == board.NullMove || len(infos) == 0 {
		t.Errorf("1 node: move %v, %d reports", res.Best, len(infos))
	}
	start := time.Now()
	if res, _ := searchWith(t, 2, middleGame, search.Limits{MoveTime: 100 * time.Millisecond}); time.Since(start) < 90*time.Millisecond || res.Best == board.NullMove {
		t.Errorf("100 ms: move %v after %v", res.Best, time.Since(start))
	}
	if res, _ := searchWith(t, 1, "7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", search.Limits{Mate: 2}); res.Info.Score.Mate != 1 {
		t.Errorf("mate: %v", res.Info.Score)
	}
	if res, _ := searchWith(t, 2, "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", search.Limits{Depth: 3}); res.Best != board.NullMove {
		t.Errorf("stalemate: %v", res.Best)
	}
}

func TestRootMoves(t *testing.T) {
	p := boardtest.Position(t, middleGame)
	m, err := p.ParseMove("a2a3", false)
	if err != nil {
		t.Fatal(err)
	}
	if res, _ := searchWith(t, 2, middleGame, search.Limits{Depth: 6, SearchMoves: []board.Move{m}}); res.Best != m {
		t.Errorf("searchmoves a2a3 gives %s", p.UCI(res.Best, false))
	}
	_, infos := searchWith(t, 1, middleGame, search.Limits{Depth: 5, MultiPV: 3})
	seen := map[board.Move]bool{}
	for _, i := range infos[len(infos)-3:] {
		seen[i.PV[0]] = true
	}
	if len(seen) != 3 {
		t.Errorf("3 lines begin with %d moves", len(seen))
	}
}

// An infinite search ends when it is told to, and at once.
func TestStops(t *testing.T) {
	s := newMethod(t, "lazysmp", 2, DefaultOptions())
	for _, l := range []search.Limits{{Infinite: true}, {Ponder: true, HasClock: true, Time: [2]time.Duration{time.Second, time.Second}}} {
		ctx, cancel := context.WithCancel(context.Background())
		start := time.Now()
		time.AfterFunc(50*time.Millisecond, cancel)
		res, _ := s.Search(ctx, board.NewGame(boardtest.Position(t, "7k/5K2/8/6Q1/8/8/8/8 w - - 0 1")), l, func(search.Info) {})
		if d := time.Since(start); d < 50*time.Millisecond || d > 5*time.Second || res.Best == board.NullMove {
			t.Errorf("%+v: %v after %v", l, res.Best, d)
		}
	}
}
