package bestfirst

import (
	"math"
	"testing"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/treesearch"
)

// silent is a Deepener that knows nothing.
type silent struct{}

func (silent) Forget() {}

func (silent) Work() (int64, int) { return 0, 0 }

func (silent) Leaf(*board.Position, []uint64, int, int, func() bool) (int, board.Move) {
	return 0, board.NullMove
}

// grown is the promoter of a search that ended after some evaluations, its root ranked for the next batch.
func grown(t *testing.T, fen string, evals int64, o Options) *promoter {
	t.Helper()
	s := open(t, newMock(t), o)
	run(s, gameOf(t, fen), search.Limits{Evals: evals})
	s.promoter.beginDescents()
	return s.promoter
}

// middle is a position of the middle game.
const middle = "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10"

// The edge that is chosen has the best ratio of all that are neither pending nor proven.
func TestChoose(t *testing.T) {
	pr := grown(t, middle, 3000, Options{})
	seen := 0
	for i := range pr.tree.Nodes.Items[:pr.tree.Nodes.Top()] {
		n := &pr.tree.Nodes.Items[i]
		if n.flags&nodeUsed == 0 || uint32(i) == pr.tree.root || n.flags&nodeProven != 0 || n.tried < 2 {
			continue
		}
		slot := pr.policy.choose(n, 1)
		f, want, best := pr.policy.(*ranking).frame, -1, float32(-1)
		for k := range min(int(n.tried)+1, n.made()) {
			e := pr.tree.edge(n, k)
			if e.has(edgePending | edgeProven) {
				continue
			}
			gap, way := f.gapOf(n, e, k == int(n.best))
			if r := f.tables.ratioOf(e, gap, way, f.grow); r > best {
				want, best = k, r
			}
		}
		if slot != want {
			t.Fatalf("node %d: edge %d is chosen, want %d", i, slot, want)
		}
		if slot >= 0 {
			e := pr.tree.edge(n, slot)
			e.bits |= edgePending
			if pr.policy.choose(n, 1) == slot {
				t.Fatalf("node %d: edge %d is chosen while it is pending", i, slot)
			}
			e.bits &^= edgePending
		}
		seen++
	}
	if seen < 50 {
		t.Errorf("%d nodes seen", seen)
	}
	if slot := pr.policy.choose(pr.root(), maxPly); slot != -1 {
		t.Errorf("edge %d is chosen %d plies deep", slot, maxPly)
	}
}

// The best root moves, one for each PV, are asked to fall below the next, the others to rise to the worst of
// them.
func TestRankRoot(t *testing.T) {
	moves := make([]rootMove, 5)
	for i, q := range []float32{0.1, 0.5, 0.2, 0.4, -0.3} {
		moves[i] = rootMove{edge: &edge{bits: edgeValued}, slot: i, q: q}
	}
	moves[4].edge.bits, moves[4].q = 0, 0.9 // without an evaluation it is none of the best
	for k := range 2 {
		bestToFront(moves[k:])
	}
	setGaps(moves, 2)
	for i, want := range []rootMove{{slot: 1, gap: minGap, way: rises}, {slot: 3, gap: minGap, way: rises}, {slot: 0, gap: 0.3, way: falls},
		{slot: 2, gap: 0.2, way: falls}, {slot: 4, gap: minGap, way: falls}} {
		r := moves[i]
		if r.slot != want.slot || math.Abs(float64(r.gap-want.gap)) > 1e-6 || r.way != want.way {
			t.Errorf("place %d: slot %d, gap %v, way %d, want %+v", i, r.slot, r.gap, r.way, want)
		}
	}
	moves[4].q = 0
	setGaps(moves, 2)
	if got := moves[1].gap; math.Abs(float64(got)-0.2) > 1e-6 {
		t.Errorf("the second move's gap is %v, want 0.2", got)
	}
}

// counts are the sums of what descents count.
type counts struct{ n, pend, edges, pending int }

func countsOf(t *tree) (c counts) {
	for i := range t.Nodes.Items[:t.Nodes.Top()] {
		n := &t.Nodes.Items[i]
		if n.flags&nodeUsed == 0 {
			continue
		}
		c.n += int(n.n)
		c.pend += int(n.pend)
		for k := range n.made() {
			e := t.edge(n, k)
			c.edges += int(e.n)
			if e.has(edgePending) {
				c.pending++
			}
		}
	}
	return c
}

// A descent that reaches a new position, or a node without edges, counts it as pending along its path; unspend takes that back.
func TestDescend(t *testing.T) {
	seen := map[outcome]bool{}
	for evals := int64(500); !seen[newPosition] || !seen[bareNode]; evals++ {
		if evals == 600 {
			t.Fatalf("outcomes %v", seen)
		}
		pr := grown(t, middle, evals, Options{})
		seen[descendAndBack(t, pr)] = true
	}
}

