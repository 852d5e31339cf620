package bestfirst

import (
	"cmp"
	"context"
	"testing"
	"unsafe"

	"tesla/batcher"
	"tesla/board"
	"tesla/internal/slow"
	"tesla/search"
	"tesla/tt128"
)

func TestSizes(t *testing.T) {
	if n := unsafe.Sizeof(node{}); n != 64 {
		t.Errorf("a node takes %d bytes, want 64", n)
	}
	if n := unsafe.Sizeof(edge{}); n != 16 {
		t.Errorf("an edge takes %d bytes, want 16", n)
	}
}

// open makes a searcher on a backend. Its tree is smaller than the default one, which takes long to make under the race detector.
func open(t testing.TB, b batcher.Backend, o Options) *Searcher {
	t.Helper()
	o.TreeMemory = cmp.Or(o.TreeMemory, 64<<20)
	table, err := tt128.New(1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(b, table, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); table.Close() })
	return s
}

// tuned is the default tuning with some options changed.
func tuned(options string) Tuning {
	o := DefaultTuning(false)
	if err := search.SetOptions(&o, options); err != nil {
		panic(err)
	}
	return o
}

func run(s *Searcher, g *board.Game, l search.Limits) search.Result {
	r, err := s.Search(context.Background(), g, l, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// tested is a searcher with what the suite looks at.
type tested struct {
	*Searcher
	roots []uint32 // of all searches
}

func (s *tested) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	defer func() { s.roots = append(s.roots, s.promoter.tree.root) }()
	return s.Searcher.Search(ctx, g, l, report)
}

func (s *tested) NewGame() {
	s.roots = nil
	s.Searcher.NewGame()
}

// Check checks the tree's invariants, between searches.
func (s *tested) Check(t testing.TB) { check(t, s.Searcher, s.roots...) }

// RootEvals are the evaluations counted at the root.
func (s *tested) RootEvals() int64 { return int64(s.promoter.tree.Nodes.Items[s.promoter.tree.root].n) }

func TestSearch(t *testing.T) {
	for name, o := range map[string]Tuning{"default": DefaultTuning(false), "deepened": DefaultTuning(true)} {
		t.Run(name, func(t *testing.T) {
			if name == "default" {
				slow.Test(t) // the other tuning runs the same goroutines
			}
			runSuite(t, func(t testing.TB, b batcher.Backend, s setup) *tested {
				o := Options{Tuning: o, BatchSize: s.BatchSize, Leaves: s.Leaves}
				o.Share = o.Share && !s.Alone
				return &tested{Searcher: open(t, b, o)}
			})
		})
	}
}

func TestEndgameTables(t *testing.T) {
	slow.Test(t) // package tablebase has the goroutines
	tableSuite(t, func(t testing.TB, b batcher.Backend, s setup) *tested {
		return &tested{Searcher: open(t, b, Options{BatchSize: s.BatchSize, Tables: s.Tables})}
	})
}

// blind is a backend whose policy is rest for each move but the first, which has what is left: a stand-in for a net
// that overlooks moves.
type blind struct {
	batcher.Backend
	rest float32
}

func (b blind) Evaluate(items []*batcher.Item) error {
	if err := b.Backend.Evaluate(items); err != nil {
		return err
	}
	for _, it := range items {
		for i := range it.Policy {
			it.Policy[i] = b.rest
		}
		it.Policy[0] = 1 - b.rest*float32(len(it.Policy)-1)
	}
	return nil
}

// A move that the policy gives almost no probability is found all the same, later where choices settle.
func TestPolicyBlindness(t *testing.T) {
	slow.Test(t)
	backend := newMock(t)
	for fen, best := range map[string]string{
		"r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1":     "f6a6",
		"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1":         "a1a6",
		"2r3k1/5ppp/8/8/8/8/1Q3PPP/2R3K1 w - - 0 1": "c1c8",
		"5r1k/6pp/7N/8/8/1Q6/6PP/6K1 w - - 0 1":     "b3g8",
	} {
		for words, evals := range map[string]int64{"": 400_000, "settle=0 tails=0 gap=1 temperature=1.3 prior=1.1 evidence=0.6": 30_000} {
			s := open(t, blind{backend, 0.001}, Options{Tuning: tuned(words)})
			g := gameOf(t, fen)
			r := run(s, g, search.Limits{Evals: evals})
			if got := g.Pos.UCI(r.Best, false); r.Info.Score.Mate <= 0 || got != best {
				t.Errorf("%s, %q: %s %+v, want %s", fen, words, got, r.Info.Score, best)
			}
		}
	}
}

// A mate's line ends with it.
func TestMateLines(t *testing.T) {
	slow.Test(t)
	for fen, c := range map[string]struct {
		mate  int
		evals int64 // to find it in; the mock's policy means nothing
	}{
		"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1":                   {1, 50000},
		"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1":                  {2, 50000},
		"r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1":              {3, 150000},
		"6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1": {2, 50000},
	} {
		r := run(open(t, newMock(t), Options{}), gameOf(t, fen), search.Limits{Evals: c.evals})
		if r.Info.Score.Mate != c.mate || len(r.Info.PV) != 2*c.mate-1 {
			t.Errorf("%s: %+v, line of %d", fen, r.Info.Score, len(r.Info.PV))
		}
	}
}

// A value is that of the best line, not a mean.
func TestMinimaxValues(t *testing.T) {
	slow.Test(t)
	for name, c := range map[string]struct {
		g           *board.Game
		least, most int // centipawns
	}{
		"draw by repetition": {gameOf(t, "6k1/6p1/8/7Q/8/8/qr6/7K w - - 0 1", "h5e8", "g8h7", "e8h5", "h7g8"), -60, 60},
		"win":                {gameOf(t, "6k1/5pp1/7p/8/8/1Q6/R7/7K w - - 0 1", "a2a3", "g8h7", "a3a2", "h7g8"), 300, search.MateScore},
		"hanging queen":      {gameOf(t, "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 4"), 500, search.MateScore},
	} {
		r := run(open(t, material{Backend: newMock(t)}, Options{}), c.g, search.Limits{Evals: 5000})
		cp := r.Info.Score.CP
		if r.Info.Score.Mate > 0 {
			cp = search.MateScore
		}
		if cp < c.least || cp > c.most {
			t.Errorf("%s: %+v", name, r.Info.Score)
		}
	}
}

// check verifies the invariants of the tree. The nodes of the game, at and above the root and at the roots of earlier
// searches, live on without their parents' edges.
func check(t testing.TB, s *Searcher, before ...uint32) {
	t.Helper()
	tr := s.promoter.tree
	played := map[uint32]bool{}
	for _, root := range append(before, tr.root) {
		for at := root; at != none; at = tr.Nodes.Items[at].parent {
			played[at] = true
		}
	}
	used, again := 0, s.promoter.opts.PUCT != nil // the baseline visits a move that is proven to draw again, and not its node
	for i := range tr.Nodes.Items[:tr.Nodes.Top()] {
		n := &tr.Nodes.Items[i]
		if n.flags&nodeUsed == 0 {
			continue
		}
		used++
		kids, all := 0, n.moves > 0 && n.made() == int(n.moves)
		for k := range n.made() {
			e := tr.edge(n, k)
			all = all && e.has(edgeProven)
			if e.has(edgeProven) && e.value >= search.Decided && n.flags&nodeProven == 0 {
				t.Fatalf("node %d: edge %d wins, and it is not proven", i, k)
			}
			if e.has(edgePending) {
				t.Fatalf("node %d: edge %d pending after the search", i, k)
			}
			if e.child == none {
				continue
			}
			kids++
			c := &tr.Nodes.Items[e.child]
			if !leads(tr, c, uint32(i), k) || c.n < e.n && !again && !played[e.child] && c.parents == none || c.flags&nodeUsed == 0 {
				t.Fatalf("node %d: edge %d (n %d) leads to %+v", i, k, e.n, *c)
			}
			if int(e.value) != search.Towards(int(c.value)) && !played[e.child] && c.parents == none {
				t.Fatalf("node %d: edge %d has %d, its child %d", i, k, e.value, c.value)
			}
		}
		if all && n.flags&nodeProven == 0 {
			t.Fatalf("node %d: all edges are proven, and it is not", i)
		}
		if kids != int(n.kids) || n.pend != 0 || n.flags&nodeAsked != 0 {
			t.Fatalf("node %d: %d children, says %d; %d pending, flags %b", i, kids, n.kids, n.pend, n.flags)
		}
	}
	if used != tr.Nodes.Used() {
		t.Fatalf("%d nodes, says %d", used, tr.Nodes.Used())
	}
	if tr.root != none {
		checkDraws(t, s.promoter)
	}
}

// checkDraws tests that the tree below the root has no node of a position that the game makes a draw, and no draw that
// neither the rules nor a repetition make one.
func checkDraws(t testing.TB, pr *promoter) {
	t.Helper()
	tr, keys := pr.tree, pr.loop.Game().Keys()
	var line [maxPly + 2]board.Position
	seen := map[uint32]bool{}
	var walk func(i uint32, ply int)
	walk = func(i uint32, ply int) {
		n := &tr.Nodes.Items[i]
		seen[i] = true
		for k := range int(n.tried) {
			e, p := tr.edge(n, k), &line[ply+1]
			line[ply].Make(e.move(), p)
			back := board.Repeats(line[:], ply+1, keys, len(keys)-1)
			drawn := board.Drawn(line[:], ply+1, keys, len(keys)-1) || !p.HasLegalMove()
			d, noted := tr.draws[parent{i, uint8(k)}]
			if e.child != none && (back > ply || back == ply+1) {
				t.Fatalf("node %d: edge %d leads to a node, its position is drawn by the game", i, k)
			}
			if noted && (!e.has(edgeProven) || e.child != none || d.since == played && back <= ply && tr.evicted == 0) {
				t.Fatalf("node %d: edge %d: %+v is noted, flags %x, child %d", i, k, d, e.bits>>26, e.child)
			}
			if e.has(edgeProven) && !isDecided(e.value) && e.child == none && !drawn && !noted && !pr.loop.Covers(p) {
				t.Fatalf("node %d: edge %d is a draw, the rules do not say so", i, k)
			}
			if e.child != none && !seen[e.child] {
				walk(e.child, ply+1)
			}
		}
	}
	line[0] = pr.loop.Game().Pos
	walk(tr.root, 0)
}

// leads reports whether a node knows an edge that leads to it.
func leads(t *tree, c *node, at uint32, slot int) bool {
	if c.parent == at && int(c.slot) == slot {
		return true
	}
	for k := c.parents; k != none; k = t.parents.Next[k] {
		if t.parents.Items[k] == (parent{at, uint8(slot)}) {
			return true
		}
	}
	return false
}

// With share=on lines share nodes, and reclaiming finds all their parents; else no node has two.
func TestShare(t *testing.T) {
	slow.Test(t)
	for _, share := range []bool{false, true} {
		o := DefaultTuning(false)
		o.Share = share
		s := open(t, newMock(t), Options{Tuning: o, TreeMemory: 4 << 20, BatchSize: 64})
		shared := 0
		for range 3 {
			run(s, gameOf(t, "8/8/1p2k3/p1p5/P1P5/1P2K3/8/8 w - - 0 1"), search.Limits{Evals: 20000}) // few moves, many orders
			check(t, s)
			for i := range s.promoter.tree.Nodes.Items[:s.promoter.tree.Nodes.Top()] {
				if n := &s.promoter.tree.Nodes.Items[i]; n.flags&nodeUsed != 0 && n.parents != none {
					shared++
				}
			}
		}
		if share != (shared > 100) || share != (s.promoter.tree.parents.Used() > 100) || !share && shared > 0 {
			t.Errorf("share %t: %d shared nodes, %d further parents", share, shared, s.promoter.tree.parents.Used())
		}
		if s.promoter.tree.evicted == 0 {
			t.Error("nothing was reclaimed")
		}
	}
}

// A proof in one line is also backed up in the others that share its positions.
func TestShareProofs(t *testing.T) {
	slow.Test(t)
	s := open(t, newMock(t), Options{BatchSize: 64})
	if r := run(s, gameOf(t, "8/8/4k3/8/8/4K3/5QR1/8 w - - 0 1"), search.Limits{Evals: 60000}); r.Info.Score.Mate <= 0 {
		t.Errorf("no mate: %+v", r.Info.Score)
	}
	check(t, s)
}

// counted counts the batches that a backend evaluates.
type counted struct {
	batcher.Backend
	batches *int
}

func (c counted) Evaluate(items []*batcher.Item) error {
	*c.batches++
	return c.Backend.Evaluate(items)
}

// A search whose batches have free slots prefetches siblings, and needs fewer batches for the same evaluations. Its
// tree is sound, also where memory is short.
func TestPrefetch(t *testing.T) {
	for _, memory := range []int{0, 1 << 20} {
		var batches [2]int
		for i, size := range []int{0, 30} {
			s := open(t, counted{newMock(t), &batches[i]}, Options{BatchSize: size, TreeMemory: memory})
			g := gameOf(t, startFEN)
			for range 3 {
				r := run(s, g, search.Limits{Evals: 3000})
				if r.Info.Evals != 3000 {
					t.Errorf("%d evaluations", r.Info.Evals)
				}
				check(t, s)
				g.Play(r.Best)
			}
		}
		if memory == 0 && 4*batches[1] > 3*batches[0] {
			t.Errorf("%d bytes: %d batches with prefetched leaves, %d without", memory, batches[1], batches[0])
		}
	}
}

// Without reuse a search knows nothing of the one before.
func TestNoReuse(t *testing.T) {
	s := open(t, newMock(t), Options{Tuning: tuned("reuse=off")})
	g := gameOf(t, startFEN)
	r := run(s, g, search.Limits{Evals: 1000})
	g.Play(r.Best)
	g.Play(r.Ponder)
	run(s, g, search.Limits{Evals: 10})
	if n := s.promoter.tree.Nodes.Items[s.promoter.tree.root].n; n != 10 {
		t.Errorf("%d evaluations at the root, want 10", n)
	}
	check(t, s)
}

func TestReclaim(t *testing.T) {
	slow.Test(t)
	s := open(t, newMock(t), Options{TreeMemory: 2 << 20, BatchSize: 64})
	g := gameOf(t, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	for k := range 8 {
		if k == 3 { // what is stale must not be mistaken for nodes
			s.NewGame()
		}
		r := run(s, g, search.Limits{Evals: 20000})
		if r.Info.Evals != 20000 {
			t.Fatalf("ended after %d evaluations", r.Info.Evals)
		}
		check(t, s)
		g.Play(r.Best)
	}
	if s.promoter.tree.evicted == 0 {
		t.Error("nothing was reclaimed")
	}
}

func TestBadOptions(t *testing.T) {
	mock := newMock(t)
	for _, o := range []Options{{BatchSize: -1}, {TreeMemory: 1}, {TreeMemory: -5}} {
		if _, err := New(mock, nil, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// BenchmarkMock times the promoter with move generation and, where memory is short, reclaiming: b.N evaluations in a
// tree that holds five million, and in a tenth of the memory that a million take.
func BenchmarkMock(b *testing.B) {
	for name, memory := range map[string]int{"roomy": 3 << 30, "tenth": 17 << 20} {
		b.Run(name, func(b *testing.B) {
			s := open(b, newMock(b), Options{BatchSize: 64, TreeMemory: memory})
			g := gameOf(b, startFEN)
			run(s, g, search.Limits{Evals: int64(b.N)}) // the system gives the memory
			s.NewGame()
			b.ResetTimer()
			run(s, g, search.Limits{Evals: int64(b.N)})
			nodes, bytes := s.TreeSize()
			b.ReportMetric(float64(nodes), "nodes")
			b.ReportMetric(float64(bytes)/float64(nodes), "bytes/node")
		})
	}
}
