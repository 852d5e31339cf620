package bestfirst

import (
	"errors"
	"fmt"

	"tesla/board"
	"tesla/memory"
	"tesla/tt128"
)

const (
	chunkSize = 8
	noSlot    = 255
	// none is the index of no node and no chunk.
	none = 0
)

// edge is a legal move of a node, with a copy of what the ranking needs of the child, so that it reads edges only.
type edge struct {
	bits  uint32 // move 18 | sigma code 8 | flags
	child uint32 // index of the node, or none: not evaluated, terminal, or reclaimed
	n     uint32 // evaluations spent below, pending included
	prior uint16 // policy / 65535, floored for checks and captures
	cp    int16  // value for the side that moves; valid with edgeValued
}

const (
	sigmaShift = 18
	moveMask   = 1<<sigmaShift - 1

	edgeValued  = 1 << 26 // cp is known
	edgePending = 1 << 27 // its first evaluation is under way
	edgeProven  = 1 << 28 // cp is final: mate, a draw by rule, or proven below
)

func (e *edge) move() board.Move  { return board.Move(e.bits & moveMask) }
func (e *edge) has(f uint32) bool { return e.bits&f != 0 }
func (e *edge) sigmaCode() uint8  { return uint8(e.bits >> sigmaShift) }
func (e *edge) setSigma(c uint8)  { e.bits = e.bits&^(0xff<<sigmaShift) | uint32(c)<<sigmaShift }
func (e *edge) settle(cp int, f uint32) {
	e.cp = int16(cp)
	e.bits |= edgeValued | f
}

// node is an evaluated position, 64 bytes.
type node struct {
	key    uint64
	chunk  uint32 // first chunk of edges
	parent uint32
	n      uint32  // evaluations spent here and below, pending included
	pend   uint32  // of them pending
	q      float32 // backed-up value for the side to move
	base   float32 // q without any child: the net's, or what was known when it was reclaimed
	rest   float32 // policy mass of the edges not yet evaluated
	moves  uint8   // number of edges
	tried  uint8   // edges evaluated or pending are the first of them
	slot   uint8   // which edge of the parent leads here
	best   uint8   // slot of the best edge, noSlot while the untried ones are
	kids   uint8   // children in memory
	sigma  uint8   // code of the net's sigma
	traced uint8   // doublings of n told to the trace
	flags  uint8
	value  int16   // backed-up value in centipawns
	draw   uint16  // the net's probability of a draw, of 65535
	first  float32 // value of the best edge
	second float32 // no other evaluated edge is worth more
	_      [8]byte
}

const (
	nodeUsed    = 1 << iota
	nodeTouched // backed up since the reclaiming hand passed
	nodeProven
	nodeCut // holds only the move that mates
)

// tree is the two arenas. Index 0 of each is none.
type tree struct {
	memory    [3]memory.Mapping // of the next three
	nodes     []node
	chunks    [][chunkSize]edge
	next      []uint32 // chunk after a chunk, of a node or of the free list
	freeNode  uint32   // head of the free nodes, linked by parent
	freeChunk uint32
	topNode   uint32 // nodes from here on were never used
	topChunk  uint32
	hand      uint32 // where reclaiming goes on
	root      uint32
	used      int // nodes in use
	edges     int // edges in use
	evicted   int64
}

const (
	nodeBytes  = 64
	chunkBytes = chunkSize*16 + 4
	// chunksPerNode is the share of the arenas: a middle game position has about 35 moves.
	chunksPerNode = 4.5
	minTreeBytes  = 1 << 20
)

// newTree allocates arenas of so many bytes in all.
func newTree(bytes int) (*tree, error) {
	if bytes < minTreeBytes {
		return nil, fmt.Errorf("bestfirst: tree memory of %d bytes: at least %d are needed", bytes, minTreeBytes)
	}
	unit := nodeBytes + chunksPerNode*chunkBytes
	nodes := int(float64(bytes) / unit)
	chunks := (bytes - nodes*nodeBytes) / chunkBytes
	if int64(chunks) >= 1<<32 {
		return nil, fmt.Errorf("bestfirst: tree memory of %d bytes: at most %d can be addressed", bytes, int64(chunkBytes)<<32)
	}
	if have, known := memory.Available(); known && int64(bytes) > have {
		return nil, fmt.Errorf("bestfirst: tree memory of %d MB: %d MB are available", bytes>>20, have>>20)
	}
	t := &tree{}
	var errs [3]error
	t.memory[0], t.nodes, errs[0] = memory.Map[node](int64(nodes))
	t.memory[1], t.chunks, errs[1] = memory.Map[[chunkSize]edge](int64(chunks))
	t.memory[2], t.next, errs[2] = memory.Map[uint32](int64(chunks))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("bestfirst: tree memory of %d bytes: %w", bytes, errors.Join(err, t.free()))
	}
	t.clear()
	return t, nil
}

