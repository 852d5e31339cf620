package puct

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"
	"unsafe"

	"tesla/internal/slow"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
	"tesla/treesearch/treetest"
)

func TestSizes(t *testing.T) {
	if n, e := unsafe.Sizeof(node{}), unsafe.Sizeof(edge{}); n != 32 || e != 24 {
		t.Errorf("a node takes %d bytes, an edge %d", n, e)
	}
}

// open makes a searcher on a backend.
func open(t testing.TB, b batcher.Backend, o Options) *Searcher {
	t.Helper()
	if o.Tuning == (Tuning{}) {
		o.Tuning = DefaultTuning(len(o.Leaves) > 0)
	}
	s, err := New(b, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func run(s *Searcher, g *board.Game, l search.Limits) search.Result {
	r, err := s.Search(context.Background(), g, l, nil)
	if err != nil {
		panic(err)
	}
	return r
}

// tested is a searcher with what treetest looks at.
type tested struct{ *Searcher }

func (s tested) Check(t testing.TB) { check(t, s.Searcher) }
func (s tested) RootEvals() int64   { return int64(s.promoter.tree.above.n) }

func TestSearch(t *testing.T) {
	treetest.Run(t, func(t testing.TB, b batcher.Backend, s treetest.Setup) treetest.Searcher {
		return tested{open(t, b, Options{BatchSize: s.BatchSize, Leaves: s.Leaves})}
	})
}

func TestEndgameTables(t *testing.T) {
	slow.Test(t)
	treetest.Tables(t, func(t testing.TB, b batcher.Backend, s treetest.Setup) treetest.Searcher {
		return tested{open(t, b, Options{BatchSize: s.BatchSize, Tables: s.Tables})}
	})
}

// A full tree goes on: leaves are evaluated without being kept.
func TestFullTree(t *testing.T) {
	s := open(t, treetest.Mock(t), Options{TreeMemory: 1 << 20, BatchSize: 64})
	g := treetest.Game(t, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	for range 4 {
		r := run(s, g, search.Limits{Evals: 5000})
		if r.Info.Evals != 5000 {
			t.Fatalf("ended after %d evaluations", r.Info.Evals)
		}
		check(t, s)
		g.Play(r.Best)
	}
	if s.promoter.tree.Permille() < 900 {
		t.Errorf("%d permille full", s.promoter.tree.Permille())
	}
}

// check verifies the invariants of the tree: nothing is pending, evaluations and values add up, every node is reached
// once, and the draws are those of the rules.
func check(t testing.TB, s *Searcher) {
	t.Helper()
	tr, nodes, chunks := s.promoter.tree, 0, 0
	var line [maxPly + 2]board.Position
	var walk func(i uint32, above *edge, ply int)
	walk = func(i uint32, above *edge, ply int) {
		n := &tr.Nodes.Items[i]
		nodes++
		for c := tr.Chunks.Next[n.chunk]; c != none; c = tr.Chunks.Next[c] {
			chunks++
		}
		below, bare, sum := uint32(0), n.moves == 0, 0.0
		all := !bare
		var prior, mass float32
		for k := range int(n.moves) {
			e := tr.edge(n, k)
			if e.pend != 0 || e.has(edgePending) {
				t.Fatalf("node %d: edge %d: %d pending after the search", i, k, e.pend)
			}
			if k >= int(n.tried) && (e.n > 0 || e.child != none) {
				t.Fatalf("node %d: edge %d was tried, the node says %d", i, k, n.tried)
			}
			below += e.n
			sum += float64(e.n) * float64(e.q)
			prior += e.prior
			if e.n > 0 {
				mass += e.prior
			}
			all = all && e.has(edgeProven)
			if e.has(edgeProven) && e.cp >= search.Decided && (!above.has(edgeProven) || int(above.cp) > -search.Decided) {
				t.Fatalf("node %d: edge %d wins, the one above says %+v", i, k, *above)
			}
			line[ply].Make(e.move(), &line[ply+1])
			keys := s.promoter.loop.Game().Keys()
			drawn := board.Drawn(line[:], ply+1, keys, len(keys)-1) || !line[ply+1].HasLegalMove() && !line[ply+1].InCheck()
			if leaf := e.has(edgeProven) && e.cp == 0 && e.child == none; e.n > 0 && leaf != drawn && !s.promoter.loop.Covers(&line[ply+1]) {
				t.Fatalf("node %d: edge %d is settled as a draw: %v, the rules say %v", i, k, leaf, drawn)
			}
			if e.child != none {
				walk(e.child, e, ply+1)
			}
		}
		if math.Abs(float64(n.mass-mass)) > 1e-3 {
			t.Fatalf("node %d: priors of %v were tried, says %v", i, mass, n.mass)
		}
		if above.n < below || !bare && (prior < 0.99 || prior > 1.01) || bare && n.tried > 0 || all && !above.has(edgeProven) {
			t.Fatalf("node %d: %d evaluations, %d below, priors %v, all proven %v", i, above.n, below, prior, all)
		}
		mean := (sum + float64(above.n-below)*float64(n.value)) / float64(above.n) // its own value counts until it has children
		drawn := above.has(edgeProven) && above.cp == 0                            // visited since without its edges
		if i != tr.root && !drawn && math.Abs(mean+float64(above.q)) > 1e-3 {
			t.Fatalf("node %d: the edge above has the mean %v, want %v", i, above.q, -mean)
		}
	}
	if tr.root != none {
		line[0] = s.promoter.loop.Game().Pos
		walk(tr.root, &tr.above, 0)
	}
	if tr.above.pend != 0 || nodes != tr.Nodes.Used() || chunks != tr.Chunks.Used() {
		t.Fatalf("%d pending, %d nodes and %d chunks reached, %d and %d in use", tr.above.pend, nodes, chunks, tr.Nodes.Used(), tr.Chunks.Used())
	}
}

// The move played is the one of the best value among those with enough evaluations.
func TestChoice(t *testing.T) {
	differ := false
	for _, fen := range []string{treetest.Start, "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10"} {
		s := open(t, treetest.Mock(t), Options{})
		for evals := int64(100); evals <= 1000; evals += 50 {
			run(s, treetest.Game(t, fen), search.Limits{Evals: evals})
			order := s.promoter.playOrder()
			most := slices.MaxFunc(order, func(a, b *edge) int { return int(a.n) - int(b.n) })
			for _, e := range order[1:] {
				if float64(e.n) >= s.promoter.opts.Choice*float64(most.n) && e.q > order[0].q {
					t.Errorf("%s: %+v is played, %+v is better", fen, *order[0], *e)
				}
			}
			if float64(order[0].n) < s.promoter.opts.Choice*float64(most.n) {
				t.Errorf("%s: %+v is played, the most evaluations are %d", fen, *order[0], most.n)
			}
			differ = differ || order[0] != most
		}
	}
	if !differ {
		t.Error("every best move has the most evaluations: nothing was tested")
	}
}

// Each tunable has a text, defaults within its range and a step that fits it.
func TestTuning(t *testing.T) {
	for _, x := range treesearch.Tunables(&Tuning{}) {
		if x.Text == "" || x.Step < 0 || x.Step > x.Max/4 {
			t.Errorf("%s: %q, step %v of %v", x.Name, x.Text, x.Step, x.Max)
		}
		for _, regime := range []treesearch.Regime{treesearch.Plain, treesearch.Deepened} {
			var o Tuning
			if err := search.SetOptions(&o, x.Name+"="+x.Defaults[regime], nil); err != nil {
				t.Errorf("%s leaves: %v", regime, err)
			}
		}
	}
	if DefaultTuning(false) == DefaultTuning(true) {
		t.Error("plain and deepened leaves have the same defaults")
	}
}

// An edge with more pending evaluations than completed ones is skipped, until they are back.
func TestPending(t *testing.T) {
	s := open(t, treetest.Mock(t), Options{})
	run(s, treetest.Game(t, treetest.Start), search.Limits{Evals: 300})
	pr := s.promoter
	n := &pr.tree.Nodes.Items[pr.tree.root]
	first := pr.choose(pr.tree.root, &pr.tree.above, true)
	e := pr.tree.edge(n, first)
	e.pend = uint16(e.n) + 1
	if slot := pr.choose(pr.tree.root, &pr.tree.above, true); slot == first || slot < 0 {
		t.Errorf("edge %d is chosen with %d pending evaluations of %d", slot, e.pend, e.n)
	}
	e.pend = 0
	if slot := pr.choose(pr.tree.root, &pr.tree.above, true); slot != first {
		t.Errorf("edge %d is chosen, want %d", slot, first)
	}
}

// The clock ends a search early when no other move can overtake the one to be played, and late while a better one lacks
// evaluations.
func TestTimeUp(t *testing.T) {
	s := open(t, treetest.Mock(t), Options{})
	run(s, treetest.Game(t, treetest.Start), search.Limits{Evals: 300})
	pr := s.promoter
	at := func(evals int64, spent float64) treesearch.Clock {
		return treesearch.Clock{Budget: search.Budget{Soft: time.Second, Hard: 3 * time.Second}, Evals: evals, Counted: evals,
			Spent: time.Duration(spent * float64(time.Second))}
	}
	order := pr.playOrder()
	best, next := order[0], order[1]
	best.n, best.q, next.n, next.q = 900, 0.3, 100, 0.1
	for _, e := range order[2:] {
		e.n, e.q = 1, 0
	}
	for _, c := range []struct {
		evals int64
		spent float64
		lucky bool // a move with few evaluations has a better value
		want  search.End
	}{
		{1000, 0.9, false, search.EndSatisfied}, // 100 evaluations are left, the lead is 800
		{1000, 0.5, false, search.EndUnknown},   // 1,000 are left
		{1000, 1, false, search.EndTime},        // the soft budget
		{1000, 1, true, search.EndUnknown},      //
		{1000, 2, true, search.EndTime},         // most of it
		{leastEvals - 1, 0.9, false, search.EndUnknown},
		{leastEvals - 1, 3, true, search.EndTime}, // the hard budget
	} {
		if order[2].q = 0; c.lucky {
			order[2].q = 0.9
		}
		if got := pr.TimeUp(at(c.evals, c.spent)); got != c.want {
			t.Errorf("%d evaluations, %v seconds, lucky %v: time is up: %v, want %v", c.evals, c.spent, c.lucky, got, c.want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	mock := treetest.Mock(t)
	for _, o := range []Options{{BatchSize: -1, Tuning: DefaultTuning(false)}, {TreeMemory: 1, Tuning: DefaultTuning(false)}, {}} {
		if _, err := New(mock, nil, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// BenchmarkMock is selection, generation and backup alone: b.N evaluations in a tree that holds them.
func BenchmarkMock(b *testing.B) {
	s := open(b, treetest.Mock(b), Options{BatchSize: 64, TreeMemory: 1 << 30})
	run(s, treetest.Game(b, "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10"), search.Limits{Evals: int64(b.N)})
}
