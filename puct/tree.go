package puct

import (
	"errors"
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
	n     uint32  // completed evaluations through it: of a shared node's a part
	pend  uint16  // pending ones, collisions included
	cp    int16   // score, where edgeProven
	q     float32 // its node's, when an evaluation last came through it; without a node, the mean of its values
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

// node is an evaluated position, 64 bytes.
type node struct {
	key    uint64
	chunk  uint32  // first chunk of edges, best prior first; none where there are no edges
	n      uint32  // completed evaluations: its own and those through its edges
	q      float32 // mean of their values, for the side to move
	square float32 // mean of the squares by which the values of evaluations that came through it deviated from q
	value  float32 // q as a leaf, corrected
	raw    float32 // the net's
	draw   float32 // the net's probability of a draw
	mass   float32 // policy of the edges tried
	index  treesearch.CorrectionIndex
	pend   uint16 // pending descents through it, collisions included
	ply    uint16 // of the game
	cp     int16  // score for the side to move, where nodeProven
	moves  uint8  // number of edges; 0: they are made when a descent goes on from here, see furnish
	tried  uint8  // edges tried are the first of them
	plies  uint8  // that it was deepened further than a new leaf
	level  uint8  // doublings of completed evaluations that were noticed
	clock  uint8  // the highest halfmove clock of the lines that lead here
	flags  uint8
}

const (
	nodeProven    = 1 << iota // cp is final
	nodeShared                // several lines lead here
	nodeDeepening             // it is a leaf that waits for a deeper search
	nodeKept                  // while the root moves: it lies below the new root
	nodeChanged               // while the root moves: its values did
	nodeUsed
	nodeFew // of its edges only those of the first chunk are made, see furnish
)

// prove gives a node a proven score.
func (n *node) prove(cp int) {
	n.flags |= nodeProven
	n.cp = int16(cp)
}

// made is how many edges of a node are in memory.
func (n *node) made() int {
	if n.flags&nodeFew != 0 {
		return treesearch.ChunkSize
	}
	return int(n.moves)
}

// tree is the nodes in memory.
type tree struct {
	treesearch.Store[node, edge]
	index treesearch.Index
	root  uint32
}

// chunksBare is how many chunks a node has on average where few get all their edges (docs/log/0084).
const chunksBare = 0.6

// newTree allocates a tree of a size in bytes. perNode is treesearch.NewStore's.
func newTree(bytes int, perNode float64) (*tree, error) {
	t := &tree{}
	var errs [2]error
	if t.Store, errs[0] = treesearch.NewStore[node, edge](bytes, perNode); errs[0] == nil {
		t.index, errs[1] = treesearch.NewIndex(len(t.Nodes.Items), func(i uint32) (uint64, uint16) { return t.Nodes.Items[i].key, t.Nodes.Items[i].ply })
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("puct: %w", errors.Join(err, t.free()))
	}
	return t, nil
}

func (t *tree) free() error { return errors.Join(t.Free(), t.index.Free()) }

func (t *tree) clear() {
	t.Clear()
	t.index.Clear()
	t.root = none
}

// edge is the edge of a node by its slot.
func (t *tree) edge(n *node, slot int) *edge { return t.Edge(n.chunk, slot) }

// alloc makes a node with uninitialized edges; none where there is no memory.
func (t *tree) alloc(moves int) uint32 {
	i := t.Nodes.Take()
	if i == none {
		return none
	}
	n := &t.Nodes.Items[i]
	*n = node{moves: uint8(moves), flags: nodeUsed}
	if !t.Extend(&n.chunk, moves) {
		t.Give(i, none)
		return none
	}
	return i
}
