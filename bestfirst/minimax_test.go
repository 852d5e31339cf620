package bestfirst

import (
	"math"
	"testing"

	"tesla/board"
	"tesla/search"
)

// Without evidence, width and sharing a node's value is plain minimax over what its edges hold, wherever the tree has
// grown.
func TestMinimax(t *testing.T) {
	pr := grown(t, "8/8/1p2k3/p1p5/P1P5/1P2K3/8/8 w - - 0 1", 4000, Options{Tuning: tuned("share=off evidence=0 width=0"), BatchSize: 1})
	tr, seen := pr.tree, 0
	var minimax func(i uint32) float64
	minimax = func(i uint32) float64 {
		n := &tr.Nodes.Items[i]
		best, proven := math.Inf(-1), 0
		for k := range int(n.tried) {
			e := tr.edge(n, k)
			var v float64
			switch {
			case !e.has(edgeValued):
				continue
			case e.child != none && tr.Nodes.Items[e.child].tried > 0 && !e.has(edgeProven):
				v = -minimax(e.child)
			default:
				v = float64(qOf[uint16(e.value)])
			}
			if e.has(edgeProven) {
				proven++
			}
			best = max(best, v)
		}
		if proven == int(n.moves) || best > 1 {
			if n.flags&nodeProven == 0 {
				t.Errorf("node %d is proven, and does not know", i)
			}
			return best
		}
		if n.rest < restGone { // else the rest may be worth more
			if seen++; math.Abs(float64(n.q)-best) > 2e-3 {
				t.Fatalf("node %d: q %v, minimax %v", i, n.q, best)
			}
			return best
		}
		return float64(n.q)
	}
	minimax(tr.root)
	if seen < 30 {
		t.Errorf("%d nodes compared", seen)
	}
}

// Backing up gives the same best move and values whether one edge is named as changed or any may have changed. Without
// evidence, for otherwise a value that is not looked at again is about the node's value of an earlier time.
func TestUpdate(t *testing.T) {
	pr := grown(t, middle, 2000, Options{Tuning: tuned("evidence=0")})
	seen := 0
	for i := range pr.tree.Nodes.Items[:pr.tree.Nodes.Top()] {
		n := &pr.tree.Nodes.Items[i]
		if n.flags&nodeUsed == 0 || n.tried < 2 || n.flags&nodeProven != 0 {
			continue
		}
		pr.policy.refresh(n, nil)
		for k := range int(n.tried) {
			e := pr.tree.edge(n, k)
			if !e.has(edgeValued) || e.has(edgeProven) {
				continue
			}
			e.value += int16(300 * (k%3 - 1)) // 37 centipawns up or down
			before := *n
			pr.policy.refresh(n, e)
			told := *n
			*n = before
			pr.policy.refresh(n, nil)
			if seen++; told.best != n.best || told.first != n.first || told.q != n.q || told.second < n.second {
				t.Fatalf("node %d, edge %d: best %d of %v, want %d of %v", i, k, told.best, told.first, n.best, n.first)
			}
		}
	}
	if seen < 500 {
		t.Errorf("%d changes seen", seen)
	}
}

// A snapshot holds each evaluated move once, after its parent, with its facts; a smaller one is its beginning.
func TestSnapshot(t *testing.T) {
	s := open(t, newMock(t), Options{})
	if _, ok := s.Snapshot(1000); ok {
		t.Error("a tree before the first search")
	}
	g := gameOf(t, middle)
	r := run(s, g, search.Limits{Evals: 2000, MultiPV: 3})
	checkSnapshot(t, s, g, r)
	whole, _ := s.Snapshot(math.MaxInt)
	evals, shared, best := uint32(1), 0, 0
	for _, n := range whole.Tree {
		if n.Parent == 0 {
			evals += n.N
		}
		if n.Again {
			shared++
		}
		if n.Parent == 0 && n.Gap < 0 {
			best++
		}
	}
	if best != 3 {
		t.Errorf("%d root moves must fall to change which are the best three", best)
	}
	if evals != whole.Tree[0].N || shared == 0 {
		t.Errorf("the root moves have %d evaluations, the root %d; %d shared nodes", evals, whole.Tree[0].N, shared)
	}
}

