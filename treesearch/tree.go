package treesearch

import (
	"errors"
	"fmt"
	"unsafe"

	"tesla/memory"
)

const (
	// ChunkSize is how many edges of a node lie side by side.
	ChunkSize = 8
	// chunksPerNode is the share of the arenas: a middle game position has about 35 moves.
	chunksPerNode = 4.5
	// minTree is bytes.
	minTree = 1 << 20
)

// Tree is the memory of a search tree: nodes N, each of which has its edges E in chunks, linked by Chunks.Next. The first has the
// node's own index, so that a descent can ask for both at once; the arena of chunks gives out the others. Nodes that are not taken are zero.
type Tree[N, E any] struct {
	Nodes  memory.Arena[N]
	Chunks memory.Arena[[ChunkSize]E]
}

// NewTree makes a tree of so many bytes, at least a megabyte and at most what the machine has.
func NewTree[N, E any](bytes int) (t Tree[N, E], err error) {
	if bytes < minTree {
		return t, fmt.Errorf("tree memory of %d bytes: at least %d are needed", bytes, minTree)
	}
	nodeBytes, chunkBytes := t.unit()
	nodes := int64(float64(bytes) / (float64(nodeBytes) + chunksPerNode*float64(chunkBytes)))
	chunks := (int64(bytes) - nodes*nodeBytes) / chunkBytes
	if chunks >= 1<<32 {
		return t, fmt.Errorf("tree memory of %d bytes: at most %d can be addressed", bytes, chunkBytes<<32)
	}
	if have, known := memory.Available(); known && int64(bytes) > have {
		return t, fmt.Errorf("tree memory of %d MB: %d MB are available", bytes>>20, have>>20)
	}
	var errs [2]error
	t.Nodes, errs[0] = memory.NewArena[N](nodes)
	t.Chunks, errs[1] = memory.NewArena[[ChunkSize]E](chunks)
	if err := errors.Join(errs[:]...); err != nil {
		return Tree[N, E]{}, fmt.Errorf("tree memory of %d bytes: %w", bytes, errors.Join(err, t.Free()))
	}
	t.Clear()
	return t, nil
}

// unit is the bytes of a node and of a chunk.
func (t *Tree[N, E]) unit() (node, chunk int64) {
	var n N
	var c [ChunkSize]E
	return int64(unsafe.Sizeof(n)) + memory.ArenaLink, int64(unsafe.Sizeof(c)) + memory.ArenaLink
}

// Edge is an edge of the node whose first chunk is head.
func (t *Tree[N, E]) Edge(head uint32, slot int) *E {
	for ; slot >= ChunkSize; slot -= ChunkSize {
		head = t.Chunks.Next[head]
	}
	return &t.Chunks.Items[head][slot]
}

// Take is the index of a node, and of its first chunk, with room for so many edges, whose contents are stale. 0 where not all of it is left.
func (t *Tree[N, E]) Take(edges int) uint32 {
	i := t.Nodes.Take()
	if i == 0 {
		return 0
	}
	last := i
	for edges -= ChunkSize; edges > 0; edges -= ChunkSize {
		c := t.Chunks.Take()
		t.Chunks.Next[last] = c
		if c == 0 {
			t.Give(i)
			return 0
		}
		last = c
	}
	t.Chunks.Next[last] = 0
	return i
}

// Give gives a node and its chunks back.
func (t *Tree[N, E]) Give(i uint32) {
	clear(t.Nodes.Items[i : i+1])
	t.Chunks.GiveAll(t.Chunks.Next[i])
	t.Nodes.Give(i)
}

// Prefetch asks the processor for a node and its first edges.
func (t *Tree[N, E]) Prefetch(i uint32) {
	memory.Prefetch(unsafe.Pointer(&t.Nodes.Items[i]))
	memory.Prefetch(unsafe.Pointer(&t.Chunks.Items[i][0]))
	memory.Prefetch(unsafe.Pointer(&t.Chunks.Items[i][ChunkSize/2]))
}

// Permille is how full the tree is.
func (t *Tree[N, E]) Permille() int {
	return max(1000*t.Nodes.Used()/len(t.Nodes.Items), 1000*t.Chunks.Used()/(len(t.Chunks.Items)-len(t.Nodes.Items)))
}

// Size is the number of nodes in use, and the bytes that they and their edges take.
func (t *Tree[N, E]) Size() (nodes, bytes int) {
	node, chunk := t.unit()
	return t.Nodes.Used(), t.Nodes.Used()*int(node+chunk) + t.Chunks.Used()*int(chunk)
}

// Clear gives all nodes and edges back.
func (t *Tree[N, E]) Clear() {
	clear(t.Nodes.Items[:t.Nodes.Top()])
	t.Nodes.Clear()
	t.Chunks.ClearFrom(uint32(len(t.Nodes.Items)))
}

// Free gives the memory back to the system.
func (t *Tree[N, E]) Free() error {
	err := errors.Join(t.Nodes.Free(), t.Chunks.Free())
	*t = Tree[N, E]{}
	return err
}
