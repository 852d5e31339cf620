package treesearch

import (
	"math/rand/v2"
	"testing"
)

// Nodes in use share no chunk, whatever was given back before. A node that finds no room takes nothing. Nodes that are
// not in use are zero.
func TestStore(t *testing.T) {
	tree, err := NewStore[uint64, uint64](minStore, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Free()
	random := rand.New(rand.NewPCG(1, 1))
	edges, heads, full := map[uint32]int{}, map[uint32]uint32{}, 0
	for k := range 50_000 {
		if k == 25_000 {
			tree.Clear()
			clear(edges)
		}
		if random.IntN(5) == 0 {
			for i := range edges {
				tree.Give(i, heads[i])
				delete(edges, i)
				break
			}
			continue
		}
		want := 1 + random.IntN(100)
		i, head := tree.Nodes.Take(), uint32(0)
		if i == 0 {
			full++
			continue
		}
		if !tree.Extend(&head, want/2) || !tree.Extend(&head, want) { // the second time as far as it is short
			full++
			tree.Give(i, head)
			continue
		}
		edges[i], heads[i], tree.Nodes.Items[i] = want, head, 1
	}
	if full == 0 {
		t.Error("the tree was never full")
	}
	for i, n := range tree.Nodes.Items {
		if used := edges[uint32(i)] > 0; used != (n == 1) {
			t.Fatalf("node %d holds %d, in use: %v", i, n, used)
		}
	}
	owners, chunks := map[uint32]uint32{}, 0
	for i, n := range edges {
		c := heads[i]
		for k := 0; k < n; k += ChunkSize {
			if owner, ok := owners[c]; ok || c == 0 {
				t.Fatalf("chunk %d of node %d is node %d's, too", c, i, owner)
			}
			owners[c] = i
			chunks++
			c = tree.Chunks.Next[c]
		}
		if c != 0 {
			t.Fatalf("node %d has more than %d edges", i, n)
		}
	}
	if nodes := tree.Nodes.Used(); nodes != len(edges) || tree.Chunks.Used() != chunks {
		t.Errorf("%d nodes and %d chunks in use, want %d and %d", nodes, tree.Chunks.Used(), len(edges), chunks)
	}
}
