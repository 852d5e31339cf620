package bestfirst

import (
	"context"
	"strings"
	"testing"
	"time"
	"unsafe"

	"tesla/batcher"
	"tesla/board"
	"tesla/leaves"
	"tesla/search"
	"tesla/tt128"
)

func TestSizes(t *testing.T) {
	if n := unsafe.Sizeof(node{}); n != nodeBytes {
		t.Errorf("a node takes %d bytes, want %d", n, nodeBytes)
	}
	if n := unsafe.Sizeof(edge{}); n != 16 {
		t.Errorf("an edge takes %d bytes, want 16", n)
	}
}

// open makes a searcher on the mock backend.
func open(t testing.TB, o Options) *Searcher {
	t.Helper()
	b := batcher.NewMock(batcher.Options{})
	table, err := tt128.New(1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(b, table, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); b.Close(); table.Close() })
	return s
}

// game reads a FEN and plays UCI moves.
func game(t testing.TB, fen string, moves ...string) *board.Game {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	g := board.NewGame(p)
	for _, text := range moves {
		m, err := g.Pos.ParseMove(text, false)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	return g
}

const startFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

func run(s *Searcher, g *board.Game, l search.Limits) search.Result {
	return s.Search(context.Background(), g, l, nil)
}

func TestMates(t *testing.T) {
	for _, c := range []struct {
		fen, best string
		mate      int
	}{
		{"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8", 1},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2},
		{"r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6", 3},
		{"6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1", "g2g1", 2},
		{"7k/8/8/8/8/8/r7/1r5K w - - 0 1", "", 0}, // mated: no move
		{"7k/8/8/8/8/6q1/8/7K w - - 0 1", "", 0},  // stalemate
	} {
		s := open(t, Options{})
		g := game(t, c.fen)
		r := run(s, g, search.Limits{Evals: 50000})
		if c.best == "" {
			if r.Best != board.NullMove {
				t.Errorf("%s: move in a finished game", c.fen)
			}
			continue
		}
		if got := g.Pos.UCI(r.Best, false); got != c.best || r.Info.Score.Mate != c.mate {
			t.Errorf("%s: %s mate %d, want %s mate %d", c.fen, got, r.Info.Score.Mate, c.best, c.mate)
		}
		if want := 2*c.mate - 1; len(r.Info.PV) != want {
			t.Errorf("%s: PV of %d plies for a mate in %d", c.fen, len(r.Info.PV), c.mate)
		}
	}
}

func TestBeingMated(t *testing.T) {
	s := open(t, Options{})
	r := run(s, game(t, "7k/R7/8/8/8/8/1R6/7K b - - 0 1"), search.Limits{Evals: 50000})
	if r.Info.Score.Mate != -1 {
		t.Errorf("score %+v, want mate -1", r.Info.Score)
	}
}

// blind is a backend whose policy gives all to the first move: a stand-in for a net that overlooks.
type blind struct{ batcher.Backend }

func (b blind) Evaluate(items []*batcher.Item) error {
	if err := b.Backend.Evaluate(items); err != nil {
		return err
	}
	for _, it := range items {
		for i := range it.Policy {
			it.Policy[i] = 0.001
		}
		it.Policy[0] = 1 - 0.001*float32(len(it.Policy)-1)
	}
	return nil
}