// descendAndBack checks one descent, and tells its outcome.
func descendAndBack(t *testing.T, pr *promoter) outcome {
	before, end, reached := countsOf(pr.tree), pr.descend(), uint32(none)
	plies, nodes := len(pr.path), len(pr.path)
	switch end {
	case newPosition:
	case bareNode:
		reached, nodes = pr.path[plies-1].edge.child, plies+1
	default:
		t.Fatalf("outcome %d", end)
	}
	want := counts{before.n + nodes, nodes, before.edges + plies, 1}
	if got := countsOf(pr.tree); got != want {
		t.Errorf("%+v after a path of %d, want %+v", got, plies, want)
	}
	p := pr.line[0]
	for i, st := range pr.path {
		var next board.Position
		p.Make(st.edge.move(), &next)
		if p = next; pr.line[i+1] != p {
			t.Fatalf("the position after %d plies is another", i+1)
		}
	}
	_, l := pr.takeLeaf(newLeaf)
	l.node, l.path = reached, append(l.path, pr.path...)
	pr.unspend(l)
	if got := countsOf(pr.tree); got != before {
		t.Errorf("%+v after unspend, want %+v", got, before)
	}
	return end
}

// Where everything is pending a descent is blocked. Its detour is counted until Unblock.
func TestBlocked(t *testing.T) {
	pr := grown(t, middle, 300, Options{Tuning: tuned("share=off pending=100")})
	r := &pr.roots[0]
	child := &pr.tree.Nodes.Items[r.edge.child]
	for k := range child.made() {
		pr.tree.edge(child, k).bits |= edgePending
	}
	for i := range pr.roots[1:] {
		pr.roots[1+i].edge.bits |= edgePending
	}
	before := countsOf(pr.tree)
	if end := pr.descend(); end != blocked || len(pr.path) != 1 {
		t.Fatalf("outcome %d after a path of %d", end, len(pr.path))
	}
	if got := countsOf(pr.tree); got.n != before.n+1 || got.edges != before.edges+1 || got.pend != 0 {
		t.Errorf("%+v, want one more at a node and an edge than %+v", got, before)
	}
	if pr.unblock(); countsOf(pr.tree) != before {
		t.Errorf("%+v after Unblock, want %+v", countsOf(pr.tree), before)
	}
}

// A node at its pending limit is skipped until a batch returns.
func TestSkip(t *testing.T) {
	pr := grown(t, middle, 500, Options{Tuning: tuned("share=off")})
	first := pr.tree.edge(pr.root(), pr.policy.choose(pr.root(), 0))
	n := &pr.tree.Nodes.Items[first.child]
	if pr.full(n) {
		t.Fatal("full without a pending evaluation")
	}
	spare := uint16(pr.opts.Pending*float64(n.n)) + 1 // more than may be pending beside those that were completed
	n.n, n.pend = n.n+uint32(spare), spare
	if !pr.full(n) {
		t.Fatalf("%d pending of %d evaluations: not full", n.pend, n.n)
	}
	if e := pr.follow(pr.tree.root); e == nil || e == first || !first.has(edgePending) {
		t.Error("the full node was not skipped")
	}
	if pr.unblock(); first.has(edgePending) {
		t.Error("it is skipped after a batch returned")
	}
}

// The outcomes at a node: a leaf that is deepened, and one that is for another parent already.
func TestArrive(t *testing.T) {
	pr := grown(t, middle, 60, Options{Leaves: []treesearch.Deepener{silent{}}})
	var leafEdge *edge
	for i := range pr.roots {
		if e := pr.roots[i].edge; e.child != none && pr.inPlace(&pr.tree.Nodes.Items[e.child]) {
			leafEdge = e
		}
	}
	if leafEdge == nil {
		t.Fatal("no leaf of the root is to be deepened")
	}
	n := &pr.tree.Nodes.Items[leafEdge.child]
	before := *n
	if end := pr.arrive(leafEdge); end != sameLeaf || n.n != before.n+1 || n.pend != 1 {
		t.Errorf("outcome %d, %d evaluations, %d pending", end, n.n, n.pend)
	}
	if end := pr.arrive(leafEdge); end != blocked || n.pend != 1 {
		t.Errorf("a leaf that waits already: outcome %d, %d pending", end, n.pend)
	}
	pr.endAsking(leafEdge.child)
	if n.plies = uint8(pr.opts.Deepen); pr.arrive(leafEdge) != onward {
		t.Error("a leaf that is deep enough gets no children")
	}
	n.parents = 1 // another line proved it
	n.flags |= nodeProven
	if pr.arrive(leafEdge) != provenEdge || !leafEdge.has(edgeProven) {
		t.Error("what another line proved is not learned")
	}
}

