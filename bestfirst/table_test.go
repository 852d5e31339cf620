package bestfirst

import (
	"testing"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/search"
	"tesla/tt128"
)

// The bounds of an alpha-beta searcher before this one correct the net's value of a position that they rule out, and its move
// becomes the likeliest. Entries that are this searcher's own change nothing.
func TestTable(t *testing.T) {
	slow.Test(t)
	g := gameOf(t, startFEN)
	move := func(p *board.Position, uci string) (board.Move, board.Position) {
		m, err := p.ParseMove(uci)
		if err != nil {
			t.Fatal(err)
		}
		var next board.Position
		p.Make(m, &next)
		return m, next
	}
	m, after := move(&g.Pos, "e2e4")
	reply, _ := move(&after, "a7a6")
	search := func(known tt128.Entry, handed bool) (value float32, first board.Move) {
		s := open(t, newMock(t), Options{})
		s.promoter.table.Store(after.Key, 0, known)
		if handed {
			s.promoter.table.HandOver()
		}
		run(s, g, search.Limits{Evals: 2, SearchMoves: []board.Move{m}})
		tr := s.promoter.tree
		n := &tr.Nodes.Items[tr.root]
		for i := range int(n.moves) {
			if e := tr.edge(n, i); e.move() == m {
				s.promoter.furnish(e.child, &after, true)
				child := &tr.Nodes.Items[e.child]
				return -child.base, tr.edge(child, 0).move()
			}
		}
		t.Fatal("e2e4 has no edge")
		return 0, 0
	}
	const deep = 20
	exact := tt128.NewDraft(-900, -900, deep, reply, false)
	net, first := search(exact, false)
	if first == reply {
		t.Fatal("the test's move is the policy's first")
	}
	for _, c := range []struct {
		entry         tt128.Entry
		value, likely bool // change
	}{
		{exact, true, true},
		{tt128.NewDraft(-900, tt128.Infinity, deep, reply, false), false, true},
		{tt128.NewDraft(-tt128.Infinity, -900, deep, reply, false), true, true},
		{tt128.NewDraft(-tt128.Infinity, -900, deep, board.NullMove, false), true, false},
		{tt128.NewDraft(-tt128.Infinity, tt128.Infinity, deep, reply, false), false, true},
		{tt128.NewDraft(-900, -900, 1, reply, false), true, false},
	} {
		v, most := search(c.entry, true)
		if (v > net+0.2) != c.value && c.entry.Draft() == deep || (v != net) != c.value || (most == reply) != c.likely {
			t.Errorf("%v of %d plies: %v and first %v, the net says %v and %v", c.entry.Bound(), c.entry.Draft(), v, most, net, first)
		}
	}
}

// A search leaves the table empty. When the searcher is closed, the table has the nodes that grew, with their best moves, those
// of the principal variation marked, and keeps drafts that are worth more.
func TestPublish(t *testing.T) {
	g := gameOf(t, startFEN)
	table, err := tt128.New(1)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	s, err := New(newMock(t), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if run(s, g, search.Limits{Evals: 5000}); !table.Empty() {
		t.Fatal("the search stored something")
	}
	tr := s.promoter.tree
	first, child := tr.bestOf(tr.root)
	reply, _ := tr.bestOf(child)
	var second board.Position
	g.Pos.Make(first, &second)
	table.Store(second.Key, 0, tt128.NewDraft(-7, tt128.Infinity, 100, board.NullMove, false))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	root, _ := table.Probe(g.Pos.Key, 0)
	if root.Kind() != tt128.Estimate || root.Move() != first || !root.PV() || tt128.Evaluations(root.Effort()) < 4000 {
		t.Errorf("root: kind %v, move %v, PV %v, effort %v", root.Kind(), root.Move(), root.PV(), root.Effort())
	}
	next, _ := table.Probe(second.Key, 0)
	if next.Draft() != 100 || next.Lower() != -7 || next.Move() != reply || !next.PV() {
		t.Errorf("second: draft %d, lower %d, move %v, PV %v", next.Draft(), next.Lower(), next.Move(), next.PV())
	}
}
