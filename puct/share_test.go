package puct

import (
	"math"
	"testing"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
	"tesla/treesearch/treetest"
)

// Where lines share nodes hardly any position has two nodes of the same ply: those that are proven draws. Else many have.
func TestShare(t *testing.T) {
	for _, words := range []string{plainWords, "correct=0 share=on deviation=0"} {
		s := open(t, treetest.Mock(t), Options{Tuning: tuned(false, words), BatchSize: 1})
		run(s, treetest.Game(t, "8/8/8/p1k5/P7/2K5/8/8 w - - 0 1"), search.Limits{Evals: 2000})
		check(t, s)
		type place struct {
			key uint64
			ply uint16
		}
		places, several, tr := map[place]bool{}, 0, s.promoter.tree
		for i := range tr.Nodes.Items[:tr.Nodes.Top()] {
			n := &tr.Nodes.Items[i]
			if n.flags&nodeUsed != 0 {
				places[place{n.key, n.ply}] = true
			}
			if n.flags&nodeShared != 0 {
				several++
			}
		}
		twice, share := tr.Nodes.Used()-len(places), s.promoter.opts.Share
		if share && (several < 100 || twice > several/10) || !share && (several > 0 || twice < 100) {
			t.Errorf("share %v: of %d nodes %d have several lines, and %d the position and ply of another", share, tr.Nodes.Used(), several, twice)
		}
	}
}

// A line joins the node of a position unless that is a proven draw, which may rest on another line, or the fifty moves
// are near.
func TestShared(t *testing.T) {
	s := open(t, treetest.Mock(t), Options{Tuning: tuned(false, "share=on")})
	run(s, treetest.Game(t, treetest.Start), search.Limits{Evals: 10})
	pr := s.promoter
	i := pr.tree.edge(pr.root(), 0).child
	n := &pr.tree.Nodes.Items[i]
	for name, c := range map[string]struct {
		proven   bool
		cp       int
		halfmove uint8
		ply      int
		want     bool
	}{
		"not proven":             {false, 0, 10, 1, true},
		"not proven, late":       {false, 0, treesearch.ShareHalfmove, 1, false},
		"another ply":            {false, 0, 10, 3, false},
		"draw":                   {true, 0, 10, 1, false},
		"mate":                   {true, search.MateScore - 9, 10, 1, true},
		"mate after fifty moves": {true, search.MateScore - 29, 75, 1, false},
	} {
		n.flags, n.cp = 0, int16(c.cp)
		if c.proven {
			n.flags = nodeProven
		}
		p := board.Position{Key: n.key, Halfmove: c.halfmove}
		if got := pr.shared(&p, c.ply) == i; got != c.want {
			t.Errorf("%s: shared %v, want %v", name, got, c.want)
		}
	}
	n.flags = 0
	if pr.opts.Share = false; pr.shared(&board.Position{Key: n.key}, 1) != none {
		t.Error("a node is shared with share=off")
	}
}

// A node of several lines is a proven mate only where the fifty moves come too late in all of them.
func TestProvenInTime(t *testing.T) {
	s := open(t, treetest.Mock(t), Options{Tuning: tuned(false, "share=on")})
	run(s, treetest.Game(t, treetest.Start), search.Limits{Evals: 10})
	tr, n := s.promoter.tree, s.promoter.root()
	tr.edge(n, 0).prove(search.MateScore - 21)
	n.clock = 90
	for _, flags := range []uint8{0, nodeShared} {
		n.flags = flags
		if _, ok := tr.proven(n); ok == (flags == nodeShared) {
			t.Errorf("flags %b: proven %v", flags, ok)
		}
	}
}

// When the root moves, what the game makes a draw becomes one on all lines that lead there, and the nodes above are
// recomputed. A draw that rests on what is before the root is none.
func TestRejudge(t *testing.T) {
	s := open(t, treetest.Mock(t), Options{Tuning: tuned(false, "share=on"), BatchSize: 1})
	run(s, treetest.Game(t, "k7/8/8/8/8/8/R7/K7 b - - 0 1"), search.Limits{Evals: 3000})
	pr := s.promoter
	tr, root := pr.tree, pr.root()
	at := tr.edge(root, 0).child
	n := &tr.Nodes.Items[at]
	below := tr.Nodes.Items[tr.edge(n, 0).child].key
	tr.rejudge(tr.root, 0, map[uint64]bool{below: true})
	for k := range int(n.tried) {
		if e := tr.edge(n, k); e.child != none && tr.Nodes.Items[e.child].key == below || k == 0 && (e.q != 0 || !e.has(edgeProven) || e.cp != 0) {
			t.Errorf("edge %d: %+v", k, *e)
		}
	}
	if e := tr.edge(root, 0); n.flags&nodeChanged == 0 || e.q != -n.q {
		t.Errorf("the edge above has %v, its node %v", e.q, n.q)
	}
	tr.sweep()
	draw := tr.edge(n, 0)
	draw.note(4, 4)
	before := n.n - draw.n
	tr.rejudge(at, 1, nil)
	if e := tr.edge(n, 0); e.n != 0 || e.has(edgeProven) || n.n != before {
		t.Errorf("%+v, %d evaluations, want %d", *e, n.n, before)
	}
}

// The mean square is the variance of the values that came through a node, and the deviation begins at the usual one.
func TestDeviation(t *testing.T) {
	n, e := node{n: 1, q: 0.1, pend: 6}, edge{}
	if d := n.deviation(); d > usualDeviation || d < 0.9*usualDeviation {
		t.Errorf("a new node has the deviation %v", d)
	}
	sum, squares := 0.1, 0.01
	for _, q := range []float64{0.5, -0.3, 0.2, 0.2, -0.8, 0.6} {
		sum += q
		squares += q * q
		before := e
		e.n++
		e.q += (float32(q) - e.q) / float32(e.n)
		n.count(float32(q), float32(e.n), e.q, float32(before.n), before.q)
	}
	mean := sum / 7
	if want := squares/7 - mean*mean; math.Abs(float64(n.q)-mean) > 1e-6 || math.Abs(float64(n.square)-want) > 1e-6 || n.n != 7 || n.pend != 0 {
		t.Errorf("%+v, want the mean %v and the variance %v", n, mean, want)
	}
	for range 3 {
		n.n *= 100
	}
	if d := n.deviation(); math.Abs(d-math.Sqrt(float64(n.square))) > 1e-3 {
		t.Errorf("a large node has the deviation %v, its values %v", d, math.Sqrt(float64(n.square)))
	}
}

// A search learns corrections, and a new game begins without.
func TestCorrections(t *testing.T) {
	s := open(t, treetest.Mock(t), Options{Tuning: tuned(false, "correct=0.4")})
	run(s, treetest.Game(t, treetest.Start), search.Limits{Evals: 500})
	if s.promoter.corrections == (treesearch.Corrections{}) {
		t.Error("nothing was learned")
	}
	if s.NewGame(); s.promoter.corrections != (treesearch.Corrections{}) {
		t.Error("a new game begins with corrections of the last")
	}
}
