package puct

import (
	"errors"
	"fmt"

	"tesla/board"
	"tesla/memory"
)

const (
	chunkSize = 8
	// none is the index of no node and no chunk.
	none = 0
)

// edge is a legal move of a node and what was found below it, for the side that moves.
type edge struct {
	bits  uint32  // move 18 | flags
	child uint32  // index of the node, or none: not evaluated, terminal, or there was no memory
	n     uint32  // evaluations done below
	pend  uint16  // and under way
	cp    int16   // score, where edgeProven
	q     float32 // mean of the values found, in [-1, 1]
	prior float32
}

const (
	moveMask    = 1<<18 - 1
	edgeWaits   = 1 << 26 // its first evaluation is under way
	edgeProven  = 1 << 27 // cp is final
	chunkBytes  = chunkSize*24 + memory.ArenaLink
	nodeBytes   = 32 + memory.ArenaLink
	minTreeSize = 1 << 20
	// chunksPerNode is the share of the arenas: a middle game position has about 35 moves.
	chunksPerNode = 4.5
)

func (e *edge) move() board.Move  { return board.Move(e.bits & moveMask) }
func (e *edge) has(f uint32) bool { return e.bits&f != 0 }

// prove gives an edge a final score.
func (e *edge) prove(cp int) {
	e.bits |= edgeProven
	e.cp = int16(cp)
}

// node is an evaluated position.
type node struct {
	key   uint64
	chunk uint32  // first chunk of edges, best prior first
	value float32 // of the leaf that it was, for the side to move, in [-1, 1]
	draw  float32 // the net's probability of a draw
	mass  float32 // policy of the edges tried
	moves uint8   // number of edges
	tried uint8   // edges tried are the first of them
	_     [6]byte
}

// tree is the two arenas. Index 0 of each is none.
type tree struct {
	nodes  memory.Arena[node]
	chunks memory.Arena[[chunkSize]edge] // linked to the next of the same node
	root   uint32
	above  edge     // that leads to the root, for the side that is not to move there
	stack  []uint32 // of release
}

// newTree allocates arenas of so many bytes in all.
func newTree(bytes int) (*tree, error) {
	if bytes < minTreeSize {
		return nil, fmt.Errorf("puct: tree memory of %d bytes: at least %d are needed", bytes, minTreeSize)
	}
	if have, known := memory.Available(); known && int64(bytes) > have {
		return nil, fmt.Errorf("puct: tree memory of %d MB: %d MB are available", bytes>>20, have>>20)
	}
	nodes := int64(float64(bytes) / (nodeBytes + chunksPerNode*chunkBytes))
	chunks := (int64(bytes) - nodes*nodeBytes) / chunkBytes
	if chunks >= 1<<32 {
		return nil, fmt.Errorf("puct: tree memory of %d bytes: at most %d can be addressed", bytes, int64(chunkBytes)<<32)
	}
	t := &tree{}
	var errs [2]error
	t.nodes, errs[0] = memory.NewArena[node](nodes)
	t.chunks, errs[1] = memory.NewArena[[chunkSize]edge](chunks)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("puct: tree memory of %d bytes: %w", bytes, errors.Join(err, t.free()))
	}
	return t, nil
}

func (t *tree) free() error {
	err := errors.Join(t.nodes.Free(), t.chunks.Free())
	*t = tree{}
	return err
}

func (t *tree) clear() {
	t.nodes.Clear()
	t.chunks.Clear()
	t.root, t.above = none, edge{}
}

// permille is how full the arenas are.
func (t *tree) permille() int {
	return max(1000*t.nodes.Used()/len(t.nodes.Items), 1000*t.chunks.Used()/len(t.chunks.Items))
}

// edge is the edge of a node by its slot.
func (t *tree) edge(n *node, slot int) *edge {
	c := n.chunk
	for ; slot >= chunkSize; slot -= chunkSize {
		c = t.chunks.Next[c]
	}
	return &t.chunks.Items[c][slot]
}

// alloc makes a node with uninitialized edges; none where there is no memory.
func (t *tree) alloc(moves int) uint32 {
	i, head := t.nodes.Take(), uint32(none)
	if i == none {
		return none
	}
	for range (moves + chunkSize - 1) / chunkSize {
		c := t.chunks.Take()
		if c == none {
			t.chunks.GiveAll(head)
			t.nodes.Give(i)
			return none
		}
		t.chunks.Next[c], head = head, c
	}
	t.nodes.Items[i] = node{chunk: head, moves: uint8(moves)}
	return i
}

// release gives back a node and all below it, but keep and what is below that.
func (t *tree) release(i, keep uint32) {
	t.stack = append(t.stack[:0], i)
	for len(t.stack) > 0 {
		last := len(t.stack) - 1
		i, t.stack = t.stack[last], t.stack[:last]
		if i == none || i == keep {
			continue
		}
		n := &t.nodes.Items[i]
		for k := range int(n.tried) {
			t.stack = append(t.stack, t.edge(n, k).child)
		}
		t.chunks.GiveAll(n.chunk)
		t.nodes.Give(i)
	}
}
