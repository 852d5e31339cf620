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
	nodes   memory.Arena[node]
	chunks  memory.Arena[[chunkSize]edge] // linked to the next of the same node
	hand    uint32                        // where reclaiming goes on
	root    uint32
	edges   int // edges in use
	evicted int64
}

const (
	nodeBytes  = 64
	chunkBytes = chunkSize*16 + memory.ArenaLink
	// chunksPerNode is the share of the arenas: a middle game position has about 35 moves.
	chunksPerNode = 4.5
	minTreeBytes  = 1 << 20
)

// newTree allocates arenas of so many bytes in all.
func newTree(bytes int) (*tree, error) {
	if bytes < minTreeBytes {
		return nil, fmt.Errorf("bestfirst: tree memory of %d bytes: at least %d are needed", bytes, minTreeBytes)
	}
	unit := nodeBytes + memory.ArenaLink + chunksPerNode*chunkBytes
	nodes := int(float64(bytes) / unit)
	chunks := (bytes - nodes*(nodeBytes+memory.ArenaLink)) / chunkBytes
	if int64(chunks) >= 1<<32 {
		return nil, fmt.Errorf("bestfirst: tree memory of %d bytes: at most %d can be addressed", bytes, int64(chunkBytes)<<32)
	}
	if have, known := memory.Available(); known && int64(bytes) > have {
		return nil, fmt.Errorf("bestfirst: tree memory of %d MB: %d MB are available", bytes>>20, have>>20)
	}
	t := &tree{}
	var errs [2]error
	t.nodes, errs[0] = memory.NewArena[node](int64(nodes))
	t.chunks, errs[1] = memory.NewArena[[chunkSize]edge](int64(chunks))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("bestfirst: tree memory of %d bytes: %w", bytes, errors.Join(err, t.free()))
	}
	t.clear()
	return t, nil
}

// free gives the arenas back.
func (t *tree) free() error {
	err := errors.Join(t.nodes.Free(), t.chunks.Free())
	*t = tree{}
	return err
}

func (t *tree) clear() {
	t.nodes.Clear()
	t.chunks.Clear()
	t.root, t.hand, t.edges, t.evicted = none, 1, 0, 0
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

// alloc makes a node with uninitialized edges, reclaiming what is needed. It returns none when all that is in memory is
// in use by pending evaluations.
func (t *tree) alloc(moves int, table *tt128.Table) uint32 {
	want := (moves + chunkSize - 1) / chunkSize
	var head uint32
	for got := 0; got < want; got++ {
		c := t.chunks.Take()
		for c == none && t.reclaim(table) {
			c = t.chunks.Take()
		}
		if c == none {
			t.chunks.GiveAll(head)
			return none
		}
		t.chunks.Next[c] = head
		head = c
	}
	i := t.nodes.Take()
	for i == none && t.reclaim(table) {
		i = t.nodes.Take()
	}
	if i == none {
		t.chunks.GiveAll(head)
		return none
	}
	t.nodes.Items[i] = node{chunk: head, moves: uint8(moves), best: noSlot, flags: nodeUsed | nodeTouched}
	t.edges += moves
	return i
}

// reclaim frees one node that has no child in memory, nothing pending below it, and was not backed up since the hand
// passed it last. Constant amortized time: every node that the hand passes was touched or grew in between.
func (t *tree) reclaim(table *tt128.Table) bool {
	for range 2 * int(t.nodes.Top()) {
		if t.hand++; t.hand >= t.nodes.Top() {
			t.hand = 1
		}
		n := &t.nodes.Items[t.hand]
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
	n := &t.nodes.Items[i]
	if n.parent != none {
		p := &t.nodes.Items[n.parent]
		t.edge(p, int(n.slot)).child = none
		p.kids--
	}
	if table != nil && n.n > 1 {
		storeNode(table, t, n)
	}
	t.chunks.GiveAll(n.chunk)
	t.edges -= int(n.moves)
	t.evicted++
	*n = node{}
	t.nodes.Give(i)
}
