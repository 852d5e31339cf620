package treesearch

import (
	"errors"
	"fmt"
	"unsafe"

	"tesla/internal/memory"
)

const (
	// ChunkSize is how many edges of a node lie side by side: a cache line of them, since most nodes with edges have tried one or two.
	// The kernels of bestfirst and the file of a tree depend on it.
	ChunkSize = 4
	// minStore is in bytes.
	minStore = 1 << 20
)

// Store is the memory of a search tree: nodes N, and their edges E in chunks that are linked by Chunks.Next. A node takes
// chunks when it gets edges. A node that is not taken is zero.
type Store[N, E any] struct {
	Nodes  memory.Arena[N]
	Chunks memory.Arena[[ChunkSize]E]
}

// NewStore makes a store of a size in bytes, at least a megabyte and at most what the machine has. perNode chunks for
// each node divide it between the arenas.
func NewStore[N, E any](bytes int, perNode float64) (t Store[N, E], err error) {
	if bytes < minStore {
		return t, fmt.Errorf("tree memory of %d bytes, want at least %d", bytes, minStore)
	}
	nodeBytes, chunkBytes := t.unit()
	nodes := int64(float64(bytes) / (float64(nodeBytes) + perNode*float64(chunkBytes)))
	chunks := (int64(bytes) - nodes*nodeBytes) / chunkBytes
	if chunks >= 1<<32 {
		return t, fmt.Errorf("tree memory of %d bytes, want at most %d", bytes, chunkBytes<<32)
	}
	if have, known := memory.Available(); known && int64(bytes) > have {
		return t, fmt.Errorf("tree memory of %d MB: %d MB are available", bytes>>20, have>>20)
	}
	var errs [2]error
	t.Nodes, errs[0] = memory.NewArena[N](nodes)
	t.Chunks, errs[1] = memory.NewArena[[ChunkSize]E](chunks)
	if err := errors.Join(errs[:]...); err != nil {
		return Store[N, E]{}, fmt.Errorf("tree memory of %d bytes: %w", bytes, errors.Join(err, t.Free()))
	}
	return t, nil
}

// unit is the bytes of a node and of a chunk.
func (t *Store[N, E]) unit() (node, chunk int64) {
	var n N
	var c [ChunkSize]E
	return int64(unsafe.Sizeof(n)) + memory.ArenaLink, int64(unsafe.Sizeof(c)) + memory.ArenaLink
}

// Edge is an edge of the node whose first chunk is head, by its slot. Time is linear in slot / ChunkSize.
func (t *Store[N, E]) Edge(head uint32, slot int) *E {
	for ; slot >= ChunkSize; slot -= ChunkSize {
		head = t.Chunks.Next[head]
	}
	return &t.Chunks.Items[head][slot]
}

// Extend gives a node, whose first chunk is *head, chunks for some edges, whose contents are stale; false where memory is
// short: then the node stays as it is.
func (t *Store[N, E]) Extend(head *uint32, edges int) bool {
	for ; edges > 0 && *head != 0; edges -= ChunkSize {
		head = &t.Chunks.Next[*head]
	}
	for end := head; edges > 0; edges -= ChunkSize {
		c := t.Chunks.Take()
		if c == 0 {
			t.Chunks.GiveAll(*head)
			*head = 0
			return false
		}
		*end, t.Chunks.Next[c] = c, 0
		end = &t.Chunks.Next[c]
	}
	return true
}

// Give gives a node and its chunks back.
func (t *Store[N, E]) Give(i, head uint32) {
	clear(t.Nodes.Items[i : i+1])
	t.Chunks.GiveAll(head)
	t.Nodes.Give(i)
}

// Prefetch asks the processor for a node.
func (t *Store[N, E]) Prefetch(i uint32) { memory.Prefetch(unsafe.Pointer(&t.Nodes.Items[i])) }

// PrefetchEdges asks the processor for a chunk.
func (t *Store[N, E]) PrefetchEdges(head uint32) {
	memory.Prefetch(unsafe.Pointer(&t.Chunks.Items[head]))
}

// Permille is how full the store is: of nodes or of chunks, whichever is fuller.
func (t *Store[N, E]) Permille() int {
	return max(1000*t.Nodes.Used()/len(t.Nodes.Items), 1000*t.Chunks.Used()/len(t.Chunks.Items))
}

// Size is the number of nodes in use, and the bytes that they and their edges take.
func (t *Store[N, E]) Size() (nodes, bytes int) {
	node, chunk := t.unit()
	return t.Nodes.Used(), t.Nodes.Used()*int(node) + t.Chunks.Used()*int(chunk)
}

// Clear gives all nodes and edges back.
func (t *Store[N, E]) Clear() {
	clear(t.Nodes.Items[:t.Nodes.Top()])
	t.Nodes.Clear()
	t.Chunks.Clear()
}

// Free gives the memory back to the system.
func (t *Store[N, E]) Free() error {
	err := errors.Join(t.Nodes.Free(), t.Chunks.Free())
	*t = Store[N, E]{}
	return err
}