func TestPolicyBlindness(t *testing.T) {
	for fen, best := range map[string]string{
		"r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1":     "f6a6",
		"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1":         "a1a6",
		"2r3k1/5ppp/8/8/8/8/1Q3PPP/2R3K1 w - - 0 1": "c1c8",
		"5r1k/6pp/7N/8/8/1Q6/6PP/6K1 w - - 0 1":     "b3g8",
	} {
		mock := batcher.NewMock(batcher.Options{})
		s, err := New(blind{mock}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := game(t, fen)
		r := run(s, g, search.Limits{Evals: 30000})
		if got := g.Pos.UCI(r.Best, false); r.Info.Score.Mate <= 0 || got != best {
			t.Errorf("%s: %s %+v, want %s", fen, got, r.Info.Score, best)
		}
		s.Close()
		mock.Close()
	}
}

// flat is a backend that says material and nothing else, with an even policy.
type flat struct{ batcher.Backend }

func (b flat) Evaluate(items []*batcher.Item) error {
	if err := b.Backend.Evaluate(items); err != nil {
		return err
	}
	for _, it := range items {
		p, cp := &it.Position, 0
		for i, set := range []board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens} {
			cp += []int{100, 300, 300, 500, 900}[i] * ((set & p.Ours).Count() - (set & p.Theirs).Count())
		}
		it.Eval.Q = float32(search.CPToQ(cp))
		for i := range it.Policy {
			it.Policy[i] = 1 / float32(len(it.Policy))
		}
	}
	return nil
}

