package bestfirst

import (
	"errors"
	"fmt"

	"tesla/board"
	"tesla/internal/memory"
	"tesla/search"
	"tesla/search/treesearch"
)

const (
	noSlot = 255 // of no edge
	none   = 0   // index of no node and no chunk
)

// edge is a legal move of a node, 16 bytes. It holds a copy of what ranking needs of the child, so that ranking reads
// edges only.
type edge struct {
	bits  uint32 // move 18 | sigma code 8 | flags
	child uint32 // index of the node, or none: not evaluated, terminal, or reclaimed
	n     uint32 // evaluations through it, pending ones and detours included: of a shared node's a part
	prior uint16 // in 65535ths, at least 1; floored for checks and captures
	value int16  // for the side that moves, see qOf; good with edgeValued
}

const (
	sigmaShift = 18
	moveMask   = 1<<sigmaShift - 1

	edgeValued     = 1 << 26 // its value is known
	edgePending    = 1 << 27 // its first evaluation is pending, its leaf is deepened, or it is skipped until a batch returns
	edgeProven     = 1 << 28 // its value is final: mate, a draw by rule, or proven below
	edgePrefetched = 1 << 29 // prefetch looked at it
)

func (e *edge) move() board.Move  { return board.Move(e.bits & moveMask) }
func (e *edge) has(f uint32) bool { return e.bits&f != 0 }
func (e *edge) lost() bool        { return e.has(edgeProven) && e.value <= -search.Decided }
func (e *edge) sigmaCode() uint8  { return uint8(e.bits >> sigmaShift) }
func (e *edge) setSigma(c uint8)  { e.bits = e.bits&^(0xff<<sigmaShift) | uint32(c)<<sigmaShift }

// settle gives an edge a value, and flags beside edgeValued.
func (e *edge) settle(value int, flags uint32) {
	e.value = int16(value)
	e.bits |= edgeValued | flags
}

// learn brings an edge up to date with its node, which other lines may have changed.
func (e *edge) learn(n *node) {
	flags := uint32(0)
	if n.flags&nodeProven != 0 {
		flags = edgeProven
	}
	e.settle(search.Towards(int(n.value)), flags)
}

// node is an evaluated position, 64 bytes.
type node struct {
	key     uint64
	chunk   uint32  // first chunk of edges, none where there are no edges
	parent  uint32  // first parent
	parents uint32  // list of further parents
	n       uint32  // evaluations spent here and below, pending ones and detours included
	pend    uint16  // of them pending
	ply     uint16  // of the game
	q       float32 // value for the side to move, by its best move: what its edges are ranked by
	base    float32 // q without any child: the net's, corrected, with what the table knows; or what was known when it was reclaimed
	rest    float32 // policy mass of the edges without an evaluation
	moves   uint8   // number of edges; 0: they are made when a descent goes on from here, see open and furnish
	tried   uint8   // edges with an evaluation, or a pending one, are the first of them
	slot    uint8   // edge of the first parent that leads here
	best    uint8   // slot of the best edge with an evaluation, noSlot where there is none
	kids    uint8   // children in memory
	sigma   uint8   // code of the net's sigma
	level   uint8   // doublings of completed evaluations that were noticed
	flags   uint8
	value   int16   // to its parents, but for the side to move, see qOf
	draw    uint16  // the net's probability of a draw, in 65535ths
	first   float32 // value of the best edge
	second  float32 // value of the next one with an evaluation; of puct: mean square by which values below deviate from q
	plies   uint8   // that it was deepened further than a new leaf
	clock   uint8   // the highest halfmove clock of the lines that lead here
	raw     int16   // the net's value, not corrected, see qOf
}

const (
	nodeUsed    = 1 << iota
	nodeTouched // by a backup since the hand passed, see reclaim
	nodeProven  // its value is final
	nodeAsked   // a leaf waits that deepens it, or gives it its edges
	nodeStage   // the first of two bits: how many of its edges are made, see made
)

const (
	allMade = 3 * nodeStage             // the stage of a node whose edges are all made
	fewMost = treesearch.ChunkSize << 2 // most edges in memory of another
)

// made is how many edges of a node are in memory.
func (n *node) made() int { return madeAt(n.flags&allMade, n.moves) }

// madeAt is how many edges of a node are in memory at a stage: those of one chunk, of two, of four, or all.
func madeAt(stage, moves uint8) int {
	if stage == allMade {
		return int(moves)
	}
	return min(int(moves), treesearch.ChunkSize<<(stage/nodeStage))
}

// net is the q that the net gave a node's position.
func (n *node) net() float32 { return qOf[uint16(n.raw)] }

// tree is the nodes in memory.
type tree struct {
	treesearch.Store[node, edge]
	parents memory.Arena[parent]
	index   treesearch.Index
	indices []treesearch.CorrectionIndex // of nodes, by index
	mapping memory.Mapping               // of indices
	draws   map[parent]draw              // edges that are draws by repetition, see rejudge
	hand    uint32                       // where reclaiming goes on
	root    uint32
	evicted int64 // for tests
}

const (
	// chunksFull is how many chunks a node has that is made with all its edges: a middle game position has about 35 moves.
	chunksFull = 9
	// chunksBare is how many it has on average where nodes are made without edges, and few get all of them
	// (docs/log/speed.md#0084): 0.6 in a tree that grows, more in a full one, where nodes without edges are reclaimed first.
	chunksBare = 0.9
)

// newTree allocates a tree of a size in bytes. perNode is treesearch.NewStore's.
func newTree(bytes int, perNode float64) (*tree, error) {
	t := &tree{draws: map[parent]draw{}, root: none, hand: 1} // empty: what is mapped is zero, and takes no memory until it is written
	var errs [4]error
	if t.Store, errs[0] = treesearch.NewStore[node, edge](bytes, perNode); errs[0] == nil {
		t.parents, errs[1] = memory.NewArena[parent](int64(len(t.Nodes.Items)))
		t.index, errs[2] = treesearch.NewIndex(len(t.Nodes.Items), func(i uint32) (uint64, uint16) { return t.Nodes.Items[i].key, t.Nodes.Items[i].ply })
		t.mapping, t.indices, errs[3] = memory.Map[treesearch.CorrectionIndex](int64(len(t.Nodes.Items)))
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("bestfirst: %w", errors.Join(err, t.free()))
	}
	return t, nil
}

func (t *tree) free() error {
	return errors.Join(t.Free(), t.parents.Free(), t.index.Free(), t.mapping.Free())
}

func (t *tree) clear() {
	t.Clear()
	t.parents.Clear()
	t.index.Clear()
	clear(t.draws)
	t.root, t.hand, t.evicted = none, 1, 0
}

// edge is the edge of a node by its slot.
func (t *tree) edge(n *node, slot int) *edge { return t.Edge(n.chunk, slot) }
