package puct

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
)

func TestSizes(t *testing.T) {
	if n, e := unsafe.Sizeof(node{}), unsafe.Sizeof(edge{}); n != 32 || e != 24 {
		t.Errorf("a node takes %d bytes, an edge %d", n, e)
	}
}

// open makes a searcher on the mock backend.
func open(t testing.TB, o Options) *Searcher {
	t.Helper()
	b := batcher.NewMock(batcher.Options{})
	t.Cleanup(func() { b.Close() })
	return openOn(t, b, o)
}

func openOn(t testing.TB, b batcher.Backend, o Options) *Searcher {
	t.Helper()
	if o.Tuning == (Tuning{}) {
		o.Tuning = DefaultTuning()
	}
	s, err := New(b, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
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
		{"6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1", "g2g1", 2},
		{"7k/R7/8/8/8/8/1R6/7K b - - 0 1", "h8g8", -1},
		{"7k/8/8/8/8/8/r7/1r5K w - - 0 1", "", 0}, // mated: no move
		{"7k/8/8/8/8/6q1/8/7K w - - 0 1", "", 0},  // stalemate
	} {
		s := open(t, Options{})
		g := game(t, c.fen)
		r := run(s, g, search.Limits{Evals: 100000})
		if c.best == "" {
			if r.Best != board.NullMove {
				t.Errorf("%s: %s is no move", c.fen, g.Pos.UCI(r.Best, false))
			}
			continue
		}
		if got := g.Pos.UCI(r.Best, false); got != c.best || r.Info.Score.Mate != c.mate {
			t.Errorf("%s: %s mate %d, want %s mate %d", c.fen, got, r.Info.Score.Mate, c.best, c.mate)
		}
	}
}

// material is a backend that says material and nothing else, with an even policy.
type material struct{ batcher.Backend }