// free gives the arenas back.
func (t *tree) free() error {
	err := errors.Join(t.memory[0].Free(), t.memory[1].Free(), t.memory[2].Free())
	*t = tree{}
	return err
}

func (t *tree) clear() {
	t.freeNode, t.freeChunk, t.root = none, none, none
	t.topNode, t.topChunk, t.hand = 1, 1, 1
	t.used, t.edges, t.evicted = 0, 0, 0
}

// permille is how full the arenas are.
func (t *tree) permille() int {
	if t.freeNode != none || t.freeChunk != none {
		return max(1000*t.used/len(t.nodes), min(1000, 1000*int(t.topChunk)/len(t.chunks)))
	}
	return max(1000*int(t.topNode)/len(t.nodes), 1000*int(t.topChunk)/len(t.chunks))
}

// edge is the edge of a node by its slot.
func (t *tree) edge(n *node, slot int) *edge {
	c := n.chunk
	for ; slot >= chunkSize; slot -= chunkSize {
		c = t.next[c]
	}
	return &t.chunks[c][slot]
}

// alloc makes a node with uninitialized edges, reclaiming what is needed. It returns none when all that is in memory is
// in use by pending evaluations.
func (t *tree) alloc(moves int, table *tt128.Table) uint32 {
	want := (moves + chunkSize - 1) / chunkSize
	var head uint32
	for got := 0; got < want; got++ {
		c := t.takeChunk(table)
		if c == none {
			t.freeChunks(head)
			return none
		}
		t.next[c] = head
		head = c
	}
	i := t.takeNode(table)
	if i == none {
		t.freeChunks(head)
		return none
	}
	t.nodes[i] = node{chunk: head, moves: uint8(moves), best: noSlot, flags: nodeUsed | nodeTouched}
	t.used++
	t.edges += moves
	return i
}

func (t *tree) takeChunk(table *tt128.Table) uint32 {
	for {
		switch {
		case t.freeChunk != none:
			c := t.freeChunk
			t.freeChunk = t.next[c]
			return c
		case int(t.topChunk) < len(t.chunks):
			t.topChunk++
			return t.topChunk - 1
		case !t.reclaim(table):
			return none
		}
	}
}

func (t *tree) takeNode(table *tt128.Table) uint32 {
	for {
		switch {
		case t.freeNode != none:
			i := t.freeNode
			t.freeNode = t.nodes[i].parent
			return i
		case int(t.topNode) < len(t.nodes):
			t.topNode++
			return t.topNode - 1
		case !t.reclaim(table):
			return none
		}
	}
}

func (t *tree) freeChunks(c uint32) {
	for c != none {
		next := t.next[c]
		t.next[c] = t.freeChunk
		t.freeChunk = c
		c = next
	}
}

// reclaim frees one node that has no child in memory, nothing pending below it, and was not backed up since the hand
// passed it last. Constant amortized time: every node that the hand passes was touched or grew in between.
func (t *tree) reclaim(table *tt128.Table) bool {
	for range 2 * int(t.topNode) {
		if t.hand++; t.hand >= t.topNode {
			t.hand = 1
		}
		n := &t.nodes[t.hand]
		if n.flags&nodeUsed == 0 || n.kids > 0 || n.pend > 0 || t.hand == t.root {
			continue
		}
		if n.flags&nodeTouched != 0 {
			n.flags &^= nodeTouched
			continue
		}
		t.evict(t.hand, table)
		return true
	}
	return false
}

// evict gives a node's memory back. Its value stays in its parent's edge and, once something was spent on it, in the
// transposition table.
func (t *tree) evict(i uint32, table *tt128.Table) {
	n := &t.nodes[i]
	if n.parent != none {
		p := &t.nodes[n.parent]
		t.edge(p, int(n.slot)).child = none
		p.kids--
	}
	if table != nil && n.n > 1 {
		storeNode(table, t, n)
	}
	t.freeChunks(n.chunk)
	t.used--
	t.edges -= int(n.moves)
	t.evicted++
	*n = node{parent: t.freeNode}
	t.freeNode = i
}
