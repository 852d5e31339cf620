package puct

import (
	"fmt"

	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// none is the index of no node and no chunk.
const none = 0

// edge is a legal move of a node and what was found below it, for the side that moves.
type edge struct {
	bits  uint32  // move 18 | half the plies back to what its position repeats 8 | flags
	child uint32  // index of the node, or none: not evaluated, terminal, or there was no memory
	n     uint32  // completed evaluations below
	pend  uint16  // pending ones, collisions included
	cp    int16   // score, where edgeProven
	q     float32 // mean of their values
	prior float32
}

const (
	backShift   = 18
	moveMask    = 1<<backShift - 1
	edgePending = 1 << 26 // its leaf waits for an evaluation
	edgeProven  = 1 << 27 // cp is final
	edgeWaits   = 1 << 28 // its leaf waits for endgame tables, perhaps for many batches: descents go elsewhere
)

func (e *edge) move() board.Move  { return board.Move(e.bits & moveMask) }
func (e *edge) has(f uint32) bool { return e.bits&f != 0 }

// back is how many plies before its position the one is that this repeats, 0 where it is no draw by repetition.
func (e *edge) back() int { return 2 * int(uint8(e.bits>>backShift)) }

// value is the q of an edge: its mean, or its proven score.
func (e *edge) value() float32 {
	if e.has(edgeProven) {
		return float32(search.CPToQ(int(e.cp)))
	}
	return e.q
}

// prove gives an edge a proven score.
func (e *edge) prove(cp int) {
	e.bits |= edgeProven
	e.cp = int16(cp)
}

// node is an evaluated position.
type node struct {
	key   uint64
	chunk uint32  // first chunk of edges, best prior first
	value float32 // q for the side to move, as a leaf
	draw  float32 // the net's probability of a draw
	mass  float32 // policy of the edges tried
	moves uint8   // number of edges; 0: they are made when a descent goes on from here, see furnish
	tried uint8   // edges tried are the first of them
	plies uint8   // that it was deepened further than a new leaf
	_     [5]byte
}

// tree is the nodes in memory.
type tree struct {
	treesearch.Store[node, edge]
	root    uint32
	above   edge     // leads to the root, so its values are for the side that is not to move there
	repeats bool     // an edge has back
	stack   []uint32 // of release
}

// newTree allocates a tree of a size in bytes.
func newTree(bytes int) (*tree, error) {
	t, err := &tree{}, error(nil)
	if t.Store, err = treesearch.NewStore[node, edge](bytes); err != nil {
		return nil, fmt.Errorf("puct: %w", err)
	}
	return t, nil
}

func (t *tree) clear() {
	t.Clear()
	t.root, t.above, t.repeats = none, edge{}, false
}

// edge is the edge of a node by its slot.
func (t *tree) edge(n *node, slot int) *edge { return t.Edge(n.chunk, slot) }

// alloc makes a node with uninitialized edges; none where there is no memory.
func (t *tree) alloc(moves int) uint32 {
	i := t.Take(moves)
	if i == none {
		return none
	}
	t.Nodes.Items[i] = node{chunk: i, moves: uint8(moves)}
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
		n := &t.Nodes.Items[i]
		for k := range int(n.tried) {
			t.stack = append(t.stack, t.edge(n, k).child)
		}
		t.Give(i)
	}
}
