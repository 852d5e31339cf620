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
	if n, e := unsafe.Sizeof(node{}), unsafe.Sizeof(edge{}); n != 64 || e != 24 {
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
func (s tested) RootEvals() int64   { return int64(s.promoter.root().n) }

// The words that make the search the plain one, and the one with all that the best-first search has beside its idea.
const (
	plainWords = "correct=0 share=off deviation=0"
	fairWords  = "correct=0.4 share=on deviation=0.4"
)

// tuned is the default tuning, of leaves that are deepened or plain, with some options changed.
func tuned(deepened bool, words string) Tuning {
	o := DefaultTuning(deepened)
	if err := search.SetOptions(&o, words); err != nil {
		panic(err)
	}
	return o
}

func TestSearch(t *testing.T) {
	for name, words := range map[string]string{"plain": plainWords, "fair": fairWords} {
		t.Run(name, func(t *testing.T) {
			treetest.Run(t, func(t testing.TB, b batcher.Backend, s treetest.Setup) treetest.Searcher {
				return tested{open(t, b, Options{Tuning: tuned(len(s.Leaves) > 0, words), BatchSize: s.BatchSize, Leaves: s.Leaves})}
			})
		})
	}
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
	tr, again := s.promoter.tree, 0
	for i := range tr.Nodes.Items[:tr.Nodes.Top()] {
		if n := &tr.Nodes.Items[i]; n.flags&nodeUsed != 0 && n.moves == 0 && n.n > 1 {
			again++
		}
	}
	if tr.Permille() < 900 || again == 0 {
		t.Errorf("%d permille full, %d nodes without edges were evaluated again", tr.Permille(), again)
	}
}

// check verifies the invariants of the tree: nothing is pending, evaluations and values add up, every node is reached,
// once where lines do not share nodes, and the draws are those of the rules.
func check(t testing.TB, s *Searcher) {
	t.Helper()
	c := checker{TB: t, pr: s.promoter, seen: map[uint32]bool{}}
	tr := c.pr.tree
	if tr.root != none {
		c.line[0] = c.pr.loop.Game().Pos
		c.walk(tr.root, 0)
	}
	if nodes, chunks := len(c.seen), c.chunks; nodes != tr.Nodes.Used() || chunks != tr.Chunks.Used() {
		t.Fatalf("%d nodes and %d chunks reached, %d and %d in use", nodes, chunks, tr.Nodes.Used(), tr.Chunks.Used())
	}
}

type checker struct {
	testing.TB
	pr     *promoter
	line   [maxPly + 2]board.Position
	seen   map[uint32]bool
	chunks int
}

// walk checks a node some plies below the root and those below it.
func (c *checker) walk(i uint32, ply int) {
	tr := c.pr.tree
	n := &tr.Nodes.Items[i]
	c.seen[i] = true
	for k := n.chunk; k != none; k = tr.Chunks.Next[k] {
		c.chunks++
	}
	below, bare, sum := uint32(0), n.moves == 0, 0.0
	all := n.made() > 0 && n.made() == int(n.moves)
	var prior, mass float32
	for k := range n.made() {
		e := tr.edge(n, k)
		if k >= int(n.tried) && (e.n > 0 || e.child != none) {
			c.Fatalf("node %d: edge %d was tried, the node says %d", i, k, n.tried)
		}
		below += e.n
		sum += float64(e.n) * float64(e.q)
		prior += e.prior
		if e.n > 0 {
			mass += e.prior
		}
		all = all && e.has(edgeProven)
		if e.has(edgeProven) && e.cp >= search.Decided && n.flags&(nodeProven|nodeShared) == 0 {
			c.Fatalf("node %d: edge %d wins, and it is not proven", i, k)
		}
		c.line[ply].Make(e.move(), &c.line[ply+1])
		c.edge(i, k, e, ply+1)
		if e.child != none && !c.seen[e.child] {
			c.walk(e.child, ply+1)
		}
	}
	if n.pend != 0 || n.flags&(nodeDeepening|nodeKept|nodeChanged) != 0 {
		c.Fatalf("node %d: %d pending, flags %b", i, n.pend, n.flags)
	}
	if math.Abs(float64(n.mass-mass)) > 1e-3 {
		c.Fatalf("node %d: priors of %v were tried, says %v", i, mass, n.mass)
	}
	if n.n < below || n.flags&nodeFew == 0 && !bare && prior < 0.99 || prior > 1.01 || bare && n.tried > 0 || all && n.flags&(nodeProven|nodeShared) == 0 {
		c.Fatalf("node %d: %d evaluations, %d below, priors %v, all proven %v", i, n.n, below, prior, all)
	}
	mean := (sum + float64(n.n-below)*float64(n.value)) / float64(n.n) // its own value counts until it has children
	if i != tr.root && math.Abs(mean-float64(n.q)) > 1e-3 {
		c.Fatalf("node %d: it has the mean %v, want %v", i, n.q, mean)
	}
}

// edge checks an edge of a node, whose position is some plies below the root.
func (c *checker) edge(i uint32, k int, e *edge, ply int) {
	if e.pend != 0 || e.has(edgePending) {
		c.Fatalf("node %d: edge %d: %d pending after the search", i, k, e.pend)
	}
	p, keys := &c.line[ply], c.pr.loop.Game().Keys()
	drawn := board.Drawn(c.line[:], ply, keys, len(keys)-1) || !p.HasLegalMove() && !p.InCheck()
	leaf := e.has(edgeProven) && e.cp == 0 && e.child == none
	back := board.Repeats(c.line[:], ply, keys, len(keys)-1)
	byOther := c.pr.opts.Share && (leaf && e.back() > 0 || !leaf && back > 0 && back < ply) // a repetition in one line of several
	if e.n > 0 && leaf != drawn && !byOther && !c.pr.loop.Covers(p) {
		c.Fatalf("node %d: edge %d is settled as a draw: %v, the rules say %v", i, k, leaf, drawn)
	}
	if e.child == none {
		return
	}
	child := &c.pr.tree.Nodes.Items[e.child]
	if child.ply != c.pr.plies+uint16(ply) { // so there is no cycle
		c.Fatalf("node %d: edge %d leads to a node of ply %d, want %d", i, k, child.ply, c.pr.plies+uint16(ply))
	}
	shared, settled := child.flags&nodeShared != 0, e.has(edgeProven) && e.cp == 0 // visited since without its node
	if e.n != child.n && !shared && !settled {
		c.Fatalf("node %d: edge %d has %d evaluations, its node %d", i, k, e.n, child.n)
	}
	if !shared && !settled && math.Abs(float64(e.q+child.q)) > 1e-6 {
		c.Fatalf("node %d: edge %d has the mean %v, its node %v", i, k, e.q, child.q)
	}
	if !c.pr.opts.Share && (shared || c.seen[e.child]) {
		c.Fatalf("node %d: edge %d leads to a node of several lines", i, k)
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
			if err := search.SetOptions(&o, x.Name+"="+x.Defaults[regime]); err != nil {
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
	first := pr.choose(n, true)
	e := pr.tree.edge(n, first)
	e.pend = uint16(e.n) + 1
	if slot := pr.choose(n, true); slot == first || slot < 0 {
		t.Errorf("edge %d is chosen with %d pending evaluations of %d", slot, e.pend, e.n)
	}
	e.pend = 0
	if slot := pr.choose(n, true); slot != first {
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
