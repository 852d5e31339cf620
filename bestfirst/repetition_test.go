package bestfirst

import (
	"testing"

	"tesla/board"
	"tesla/search"
)

// A draw by repetition goes with its node. One that was proven by a node that is reclaimed rests on the game.
func TestMoveDraws(t *testing.T) {
	tr := small(t, 2)
	root := &tr.Nodes.Items[tr.root]
	i := tr.edge(root, 0).child
	n := &tr.Nodes.Items[i]
	n.tried, n.flags, n.value = 1, n.flags|nodeProven, 0
	tr.draws[parent{i, 0}] = draw{key: 7, since: 3}
	tr.evict(i, nil)
	if d := tr.draws[parent{tr.root, 0}]; len(tr.draws) != 1 || d.since != played || d.key != 1<<33 {
		t.Errorf("%+v", tr.draws)
	}
	tr.evict(tr.edge(root, 1).child, nil) // not proven
	if len(tr.draws) != 1 {
		t.Errorf("%+v", tr.draws)
	}
	if tr.clear(); len(tr.draws) != 0 {
		t.Errorf("%+v after the tree was cleared", tr.draws)
	}
}

// When the root moves, draws that rest on what is before it are no draws any more, others stay, and what the game makes
// a draw becomes one. The nodes above are recomputed.
func TestRejudge(t *testing.T) {
	g := gameOf(t, middle, "g8h8", "g1h1", "h8g8", "h1g1", "g8h8", "g1h1", "h8g8", "h1g1") // twice and thrice
	tr := small(t, 3)
	pr := ranked(t, tr)
	pr.plies = uint16(len(g.Moves))
	n := &tr.Nodes.Items[tr.root]
	n.tried, n.ply, n.rest = 3, pr.plies, 0.2
	for k, d := range []draw{{key: 1, since: len(g.Moves) - 2}, {key: 2, since: len(g.Moves)}, {key: g.Keys()[1], since: played}} {
		e := tr.edge(n, k)
		tr.detach(&tr.Nodes.Items[e.child])
		e.prior = 13107
		e.settle(0, edgeProven)
		tr.draws[parent{tr.root, uint8(k)}] = d
	}
	if pr.policy.refresh(n, nil); n.flags&nodeProven == 0 {
		t.Fatal("all moves draw, and the node is not proven")
	}
	pr.rejudge(g)
	if e := tr.edge(n, 0); e.has(edgeProven|edgeValued) || e.n != 0 || !tr.edge(n, 1).has(edgeProven) || !tr.edge(n, 2).has(edgeProven) || len(tr.draws) != 2 {
		t.Errorf("%+v, %+v, %+v, noted %v", *e, *tr.edge(n, 1), *tr.edge(n, 2), tr.draws)
	}
	if n.flags&nodeProven != 0 || n.rest < 0.39 || n.rest > 0.41 {
		t.Errorf("flags %b, rest %v: want the policy of the open edge, too", n.flags, n.rest)
	}
}

// A position of the tree that has been played twice since becomes a draw on all lines to it.
func TestPlayedTwice(t *testing.T) {
	s := open(t, newMock(t), Options{})
	g := gameOf(t, "k7/8/8/8/8/8/R7/K7 b - - 0 1", "a8b8")
	run(s, g, search.Limits{Evals: 3000})
	pr := s.promoter
	var p, reply board.Position
	g.Pos.Make(move(t, &g.Pos, "a2c2"), &p)
	p.Make(move(t, &p, "b8a8"), &reply)
	i := pr.tree.index.Find(reply.Key, pr.plies+2)
	if i == none {
		t.Fatal("no node to make a draw of")
	}
	c := changed{}
	above := pr.tree.parentsOf(&pr.tree.Nodes.Items[i])
	pr.tree.replaceByDraw(i, c)
	pr.refreshAll(c)
	for _, at := range above {
		e := pr.tree.edge(&pr.tree.Nodes.Items[at.node], int(at.slot))
		if e.child != none || e.value != 0 || !e.has(edgeProven) || pr.tree.draws[at].since != played {
			t.Errorf("edge %+v: %+v", at, *e)
		}
		for _, up := range pr.tree.parentsOf(&pr.tree.Nodes.Items[at.node]) {
			e := pr.tree.edge(&pr.tree.Nodes.Items[up.node], int(up.slot))
			if n := &pr.tree.Nodes.Items[at.node]; int(e.value) != search.Towards(int(n.value)) {
				t.Errorf("edge %+v has %d, its node %d", up, e.value, n.value)
			}
		}
	}
	if len(above) == 0 {
		t.Error("no edge led there")
	}
}

// A node of several lines is a proven mate only where the fifty moves come too late in all of them.
func TestInTime(t *testing.T) {
	tr := small(t, 2)
	pr := ranked(t, tr)
	i := tr.edge(&tr.Nodes.Items[tr.root], 0).child
	n := &tr.Nodes.Items[i]
	n.tried, n.clock = 1, 90
	*tr.edge(n, 0) = edge{prior: 65535, n: 1}
	tr.edge(n, 0).settle(search.MateScore-21, edgeProven)
	for _, several := range []bool{false, true} {
		if several {
			tr.attach(tr.root, 1, i)
		}
		if pr.policy.refresh(n, nil); (n.flags&nodeProven != 0) == several {
			t.Errorf("several lines %v: proven %v", several, n.flags&nodeProven != 0)
		}
	}
}

// A nearer mate below a node is told to all lines that lead there at once.
func TestTell(t *testing.T) {
	tr := small(t, 2)
	pr := ranked(t, tr)
	root := &tr.Nodes.Items[tr.root]
	root.tried = 2
	i := tr.edge(root, 0).child
	n := &tr.Nodes.Items[i]
	tr.Nodes.Items[i].ply = 1
	for k := range 2 {
		tr.edge(root, k).prior = 30000
		tr.edge(root, k).settle(100, 0)
	}
	tr.attach(tr.root, 1, i)
	n.flags, n.value = n.flags|nodeProven, 4-search.MateScore
	pr.tell(i)
	for k := range 2 {
		if e := tr.edge(root, k); !e.has(edgeProven) || int(e.value) != search.MateScore-5 {
			t.Errorf("edge %d: %+v", k, *e)
		}
	}
	if root.flags&nodeProven == 0 || int(root.value) != search.MateScore-5 {
		t.Errorf("the node above has %d, flags %b", root.value, root.flags)
	}
}

// ranked is a promoter of a tree with the policy of the best-first search.
func ranked(t *testing.T, tr *tree) *promoter {
	t.Helper()
	pr := &promoter{tree: tr, net: "mock", opts: Options{Tuning: DefaultTuning(false)}}
	if err := pr.setPolicy(); err != nil {
		t.Fatal(err)
	}
	return pr
}

func move(t *testing.T, p *board.Position, text string) board.Move {
	t.Helper()
	m, err := p.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