// What a descent reaches is settled, or becomes a leaf of its kind.
func TestVisit(t *testing.T) {
	for name, c := range map[string]struct {
		fen, move string
		want      int // value of the edge; 0 where it waits
		waits     bool
	}{
		"quiet":       {middle, "f8e8", 0, true},
		"mate":        {"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8", search.MateScore - 1, false},
		"stalemate":   {"7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g6", 0, false},
		"mate in one": {"6k1/5ppp/8/8/8/2p5/8/R6K b - - 0 1", "c3c2", -(search.MateScore - 2), false},
	} {
		s := open(t, newMock(t), Options{})
		pr := s.promoter
		g := gameOf(t, c.fen)
		run(s, g, search.Limits{Evals: 1})
		pr.path = pr.path[:0]
		n := pr.root()
		for k := range int(n.moves) {
			if e := pr.tree.edge(n, k); g.Pos.UCI(e.move(), false) == c.move {
				e.bits &^= edgeProven | edgeValued
				pr.path = append(pr.path, step{node: pr.tree.root, edge: e})
				pr.line[0].Make(e.move(), &pr.line[1])
			}
		}
		pr.spend()
		pipeline := batcher.NewPipeline(newMock(t), nil)
		t.Cleanup(pipeline.Close)
		b := pipeline.Get()
		pr.visit(b, newPosition)
		pr.backUpTo(0)
		e := pr.path[0].edge
		if c.waits {
			if l := &pr.leaves[b.Items[0].Ref]; b.Len() != 1 || l.kind != newLeaf || len(l.path) != 1 || e.has(edgeValued) || !e.has(edgePending) {
				t.Errorf("%s: %d items, leaf %d, flags %x", name, b.Len(), l.kind, e.bits>>26)
			}
			continue
		}
		if b.Len() != 0 || int(e.value) != c.want || !e.has(edgeProven) || e.has(edgePending) || n.pend != 0 {
			t.Errorf("%s: %d items, value %d, want %d, flags %x, %d pending", name, b.Len(), e.value, c.want, e.bits>>26, n.pend)
		}
	}
}

// A leaf becomes what its kind says, and an abandoned one leaves no trace.
func TestExpand(t *testing.T) {
	pr := grown(t, middle, 200, Options{})
	before := countsOf(pr.tree)
	gather := func() (*batcher.Item, *leaf) {
		pr.beginDescents()
		for pr.descend() != newPosition {
			pr.unblock()
		}
		id, l := pr.takeLeaf(newLeaf)
		it := &batcher.Item{Position: pr.line[len(pr.path)]}
		it.Moves = it.Position.LegalMoves(nil)
		l.Begin(&it.Position, it.Moves)
		it.Policy = make([]float32, len(it.Moves))
		it.Eval = batcher.Eval{D: 1, Q: 0.25, Sigma: 0.1}
		pr.wait(it, id, l)
		return it, l
	}
	it, _ := gather()
	pr.Abandon(it.Ref)
	if got := countsOf(pr.tree); got != before {
		t.Errorf("%+v after a leaf was abandoned, want %+v", got, before)
	}
	it, l := gather()
	treesearch.NewPolicy(1).Order(it, l.Leaf)
	nodes := pr.tree.Nodes.Used()
	pr.Expand([]batcher.Item{*it})
	e := l.path[len(l.path)-1].edge
	if e.child == none || e.has(edgePending) || pr.tree.Nodes.Used() != nodes+1 || countsOf(pr.tree).pend != 0 {
		t.Fatalf("child %d, flags %x, %d nodes after %d", e.child, e.bits>>26, pr.tree.Nodes.Used(), nodes)
	}
	n := &pr.tree.Nodes.Items[e.child]
	if n.n != 1 || n.draw != math.MaxUint16 || math.Abs(codeSigma(n.sigma)-0.1) > 0.003 || math.Abs(float64(n.net())-0.25) > 0.02 {
		t.Errorf("a node of %d evaluations, draw %d, sigma %v, net %v", n.n, n.draw, codeSigma(n.sigma), n.net())
	}
	it, l = gather()
	l.kind = prefetchedLeaf
	pr.unspend(l)
	treesearch.NewPolicy(1).Order(it, l.Leaf)
	pr.Expand([]batcher.Item{*it})
	i := pr.tree.index.Find(it.Position.Key, pr.plies+uint16(len(l.path)))
	if n := &pr.tree.Nodes.Items[i]; i == none || n.parent != none || n.n != 1 {
		t.Errorf("a prefetched leaf became node %d, parent %d", i, n.parent)
	}
}