// A report's line is legal and begins with the move to play; the statistics list all root moves, the worst first.
func TestReport(t *testing.T) {
	s := open(t, newMock(t), Options{Verbose: true})
	g := gameOf(t, middle)
	var roots []search.RootMove
	r, err := s.Search(t.Context(), g, search.Limits{Evals: 2000}, func(i search.Info) {
		if i.Roots != nil {
			roots = i.Roots
		}
	})
	if err != nil || len(r.Info.PV) < 2 || r.Info.PV[0] != r.Best || r.Info.PV[1] != r.Ponder {
		t.Fatalf("%+v, %v", r, err)
	}
	p := g.Pos
	for _, m := range r.Info.PV {
		if !p.IsLegal(m) {
			t.Fatalf("%s is not legal", p.UCI(m, false))
		}
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	sum := int64(1) // the root's own
	for _, m := range roots {
		sum += m.N
		if m.Policy <= 0 || m.Sigma <= 0 || m.Gain < 0 || m.N == 0 && !math.IsNaN(m.V) {
			t.Errorf("%+v", m)
		}
	}
	if len(roots) != len(g.Pos.LegalMoves(nil)) || roots[len(roots)-1].Move != r.Best || sum != r.Info.Evals {
		t.Errorf("%d moves of %d evaluations, the best last: %v", len(roots), sum, roots[len(roots)-1].Move == r.Best)
	}
}

// The move to play has the highest lower confidence bound of those with enough evaluations; proven losses come last,
// wins first.
func TestPlayOrder(t *testing.T) {
	pr := grown(t, middle, 500, Options{})
	order := pr.policy.playOrder()
	enough := choiceShare * float64(pr.roots[0].edge.n)
	bound := func(e *edge, q float32) float64 {
		fit := fitOfSearcher(t)
		scale := math.Pow(codeSigma(e.sigmaCode()), fit.Power) * math.Exp(fit.Error) * math.Pow(float64(e.n), -fit.Decay)
		return float64(q) - pr.opts.LCB*scale
	}
	top := bound(order[0].edge, order[0].q)
	for _, r := range order {
		if r.edge.has(edgeValued) && float64(r.edge.n) >= enough && bound(r.edge, r.q) > top+0.01 {
			t.Errorf("a bound of %v is played, another has %v", top, bound(r.edge, r.q))
		}
	}
	second, last := order[1].edge, order[len(order)-1].edge
	second.settle(-(search.MateScore - 4), edgeProven)
	last.settle(search.MateScore-3, edgeProven)
	if order = pr.policy.playOrder(); order[0].edge != last || order[len(order)-1].edge != second {
		t.Error("a proven win is not first, or a proven loss not last")
	}
	if last.n > 0 && !pr.State().Proven {
		t.Error("no move is marked as proven")
	}
}

// fitOfSearcher is the fit that a search on the mock has.
func fitOfSearcher(t *testing.T) Fit {
	t.Helper()
	f, err := FitOf("mock")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The leaves are the evaluated positions below which no move is evaluated, as the written tree has them.
func TestLeaves(t *testing.T) {
	s := open(t, newMock(t), Options{})
	for range s.Leaves() {
		t.Error("a leaf before the first search")
	}
	g := gameOf(t, middle)
	run(s, g, search.Limits{Evals: 300})
	want := map[string]int{}
	whole, _ := s.Snapshot(math.MaxInt)
	at, parents := make([]board.Position, len(whole.Tree)), map[int32]bool{}
	at[0] = g.Pos
	for i, n := range whole.Tree[1:] {
		at[n.Parent].Make(n.Move, &at[i+1])
		parents[n.Parent] = true
	}
	for i, n := range whole.Tree {
		if inMemory := n.Net == n.Net; inMemory && !n.Proven && !n.Again && !parents[int32(i)] {
			want[at[i].FEN(true)]++
		}
	}
	for p := range s.Leaves() {
		want[p.FEN(true)]--
	}
	if len(want) < 100 || len(want) > 290 {
		t.Errorf("%d leaves", len(want))
	}
	for fen, n := range want {
		if n != 0 {
			t.Errorf("%s: missing or there too often, by %d", fen, n)
		}
	}
	for range s.Leaves() { // ends where the caller does
		break
	}
}

// BenchmarkSnapshot is what the promoter does for who watches a search, at most five times a second, in a tree of
// 100,000 evaluations.
func BenchmarkSnapshot(b *testing.B) {
	s := open(b, newMock(b), Options{BatchSize: 64})
	run(s, gameOf(b, middle), search.Limits{Evals: 100000, MultiPV: 3})
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.Snapshot(200); !ok {
			b.Fatal("there is no tree")
		}
	}
}
