package bestfirst

import (
	"errors"
	"fmt"

	"tesla/board"
	"tesla/memory"
	"tesla/search"
	"tesla/treesearch"
	"tesla/tt128"
)

const (
	noSlot = 255
	// none is the index of no node and no chunk.
	none = 0
)

// A value is kept in eighths of a centipawn, a proven score in whole ones, see valueOf.

// edge is a legal move of a node, with a copy of what the ranking needs of the child, so that it reads edges only.
type edge struct {
	bits  uint32 // move 18 | sigma code 8 | flags
	child uint32 // index of the node, or none: not evaluated, terminal, or reclaimed
	n     uint32 // evaluations spent below through it, pending included: where lines share a node, a part of the node's
	prior uint16 // policy / 65535, floored for checks and captures
	value int16  // for the side that moves; valid with edgeValued
}

const (
	sigmaShift = 18
	moveMask   = 1<<sigmaShift - 1

	edgeValued  = 1 << 26 // its value is known
	edgePending = 1 << 27 // its first evaluation is under way
	edgeProven  = 1 << 28 // its value is final: mate, a draw by rule, or proven below
	edgeAhead   = 1 << 29 // it was or is to be evaluated ahead
)

func (e *edge) move() board.Move  { return board.Move(e.bits & moveMask) }
func (e *edge) has(f uint32) bool { return e.bits&f != 0 }
func (e *edge) lost() bool        { return e.has(edgeProven) && e.value <= -search.Proven }
func (e *edge) sigmaCode() uint8  { return uint8(e.bits >> sigmaShift) }
func (e *edge) setSigma(c uint8)  { e.bits = e.bits&^(0xff<<sigmaShift) | uint32(c)<<sigmaShift }
func (e *edge) settle(value int, f uint32) {
	e.value = int16(value)
	e.bits |= edgeValued | f
}

// node is an evaluated position, 64 bytes.
type node struct {
	key    uint64
	chunk  uint32 // first chunk of edges
	parent uint32
	others uint32  // list of further parents
	n      uint32  // evaluations spent here and below, pending included
	pend   uint16  // of them pending
	ply    uint16  // of the game
	q      float32 // backed-up value for the side to move, by its best move: what its edges are ranked by
	base   float32 // q without any child: the net's, corrected, with what the table knows; or what was known when it was reclaimed
	rest   float32 // policy mass of the edges not yet evaluated
	moves  uint8   // number of edges
	tried  uint8   // edges evaluated or pending are the first of them
	slot   uint8   // which edge of the parent leads here
	best   uint8   // slot of the best edge, noSlot while the untried ones are
	kids   uint8   // children in memory
	sigma  uint8   // code of the net's sigma
	level  uint8   // doublings of n that were noticed
	flags  uint8
	value  int16   // what it is worth to its parents, for the side to move, as edges keep it
	draw   uint16  // the net's probability of a draw, of 65535
	first  float32 // value of the best edge
	second float32 // no other evaluated edge is worth more
	plies  uint8   // that it was searched in place further than others
	raw    int16   // the net's value, not corrected, kept as value is
}

const (
	nodeUsed    = 1 << iota
	nodeTouched // backed up since the reclaiming hand passed
	nodeProven
	nodeWait // it is searched in place
)

// tree is the nodes in memory.
type tree struct {
	treesearch.Store[node, edge]
	parents memory.Arena[parent]
	index   index
	lessons []lesson       // of nodes, by index
	mapping memory.Mapping // of lessons
	hand    uint32         // where reclaiming goes on
	root    uint32
	evicted int64 // for tests
}

// newTree allocates a tree of so many bytes.
func newTree(bytes int) (*tree, error) {
	t := &tree{}
	var errs [4]error
	if t.Store, errs[0] = treesearch.NewStore[node, edge](bytes); errs[0] == nil {
		t.parents, errs[1] = memory.NewArena[parent](int64(len(t.Nodes.Items)))
		t.index, errs[2] = newIndex(bytes)
		t.mapping, t.lessons, errs[3] = memory.Map[lesson](int64(len(t.Nodes.Items)))
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("bestfirst: %w", errors.Join(err, t.free()))
	}
	t.clear()
	return t, nil
}

func (t *tree) free() error {
	return errors.Join(t.Free(), t.parents.Free(), t.index.mapping.Free(), t.mapping.Free())
}

func (t *tree) clear() {
	t.Clear()
	t.parents.Clear()
	clear(t.index.slots)
	t.root, t.hand, t.evicted = none, 1, 0
}

// net is the q that the net gave a node's position.
func (n *node) net() float32 { return qOf[uint16(n.raw)] }

// edge is the edge of a node by its slot.
func (t *tree) edge(n *node, slot int) *edge { return t.Edge(n.chunk, slot) }

// alloc makes a node with uninitialized edges, reclaiming what is needed. It returns none when all that is in memory is
// in use by pending evaluations.
func (t *tree) alloc(moves int, table *tt128.Table) uint32 {
	i := t.Take(moves)
	for i == none && t.reclaim(table) {
		i = t.Take(moves)
	}
	if i == none {
		return none
	}
	t.Nodes.Items[i] = node{chunk: i, moves: uint8(moves), best: noSlot, flags: nodeUsed | nodeTouched}
	return i
}

// reclaim frees one node that has no child in memory, nothing pending below it, and was not backed up since the hand
// passed it last. Constant amortized time: every node that the hand passes was touched or grew in between.
func (t *tree) reclaim(table *tt128.Table) bool {
	for range 2 * int(t.Nodes.Top()) {
		if t.hand++; t.hand >= t.Nodes.Top() {
			t.hand = 1
		}
		n := &t.Nodes.Items[t.hand]
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

// evict gives a node's memory back. Its value stays in its parents' edges and, once something was spent on it, in the
// transposition table.
func (t *tree) evict(i uint32, table *tt128.Table) {
	n := &t.Nodes.Items[i]
	t.leave(i)
	t.detach(n)
	if table != nil && n.n > 1 {
		storeNode(table, t, n)
	}
	t.evicted++
	t.Give(i)
}