func TestRepetition(t *testing.T) {
	// White, a rook down, may repeat by checking for ever; the same with the extra rook on its side must not.
	losing := game(t, "6k1/6p1/8/6Q1/8/8/qr6/7K w - - 0 1", "g5d8", "g8h7", "d8h4", "h7g8")
	winning := game(t, "6k1/5pp1/7p/8/8/1Q6/R7/7K w - - 0 1", "a2a3", "g8h7", "a3a2", "h7g8")
	for name, c := range map[string]struct {
		g    *board.Game
		draw bool
	}{"losing": {losing, true}, "winning": {winning, false}} {
		mock := batcher.NewMock(batcher.Options{})
		s, err := New(flat{mock}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := run(s, c.g, search.Limits{Evals: 5000})
		g := c.g.Clone()
		g.Play(r.Best)
		if c.draw && (r.Info.Score.CP < -60 || r.Info.Score.Mate < 0) {
			t.Errorf("%s: score %+v: the draw was not seen", name, r.Info.Score)
		}
		if !c.draw && (g.Repetitions() > 0 || r.Info.Score.CP < 300 && r.Info.Score.Mate == 0) {
			t.Errorf("%s: %s repeats or %+v gives the win away", name, c.g.Pos.UCI(r.Best, false), r.Info.Score)
		}
		s.Close()
		mock.Close()
	}
}

func TestSameSearchTwice(t *testing.T) {
	var first search.Result
	for i := range 2 {
		s := open(t, Options{BatchSize: 16})
		r := run(s, game(t, startFEN), search.Limits{Evals: 20000})
		if i == 0 {
			first = r
		} else if r.Best != first.Best || r.Info.Nodes != first.Info.Nodes || r.Info.Score != first.Info.Score {
			t.Errorf("second search %+v, first %+v", r, first)
		}
	}
}

func TestLimits(t *testing.T) {
	s := open(t, Options{})
	g := game(t, startFEN)
	for _, evals := range []int64{1, 2, 3, 100, 1000} {
		s.NewGame()
		if r := run(s, g, search.Limits{Evals: evals}); r.Info.Evals != evals || !g.Pos.IsLegal(r.Best) {
			t.Errorf("%d evaluations: %d spent, move %s", evals, r.Info.Evals, g.Pos.UCI(r.Best, false))
		}
	}
	s.NewGame()
	if r := run(s, g, search.Limits{Depth: 8}); r.Info.Depth != 8 {
		t.Errorf("depth %d, want 8", r.Info.Depth)
	}
	start := time.Now()
	run(s, g, search.Limits{MoveTime: 50 * time.Millisecond})
	if took := time.Since(start); took < 40*time.Millisecond || took > 500*time.Millisecond {
		t.Errorf("a move time of 50 ms took %v", took)
	}
}

func TestSearchMovesAndMultiPV(t *testing.T) {
	s := open(t, Options{})
	g := game(t, startFEN)
	a, _ := g.Pos.ParseMove("a2a3", false)
	b, _ := g.Pos.ParseMove("h2h4", false)
	seen := map[int]board.Move{}
	l := search.Limits{Evals: 2000, SearchMoves: []board.Move{a, b}, MultiPV: 4}
	r := s.Search(context.Background(), g, l, func(i search.Info) {
		if i.Text == "" && i.Roots == nil {
			seen[i.MultiPV] = i.PV[0]
		}
	})
	if r.Best != a && r.Best != b {
		t.Errorf("best move %s is none of searchmoves", g.Pos.UCI(r.Best, false))
	}
	if len(seen) != 2 || seen[1] != r.Best || seen[1] == seen[2] {
		t.Errorf("lines %v of two moves, best %v", seen, r.Best)
	}
}

func TestStopAndPonder(t *testing.T) {
	s := open(t, Options{})
	g := game(t, startFEN)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if r := s.Search(ctx, g, search.Limits{Infinite: true}, nil); ctx.Err() == nil || r.Best == board.NullMove {
		t.Error("an infinite search ended by itself")
	}
	mate := game(t, "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
	ctx, cancel = context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	time.AfterFunc(50*time.Millisecond, s.PonderHit)
	start := time.Now()
	l := search.Limits{Ponder: true, HasClock: true, Time: [2]time.Duration{time.Second, time.Second}}
	s.Search(ctx, mate, l, nil)
	if took := time.Since(start); took < 45*time.Millisecond || took > 3*time.Second {
		t.Errorf("pondering on a mate until ponderhit took %v", took)
	}
}

func TestTreeReuse(t *testing.T) {
	s := open(t, Options{})
	g := game(t, startFEN)
	r := run(s, g, search.Limits{Evals: 5000})
	g.Play(r.Best)
	g.Play(r.Ponder)
	r = run(s, g, search.Limits{Evals: 10})
	if n := s.tree.nodes.Items[s.tree.root].n; int64(n) <= r.Info.Evals {
		t.Errorf("root of %d evaluations after %d new ones: the tree was not kept", n, r.Info.Evals)
	}
	check(t, s)
}

// check verifies the invariants of the tree. The nodes of the game, at and above the root, live on without their
// parents' edges.
func check(t *testing.T, s *Searcher) {
	t.Helper()
	tr := s.tree
	played := map[uint32]bool{}
	for at := tr.root; at != none; at = tr.nodes.Items[at].parent {
		played[at] = true
	}
	used, edges := 0, 0
	for i := range tr.nodes.Items[:tr.nodes.Top()] {
		n := &tr.nodes.Items[i]
		if n.flags&nodeUsed == 0 {
			continue
		}
		used++
		edges += int(n.moves)
		kids := 0
		for k := range int(n.moves) {
			e := tr.edge(n, k)
			if e.has(edgePending) {
				t.Fatalf("node %d: edge %d pending after the search", i, k)
			}
			if e.child == none {
				continue
			}
			kids++
			c := &tr.nodes.Items[e.child]
			if c.parent != uint32(i) || int(c.slot) != k || c.n != e.n && !played[e.child] || c.flags&nodeUsed == 0 {
				t.Fatalf("node %d: edge %d (n %d) leads to %+v", i, k, e.n, *c)
			}
			if int(e.cp) != search.Towards(int(c.value)) && !played[e.child] {
				t.Fatalf("node %d: edge %d has %d, its child %d", i, k, e.cp, c.value)
			}
		}
		if kids != int(n.kids) || n.pend != 0 {
			t.Fatalf("node %d: %d children, says %d; %d pending", i, kids, n.kids, n.pend)
		}
	}
	if used != tr.nodes.Used() || edges != tr.edges {
		t.Fatalf("%d nodes and %d edges, says %d and %d", used, edges, tr.nodes.Used(), tr.edges)
	}
}

func TestReclaim(t *testing.T) {
	s := open(t, Options{TreeMemory: 2 << 20, BatchSize: 64})
	g := game(t, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	for range 5 {
		r := run(s, g, search.Limits{Evals: 20000})
		if r.Info.Evals != 20000 {
			t.Fatalf("ended after %d evaluations", r.Info.Evals)
		}
		check(t, s)
		g.Play(r.Best)
	}
	if s.tree.evicted == 0 {
		t.Error("nothing was reclaimed")
	}
}

// failing is a backend that fails after some batches.
type failing struct {
	batcher.Backend
	left *int
}

func (f failing) Evaluate(items []*batcher.Item) error {
	if *f.left--; *f.left < 0 {
		return context.DeadlineExceeded
	}
	return f.Backend.Evaluate(items)
}

func TestBackendFails(t *testing.T) {
	for _, left := range []int{0, 20} {
		mock := batcher.NewMock(batcher.Options{})
		s, err := New(failing{mock, &left}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		g := game(t, startFEN)
		r := run(s, g, search.Limits{Evals: 5000})
		if !g.Pos.IsLegal(r.Best) || s.Err() == nil || !strings.Contains(s.Err().Error(), "batch") {
			t.Errorf("move %v, error %v", r.Best, s.Err())
		}
		check(t, s)
		s.Close()
		mock.Close()
	}
}

func TestBadOptions(t *testing.T) {
	mock := batcher.NewMock(batcher.Options{})
	defer mock.Close()
	for _, o := range []Options{{BatchSize: -1}, {TreeMemory: 1}, {TreeMemory: -5}} {
		if _, err := New(mock, nil, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// BenchmarkMock is the promoter, generation and reclaiming alone: b.N evaluations in a tree that holds them, and in a
// tenth of the memory that a million take.
func BenchmarkMock(b *testing.B) {
	for name, memory := range map[string]int{"roomy": 1 << 30, "tenth": 70 << 20} {
		b.Run(name, func(b *testing.B) {
			s := open(b, Options{BatchSize: 64, TreeMemory: memory})
			b.ResetTimer()
			run(s, game(b, startFEN), search.Limits{Evals: int64(b.N)})
			nodes, bytes := s.TreeSize()
			b.ReportMetric(float64(nodes), "nodes")
			b.ReportMetric(float64(bytes)/float64(nodes), "bytes/node")
			b.ReportMetric(float64(s.tree.edges)/float64(nodes), "edges/node")
		})
	}
}

// counter is a leaves.Searcher that knows material alone, and what it was asked.
type counter struct{ leaves, forgotten int }

func (c *counter) Forget() { c.forgotten++ }

func (c *counter) Leaf(p *board.Position) (int, board.Move) {
	c.leaves++
	cp := 0
	for _, k := range []struct {
		set   board.Bitboard
		value int
	}{{p.Pawns, 100}, {p.Knights, 300}, {p.Bishops, 300}, {p.Rooks, 500}, {p.Queens, 900}} {
		cp += k.value * ((k.set & p.Ours).Count() - (k.set & p.Theirs).Count())
	}
	return cp, p.LegalMoves(nil)[0]
}

// Leaves are worth what their searchers say, which share them.
func TestLeafSearchers(t *testing.T) {
	deep := []leaves.Searcher{&counter{}, &counter{}, &counter{}}
	s := open(t, Options{Leaves: deep, BatchSize: 8})
	g := game(t, "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 4") // the queen hangs
	res := s.Search(context.Background(), g, search.Limits{Evals: 800}, nil)
	if got := g.Pos.UCI(res.Best, false); got != "c1g5" || res.Info.Score.CP < 500 {
		t.Errorf("%s worth %d, want c1g5 and a queen", got, res.Info.Score.CP)
	}
	s.NewGame()
	for i, l := range deep {
		if c := l.(*counter); c.leaves < 100 || c.forgotten != 1 {
			t.Errorf("searcher %d: %d leaves, forgot %d times", i, c.leaves, c.forgotten)
		}
	}
}