func (b material) Evaluate(items []*batcher.Item) error {
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

// White, a rook down, may repeat by checking for ever; the same with the extra rook on its side must not.
func TestRepetition(t *testing.T) {
	mock := batcher.NewMock(batcher.Options{})
	defer mock.Close()
	losing := game(t, "6k1/6p1/8/6Q1/8/8/qr6/7K w - - 0 1", "g5d8", "g8h7", "d8h4", "h7g8")
	r := run(openOn(t, material{mock}, Options{}), losing, search.Limits{Evals: 5000})
	if g := losing.Clone(); r.Info.Score.Mate < 0 {
		g.Play(r.Best)
		t.Errorf("%s, %+v: the draw was not seen", losing.Pos.UCI(r.Best, false), r.Info.Score)
	}
	winning := game(t, "6k1/5pp1/7p/8/8/1Q6/R7/7K w - - 0 1", "a2a3", "g8h7", "a3a2", "h7g8")
	r = run(openOn(t, material{mock}, Options{}), winning, search.Limits{Evals: 5000})
	g := winning.Clone()
	if g.Play(r.Best); g.Repetitions() > 0 {
		t.Errorf("%s repeats", winning.Pos.UCI(r.Best, false))
	}
}

func TestSameSearchTwice(t *testing.T) {
	var first search.Result
	for i := range 2 {
		r := run(open(t, Options{BatchSize: 16}), game(t, startFEN), search.Limits{Evals: 5000})
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
	for _, n := range []int64{1, 2, 17, 1000} {
		s.NewGame()
		if r := run(s, g, search.Limits{Evals: n}); r.Info.Evals != n || !g.Pos.IsLegal(r.Best) {
			t.Errorf("%d evaluations asked for: %d made, move %v", n, r.Info.Evals, r.Best)
		}
		check(t, s)
	}
	s.NewGame()
	if r := run(s, g, search.Limits{Depth: 9}); r.Info.Depth != 9 {
		t.Errorf("depth %d, want 9", r.Info.Depth)
	}
	start := time.Now()
	run(s, g, search.Limits{MoveTime: 100 * time.Millisecond})
	if d := time.Since(start); d < 90*time.Millisecond || d > 2*time.Second {
		t.Errorf("100 ms took %v", d)
	}
	single := game(t, "7k/8/8/8/8/8/r7/6K1 w - - 0 1", "g1f1", "a2h2", "f1g1")
	start = time.Now()
	run(s, single, search.Limits{HasClock: true, Time: [2]time.Duration{time.Minute, time.Minute}})
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("a minute's clock: %v for a move", d)
	}
}

func TestSearchMovesAndMultiPV(t *testing.T) {
	s := open(t, Options{})
	g := game(t, startFEN)
	var only []board.Move
	for _, text := range []string{"a2a3", "h2h4"} {
		m, err := g.Pos.ParseMove(text, false)
		if err != nil {
			t.Fatal(err)
		}
		only = append(only, m)
	}
	if r := run(s, g, search.Limits{Evals: 500, SearchMoves: only}); r.Best != only[0] && r.Best != only[1] {
		t.Errorf("%s is not among the moves to search", g.Pos.UCI(r.Best, false))
	}
	check(t, s)
	ranks := map[int]board.Move{}
	s.Search(context.Background(), g, search.Limits{Evals: 2000, MultiPV: 3}, func(in search.Info) { ranks[in.MultiPV] = in.PV[0] })
	if len(ranks) != 3 || ranks[1] == ranks[2] || ranks[2] == ranks[3] {
		t.Errorf("lines %v", ranks)
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
	s.Search(ctx, mate, search.Limits{Ponder: true, HasClock: true, Time: [2]time.Duration{time.Second, time.Second}}, nil)
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
	if n := s.tree.above.n; int64(n) <= r.Info.Evals {
		t.Errorf("root of %d evaluations after %d new ones: the tree was not kept", n, r.Info.Evals)
	}
	check(t, s)
	run(s, game(t, startFEN, "a2a3"), search.Limits{Evals: 10})
	if n := s.tree.above.n; n != 10 {
		t.Errorf("root of %d evaluations of another game after 10", n)
	}
	check(t, s)
}

// A full tree goes on: leaves are evaluated without being kept.
func TestFullTree(t *testing.T) {
	s := open(t, Options{TreeMemory: minTreeSize, BatchSize: 64})
	g := game(t, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	for range 4 {
		r := run(s, g, search.Limits{Evals: 5000})
		if r.Info.Evals != 5000 {
			t.Fatalf("ended after %d evaluations", r.Info.Evals)
		}
		check(t, s)
		g.Play(r.Best)
	}
	if s.tree.permille() < 900 {
		t.Errorf("%d permille full", s.tree.permille())
	}
}

// check verifies the invariants of the tree: nothing is under way, visits add up, every node is reached once.
func check(t *testing.T, s *Searcher) {
	t.Helper()
	tr, nodes, chunks := s.tree, 0, 0
	var walk func(i uint32, above *edge)
	walk = func(i uint32, above *edge) {
		n := &tr.nodes.Items[i]
		nodes++
		for c := n.chunk; c != none; c = tr.chunks.Next[c] {
			chunks++
		}
		below, all := uint32(0), true
		var prior float32
		for k := range int(n.moves) {
			e := tr.edge(n, k)
			if e.pend != 0 || e.has(edgeWaits) {
				t.Fatalf("node %d: edge %d: %d under way after the search", i, k, e.pend)
			}
			if k >= int(n.tried) && (e.n > 0 || e.child != none) {
				t.Fatalf("node %d: edge %d was tried, %d are said to be", i, k, n.tried)
			}
			below += e.n
			prior += e.prior
			all = all && e.has(edgeProven)
			if e.has(edgeProven) && e.cp >= search.Proven && (!above.has(edgeProven) || int(above.cp) > -search.Proven) {
				t.Fatalf("node %d: edge %d wins, the one above says %+v", i, k, *above)
			}
			if e.child != none {
				walk(e.child, e)
			}
		}
		if above.n < below || prior < 0.99 || prior > 1.01 || all && !above.has(edgeProven) {
			t.Fatalf("node %d: %d evaluations, %d below, priors %v, all proven %v", i, above.n, below, prior, all)
		}
	}
	if tr.root != none {
		walk(tr.root, &tr.above)
	}
	if tr.above.pend != 0 || nodes != tr.nodes.Used() || chunks != tr.chunks.Used() {
		t.Fatalf("%d under way, %d nodes and %d chunks reached, %d and %d in use", tr.above.pend, nodes, chunks, tr.nodes.Used(), tr.chunks.Used())
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
		s := openOn(t, failing{mock, &left}, Options{})
		g := game(t, startFEN)
		r := run(s, g, search.Limits{Evals: 5000})
		if !g.Pos.IsLegal(r.Best) || s.Err() == nil || !strings.Contains(s.Err().Error(), "batch") {
			t.Errorf("move %v, error %v", r.Best, s.Err())
		}
		check(t, s)
		mock.Close()
	}
}

func TestBadOptions(t *testing.T) {
	mock := batcher.NewMock(batcher.Options{})
	defer mock.Close()
	for _, o := range []Options{{BatchSize: -1, Tuning: DefaultTuning()}, {TreeMemory: 1, Tuning: DefaultTuning()}, {}} {
		if _, err := New(mock, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// counter is a leaves.Searcher that knows material alone.
type counter struct{ leaves, forgotten int }

func (c *counter) Forget() { c.forgotten++ }

func (c *counter) Leaf(p *board.Position) (int, board.Move) {
	c.leaves++
	cp := 0
	for i, set := range []board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens} {
		cp += []int{100, 300, 300, 500, 900}[i] * ((set & p.Ours).Count() - (set & p.Theirs).Count())
	}
	return cp, p.LegalMoves(nil)[0]
}

func TestLeafSearchers(t *testing.T) {
	deep := []leaves.Searcher{&counter{}, &counter{}, &counter{}}
	s := open(t, Options{Leaves: deep, BatchSize: 8})
	g := game(t, "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 4") // the queen hangs
	if got := g.Pos.UCI(run(s, g, search.Limits{Evals: 3000}).Best, false); got != "c1g5" {
		t.Errorf("%s, want c1g5", got)
	}
	s.NewGame()
	for i, l := range deep {
		if c := l.(*counter); c.leaves < 300 || c.forgotten != 1 {
			t.Errorf("searcher %d: %d leaves, forgot %d times", i, c.leaves, c.forgotten)
		}
	}
}

// BenchmarkMock is selection, generation and backup alone: b.N evaluations in a tree that holds them.
func BenchmarkMock(b *testing.B) {
	s := open(b, Options{BatchSize: 64, TreeMemory: 1 << 30})
	run(s, game(b, "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10"), search.Limits{Evals: int64(b.N)})
}
