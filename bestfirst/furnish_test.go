package bestfirst

import (
	"testing"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/treesearch"
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

// A node gets the edges of its first chunk when a descent goes on from it, and twice as many each time that all are tried, in
// the end all. Together they are in the order in which they would have been made at once.
func TestFurnish(t *testing.T) {
	pr := grown(t, middle, 30, Options{})
	e := bareEdge(t, pr)
	n, chunks := &pr.tree.Nodes.Items[e.child], pr.tree.Chunks.Used()
	moves, order := pr.loop.Order(&pr.line[1])
	if n.chunk != none || len(moves) <= fewMost {
		t.Fatalf("chunk %d, %d moves", n.chunk, len(moves))
	}
	for _, want := range []int{treesearch.ChunkSize, 2 * treesearch.ChunkSize, fewMost, len(moves)} {
		for ok := true; ok && int(n.tried) < want; n.tried++ {
			ok = pr.furnish(e.child, &pr.line[1], false)
			if taken := pr.tree.Chunks.Used() - chunks; !ok || n.made() != want || taken != (want+treesearch.ChunkSize-1)/treesearch.ChunkSize {
				t.Fatalf("%d edges and %d chunks after %d were tried, want %d; %v", n.made(), taken, n.tried, want, ok)
			}
			pr.tree.edge(n, int(n.tried)).n = 7
		}
	}
	for k := range moves {
		index, prior := order.At(k)
		if e := pr.tree.edge(n, k); e.move() != moves[index] || e.prior != prior || e.n != 7 {
			t.Errorf("edge %d: %v of prior %d with %d evaluations, want %v of %d with 7", k, e.move(), e.prior, e.n, moves[index], prior)
		}
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
		if end != bareNode || e.child != i || n.chunk == none || n.pend != 1 || pr.tree.evicted == 0 {
			t.Errorf("outcome %d, child %d of %d, chunk %d, %d pending, %d evicted", end, e.child, i, n.chunk, n.pend, pr.tree.evicted)
		}
		n.n--
		pr.endAsking(i)
		pr.path = pr.path[:0]
		check(t, &Searcher{pr})
	}
}

// A leaf that opens a node gives it its edges and the first of them a node. Where the position after that edge needs another
// look, nothing but the edges is left of it.
func TestOpen(t *testing.T) {
	for name, change := range map[string]func(pr *promoter, it *batcher.Item, l *leaf){
		"child":       func(*promoter, *batcher.Item, *leaf) {},
		"over":        func(_ *promoter, _ *batcher.Item, l *leaf) { l.Over = true },
		"fifty moves": func(_ *promoter, it *batcher.Item, _ *leaf) { it.Position.Halfmove = 100 },
		"repetition": func(pr *promoter, it *batcher.Item, _ *leaf) {
			it.Position.Halfmove, it.Position.Key = 4, pr.line[0].Key
		},
		"repetition in the tree": func(pr *promoter, it *batcher.Item, l *leaf) {
			it.Position.Halfmove, it.Position.Key = 4, pr.tree.Nodes.Items[l.path[0].node].key
		},
	} {
		pr := grown(t, middle, 30, Options{})
		e, before := bareEdge(t, pr), countsOf(pr.tree)
		if pr.arrive(e) != bareNode {
			t.Fatal("the node is not bare")
		}
		if pr.arrive(e) != blocked {
			t.Error("two leaves open a node")
		}
		pr.tracer = pr.policy.(*ranking) // a descent that would make the edges itself
		if pr.arrive(e) != blocked || pr.tree.Nodes.Items[e.child].moves != 0 {
			t.Error("a node gets edges that a leaf waits to give it")
		}
		pr.tracer = nil
		pr.spend()
		id, l := pr.takeLeaf(openedLeaf)
		l.node, l.Opens, l.path = e.child, true, append(l.path, pr.path...)
		moves, order := pr.loop.Order(&pr.line[1])
		l.Moves, l.Order, l.Over = append(l.Moves[:0], moves...), *order, false
		items := []batcher.Item{{Ref: id, Eval: batcher.Eval{Q: 0.25, Sigma: 0.1}}}
		index, _ := order.At(0)
		pr.line[1].Make(moves[index], &items[0].Position)
		change(pr, &items[0], l)
		pr.Expand(items)
		n, got, want := &pr.tree.Nodes.Items[e.child], countsOf(pr.tree), before
		first := pr.tree.edge(n, 0)
		if name == "child" {
			want.n, want.edges = want.n+3, want.edges+2
			if first.child == none || !first.has(edgeValued) || pr.tree.Nodes.Items[first.child].key != items[0].Position.Key {
				t.Errorf("edge %+v", *first)
			}
		} else if first.n != 0 || first.child != none || n.tried != 0 {
			t.Errorf("%s: edge %+v, %d tried", name, *first, n.tried)
		}
		if got != want || n.made() != treesearch.ChunkSize || first.move() != moves[index] {
			t.Errorf("%s: %+v with %d edges, want %+v", name, got, n.made(), want)
		}
		check(t, &Searcher{pr})
	}
}

// A move that mates at a new root is proven as soon as the root is known.
func TestRootMates(t *testing.T) {
	for name, o := range map[string]Options{"bestfirst": {}, "puct": baseline(false, "")} {
		s := open(t, newMock(t), o)
		r := run(s, gameOf(t, "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), search.Limits{})
		if r.Info.Evals > 2 || r.Info.Score.Mate != 1 || r.End != search.EndProven || !s.promoter.State().Proven {
			t.Errorf("%s: %+v", name, r)
		}
		check(t, s)
	}
}

// Searches with little memory, which furnish and reclaim all the time, spend their evaluations on sound trees, with a tree
// that is kept from move to move and with batches that wait.
func TestFurnishSearch(t *testing.T) {
	for _, size := range []int{1, 64} {
		s := open(t, newMock(t), Options{TreeMemory: 1 << 20, BatchSize: size})
		g := gameOf(t, middle)
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
