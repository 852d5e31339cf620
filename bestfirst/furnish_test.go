package bestfirst

import (
	"testing"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
	"tesla/treesearch/treetest"
)

// bareEdge is a root move of a grown tree whose node has no edges yet, and its position is pr.line[1].
func bareEdge(t *testing.T, pr *promoter) *edge {
	t.Helper()
	for k := range int(pr.root().moves) {
		e := pr.tree.edge(pr.root(), k)
		if e.child != none && pr.tree.Nodes.Items[e.child].moves == 0 {
			pr.line[0].Make(e.move(), &pr.line[1])
			pr.path = append(pr.path[:0], step{node: pr.tree.root, edge: e})
			return e
		}
	}
	t.Fatal("no node of the root's is bare")
	return nil
}

// A node gets the edges of its first chunk when a descent goes on from it, and the others when these are tried. Together
// they are in the order in which they would have been made at once.
func TestFurnish(t *testing.T) {
	pr := grown(t, middle, 30, Options{})
	e := bareEdge(t, pr)
	n, chunks := &pr.tree.Nodes.Items[e.child], pr.tree.Chunks.Used()
	if n.chunk != none || pr.arrive(e) != onward || n.made() != treesearch.ChunkSize || pr.tree.Chunks.Used() != chunks+1 {
		t.Fatalf("chunk %d, %d edges, %d chunks taken", n.chunk, n.made(), pr.tree.Chunks.Used()-chunks)
	}
	first := pr.tree.edge(n, 0)
	first.n = 7
	for n.tried < treesearch.ChunkSize {
		if pr.arrive(e); n.made() != treesearch.ChunkSize {
			t.Fatalf("%d edges after %d were tried", n.made(), n.tried)
		}
		n.tried++
	}
	moves, order := pr.loop.Order(&pr.line[1])
	pr.arrive(e)
	if n.made() != len(moves) || pr.tree.Chunks.Used() != chunks+(len(moves)+treesearch.ChunkSize-1)/treesearch.ChunkSize {
		t.Errorf("%d edges of %d moves, %d chunks taken", n.made(), len(moves), pr.tree.Chunks.Used()-chunks)
	}
	for k := range moves {
		index, prior := order.At(k)
		if e := pr.tree.edge(n, k); e.move() != moves[index] || e.prior != prior {
			t.Errorf("edge %d: %v of prior %d, want %v of %d", k, e.move(), e.prior, moves[index], prior)
		}
	}
	if first.n != 7 {
		t.Error("a tried edge was made again")
	}
}

// A full tree reclaims for the edges of a node, though not that node. Where nothing can go the node itself does, and a
// descent ends where it was.
func TestFurnishFull(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		pr := grown(t, middle, 300, Options{})
		e := bareEdge(t, pr)
		i, nodes := e.child, pr.tree.Nodes.Used()
		n, value := &pr.tree.Nodes.Items[i], e.value
		n.flags &^= nodeTouched
		for pr.tree.Chunks.Take() != none {
		}
		for k := range pr.tree.Nodes.Items[:pr.tree.Nodes.Top()] {
			if other := &pr.tree.Nodes.Items[k]; stuck && other != n && other.flags&nodeUsed != 0 {
				other.pend++
			}
		}
		end := pr.arrive(e)
		if stuck {
			if end != newPosition || e.child != none || e.value != value || !e.has(edgeValued) || pr.tree.Nodes.Used() != nodes-1 {
				t.Errorf("stuck: outcome %d, child %d, value %d, want %d; %d nodes of %d", end, e.child, e.value, value, pr.tree.Nodes.Used(), nodes)
			}
			continue
		}
		if end != onward || e.child != i || n.made() != treesearch.ChunkSize || n.pend != 0 || pr.tree.evicted == 0 {
			t.Errorf("outcome %d, child %d of %d, %d edges, %d pending, %d evicted", end, e.child, i, n.made(), n.pend, pr.tree.evicted)
		}
		pr.path = pr.path[:0]
		check(t, &Searcher{pr})
	}
}

// Searches with little memory, which furnish and reclaim all the time, spend their evaluations on sound trees, with a tree
// that is kept from move to move and with batches that wait.
func TestFurnishSearch(t *testing.T) {
	for _, size := range []int{1, 64} {
		s := open(t, treetest.Mock(t), Options{TreeMemory: 1 << 20, BatchSize: size})
		g := treetest.Game(t, middle)
		for range 4 {
			r := run(s, g, search.Limits{Evals: 8000})
			if r.Info.Evals != 8000 || r.Best == board.NullMove {
				t.Fatalf("%+v", r)
			}
			check(t, s)
			g.Play(r.Best)
		}
		if s.promoter.tree.evicted == 0 || s.promoter.tree.Permille() < 990 {
			t.Errorf("%d evicted, %d permille", s.promoter.tree.evicted, s.promoter.tree.Permille())
		}
	}
}
