package bestfirst

import (
	"testing"

	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

// small is a tree that is full after some nodes with one edge each, below the first, which is the root.
func small(t *testing.T, nodes int) *tree {
	t.Helper()
	tr, err := newTree(1<<20, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.free() })
	root := tr.alloc(nodes, nil)
	tr.root = root
	for k := range nodes {
		i := tr.alloc(1, nil)
		if i == none {
			t.Fatal("no memory")
		}
		n := &tr.Nodes.Items[i]
		n.key, n.n, n.value = uint64(k+1)<<33, 1, int16(-10*k)
		*tr.edge(&tr.Nodes.Items[root], k) = edge{bits: uint32(k), n: 1}
		tr.attach(root, uint8(k), i)
		tr.index.Enter(i)
	}
	return tr
}

// used are the keys of the nodes in memory, beside the root's.
func used(tr *tree) map[uint64]bool {
	keys := map[uint64]bool{}
	for i := range tr.Nodes.Items[:tr.Nodes.Top()] {
		if n := &tr.Nodes.Items[i]; n.flags&nodeUsed != 0 && uint32(i) != tr.root {
			keys[n.key] = true
		}
	}
	return keys
}

// The hand spares what was touched once, and passes by the root, parents and what is pending.
func TestClock(t *testing.T) {
	tr := small(t, 6)
	root := &tr.Nodes.Items[tr.root]
	child := func(k int) *node { return &tr.Nodes.Items[tr.edge(root, k).child] }
	for k := range 6 {
		child(k).flags &^= nodeTouched
	}
	child(0).flags |= nodeTouched
	child(1).pend = 1
	child(2).kids = 1
	var gone []int
	for tr.reclaim(nil) {
		left := used(tr)
		for k := range 6 {
			if key := uint64(k+1) << 33; !left[key] && tr.index.Find(key, 0) == none && len(gone) < 6 {
				seen := false
				for _, g := range gone {
					seen = seen || g == k
				}
				if !seen {
					gone = append(gone, k)
				}
			}
		}
	}
	want := []int{3, 4, 5, 0}
	if len(gone) != len(want) {
		t.Fatalf("reclaimed %v, want %v", gone, want)
	}
	for i := range want {
		if gone[i] != want[i] {
			t.Errorf("reclaimed %v, want %v", gone, want)
		}
	}
	if root.kids != 2 || tr.evicted != 4 {
		t.Errorf("%d children, %d evicted", root.kids, tr.evicted)
	}
	if e := tr.edge(root, 4); e.child != none || int(e.value) != search.Towards(-40) || !e.has(edgeValued) {
		t.Errorf("the edge of a reclaimed node: %+v", *e)
	}
}

// A node on which something was spent is stored in the table when it is reclaimed, another is not, and a proven draw
// never.
func TestEvict(t *testing.T) {
	table, err := tt128.New(1)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	tr := small(t, 3)
	root := &tr.Nodes.Items[tr.root]
	for k, evals := range []uint32{1, 50, 50} {
		tr.Nodes.Items[tr.edge(root, k).child].n = evals
	}
	drawn := &tr.Nodes.Items[tr.edge(root, 2).child]
	*tr.edge(drawn, 0) = edge{bits: uint32(board.Move(7))}
	tr.edge(drawn, 0).settle(0, edgeProven)
	drawn.best = 0
	for k, want := range []bool{false, true, false} {
		i := tr.edge(root, k).child
		key := tr.Nodes.Items[i].key
		tr.evict(i, table)
		if _, ok := table.Probe(key, 0); ok != want {
			t.Errorf("node %d is in the table: %v, want %v", k, ok, want)
		}
	}
}

// A node that several edges lead to is taken from all of them.
func TestDetach(t *testing.T) {
	tr := small(t, 4)
	root := &tr.Nodes.Items[tr.root]
	i := tr.edge(root, 0).child
	for k := range 2 { // below two of its siblings, too
		sibling := tr.edge(root, 1+k).child
		*tr.edge(&tr.Nodes.Items[sibling], 0) = edge{}
		if !tr.attach(sibling, 0, i) {
			t.Fatal("no memory")
		}
	}
	if tr.parents.Used() != 2 {
		t.Errorf("%d further parents, want 2", tr.parents.Used())
	}
	tr.detach(&tr.Nodes.Items[i])
	for k := range 2 {
		if e := tr.edge(&tr.Nodes.Items[tr.edge(root, 1+k).child], 0); e.child != none || !e.has(edgeValued) {
			t.Errorf("sibling %d still leads there", k)
		}
	}
	if tr.parents.Used() != 0 || tr.edge(root, 0).child != none || root.kids != 3 {
		t.Errorf("%d further parents, %d children", tr.parents.Used(), root.kids)
	}
}

// A proven draw is not shared: it may rest on what was played before. A proven win is.
func TestKnown(t *testing.T) {
	tr := small(t, 2)
	root := &tr.Nodes.Items[tr.root]
	for value, want := range map[int16]bool{0: false, search.MateScore - 9: true} {
		i := tr.edge(root, 1).child
		n := &tr.Nodes.Items[i]
		n.flags, n.value = n.flags|nodeProven, value
		if got := tr.known(n.key, n.ply) == i; got != want {
			t.Errorf("a node of proven score %d is shared: %v, want %v", value, got, want)
		}
		if tr.known(n.key, n.ply+1) != none {
			t.Error("a node is shared by a line of another length")
		}
	}
}
