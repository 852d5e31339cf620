package bestfirst

import (
	"context"
	"fmt"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/leaves"
	"tesla/search"
	"tesla/tt128"
)

// Options of a Searcher. The zero value of each field is its default.
type Options struct {
	BatchSize  int               // most positions in a batch; 0: DefaultBatch, at most what the backend takes
	TreeMemory int               // bytes for nodes and edges; 0: DefaultTreeMemory
	Ranking    Ranking           // what a promotion is worth
	Plain      bool              // plain minimax: no evidence from the policy
	Leaves     []leaves.Searcher // deepen leaves, side by side; none: a leaf's value is the backend's
	Fit        *Fit              // change model; nil: the embedded one
	Verbose    bool              // report batches, and root moves at the end
	Trace      func(Sample)      // called by the promoter for each doubling of what is known about a node
}

const (
	// DefaultBatch is filled on a CPU; larger ones cost strength in small trees and gain little speed.
	DefaultBatch = 32
	// DefaultTreeMemory holds about 400,000 nodes.
	DefaultTreeMemory = 256 << 20
	// inFlightShare limits pending evaluations to this part of the tree.
	inFlightShare = 0.1
	// inFlightLeast is allowed in the smallest tree.
	inFlightLeast = 2
	// pipelineDepth is how many batches are under way: one computes while the next is filled.
	pipelineDepth = 2
	// detourLimit ends the filling of a batch after so many descents that found all pending.
	detourLimit = 8
)

// Sample is what Options.Trace is told: a node's value after N completed evaluations, a power of two or a little more.
type Sample struct {
	Node    uint64 // identifies the node within the life of the searcher, but for reclaimed ones
	N       uint32
	Q       float32 // backed-up value, side to move
	Sigma   float32 // of the net
	Asked   float32 // by how much Q had to rise (or fall, where negative) to change the decision at the root
	Nats    float32 // of a new node (N = 1): how far its prior lies below its best sibling's
	Parent  float32 // of a new node: the net's q of its parent
	Proven  bool
	Hanging int
}

// Searcher is the best-first search. It implements search.Searcher: Search belongs to one goroutine at a time.
type Searcher struct {
	opts     Options
	pipeline *batcher.Pipeline
	table    *tt128.Table // may be nil
	tree     *tree
	model    *model

	// of the current search
	limits   search.Limits
	game     *board.Game // a copy: what the tree's root stands for
	keys     []uint64    // of the game's positions, the root's last
	line     [maxPly + 2]board.Position
	path     []step
	asked    float32 // what the last descent asked of its leaf
	detours  []*edge
	roots    []rooted
	ordered  []rooted // choose
	lines    int      // principal variations wanted
	evals    int64    // leaf requests of this search
	pending  int      // of them in flight
	inFlight []int    // leaves of each batch in flight, oldest first
	sent     int64    // leaves submitted in this search
	selDepth int
	serial   uint32 // counts searches
	started  time.Time
	budget   search.Budget
	clocked  bool // the budget counts
	ponders  chan struct{}
	report   func(search.Info)
	told     told
	waited   batcher.Stats // at the start of this search
	err      error

	leaves     []leaf // never grows: the pipeline's worker reads it
	freeLeaves []uint32
	priors     []float32
	sorted     []uint32
}

// New makes a searcher on a backend and a table, which stay the caller's; table may be nil.
func New(backend batcher.Backend, table *tt128.Table, opts Options) (*Searcher, error) {
	fit, err := DefaultFit()
	if err != nil {
		return nil, err
	}
	if opts.Fit != nil {
		fit = *opts.Fit
	}
	if opts.TreeMemory == 0 {
		opts.TreeMemory = DefaultTreeMemory
	}
	if opts.BatchSize == 0 {
		opts.BatchSize = DefaultBatch
	}
	if opts.BatchSize < 0 {
		return nil, fmt.Errorf("bestfirst: batch size %d: at least 1 is needed", opts.BatchSize)
	}
	room := backend.Info().MaxBatch
	if backend.Info().WantsQuiescence {
		room = max(1, room/2) // quiet positions go beside the leaves
	}
	opts.BatchSize = min(opts.BatchSize, room)
	t, err := newTree(opts.TreeMemory)
	if err != nil {
		return nil, err
	}
	s := &Searcher{
		opts: opts, pipeline: batcher.NewPipeline(backend, pipelineDepth), table: table, tree: t,
		model: newModel(fit, opts.Ranking, opts.Plain), ponders: make(chan struct{}, 1),
		sorted: make([]uint32, 0, board.MaxMoves),
		leaves: make([]leaf, (pipelineDepth+1)*opts.BatchSize+1),
	}
	for i := range s.leaves {
		s.freeLeaves = append(s.freeLeaves, uint32(i))
	}
	switch {
	case len(opts.Leaves) > 0:
		s.pipeline.Prepare = leaves.Deepen(opts.Leaves, s.leafOf)
	case backend.Info().WantsQuiescence:
		s.pipeline.Prepare = leaves.Quieten(s.leafOf)
	}
	return s, nil
}

func (s *Searcher) leafOf(ref uint32) *leaves.Leaf { return &s.leaves[ref].Leaf }

// NewGame forgets the tree and clears the table.
func (s *Searcher) NewGame() {
	s.tree.clear()
	s.game = nil
	if s.table != nil {
		s.table.Clear()
	}
	for _, l := range s.opts.Leaves {
		l.Forget()
	}
}

// Close stops the pipeline and gives the tree's memory back; backend and table stay open.
func (s *Searcher) Close() error {
	s.pipeline.Close()
	return s.tree.free()
}

// PonderHit starts the clock of a search that was begun with Limits.Ponder.
func (s *Searcher) PonderHit() {
	select {
	case s.ponders <- struct{}{}:
	default:
	}
}

// Err is why the last search ended early: a backend that failed; nil otherwise.
func (s *Searcher) Err() error { return s.err }

// Search implements search.Searcher. A position without legal moves gives the zero Result.
func (s *Searcher) Search(ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info)) search.Result {
	if !g.Pos.HasLegalMove() {
		return search.Result{}
	}
	s.begin(g, limits, report)
	if s.tree.root == none {
		s.requestRoot()
	}
	for s.err == nil && s.tree.root != none {
		idle := s.fill()
		s.tell(false)
		if s.finished(ctx) || s.decided() {
			break
		}
		if idle { // nothing is left to promote
			break
		}
		if s.pipeline.InFlight() > 0 {
			s.absorb()
		}
	}
	for s.pipeline.InFlight() > 0 {
		s.absorb()
	}
	s.unblock()
	s.park(ctx)
	return s.result(g)
}

// begin prepares a search: the root is kept where the game goes on from the one of the search before.
func (s *Searcher) begin(g *board.Game, limits search.Limits, report func(search.Info)) {
	s.started = time.Now()
	select {
	case <-s.ponders:
	default:
	}
	s.limits, s.report, s.err = limits, report, nil
	s.evals, s.sent, s.selDepth, s.told = 0, 0, 0, told{}
	s.serial++
	s.clocked = !limits.Ponder && !limits.Infinite
	s.budget = limits.Budget(&g.Pos)
	s.waited = s.pipeline.Stats()
	if s.table != nil {
		s.table.NewSearch()
	}
	s.tree.root = s.follow(g)
	s.game = g.Clone()
	s.keys = append(s.keys[:0], g.Keys()...)
	s.line[0] = g.Pos
}

// follow finds the node of a game that continues the one of the last search; none where there is no such node.
func (s *Searcher) follow(g *board.Game) uint32 {
	old := s.game
	at := s.tree.root
	if at == none || old == nil || old.Start.Key != g.Start.Key || len(g.Moves) < len(old.Moves) {
		return none
	}
	for i, m := range g.Moves {
		if i < len(old.Moves) {
			if m != old.Moves[i] {
				return none
			}
			continue
		}
		n, next := &s.tree.nodes.Items[at], uint32(none)
		for k := range int(n.moves) {
			if e := s.tree.edge(n, k); e.move() == m {
				next = e.child
			}
		}
		if at = next; at == none {
			return none
		}
	}
	if n := &s.tree.nodes.Items[at]; n.flags&nodeCut != 0 || n.key != g.Pos.Key {
		return none
	}
	return at
}

// requestRoot evaluates the root of a new tree.
func (s *Searcher) requestRoot() {
	b := s.pipeline.Get()
	it := b.Add()
	it.Moves = s.line[0].LegalMoves(it.Moves)
	it.Position, it.Ref = s.line[0], s.takeLeaf()
	l := &s.leaves[it.Ref]
	l.path = l.path[:0]
	l.Begin(&s.line[0], it.Moves)
	s.evals++
	s.submit(b)
	s.absorb()
	if s.err == nil && s.tree.root == none {
		s.err = fmt.Errorf("bestfirst: no memory for the root")
	}
}

// fill fills and submits batches until the pipeline is full or no more may be in flight. It reports whether nothing is
// in flight and nothing can be promoted.
func (s *Searcher) fill() (idle bool) {
	for s.pipeline.InFlight() < pipelineDepth {
		b := s.pipeline.Get()
		progress := s.gather(b)
		if b.Len() > 0 {
			s.submit(b)
			continue
		}
		s.pipeline.Put(b)
		return !progress && s.pipeline.InFlight() == 0
	}
	return false
}

// gather descends until the batch is full. It reports whether any descent reached a leaf.
func (s *Searcher) gather(b *batcher.Batch) (progress bool) {
	limit := max(inFlightLeast, int(inFlightShare*float64(s.tree.nodes.Items[s.tree.root].n)))
	room := min(s.opts.BatchSize, max(1, limit/pipelineDepth), limit-s.pending)
	if most := s.mostEvals(); most > 0 {
		room = min(room, int(most-s.evals))
	}
	s.rankRoot()
	visits := 4 * s.opts.BatchSize // those settled at once need no room, but stop and clock are looked at between batches
	for missed := 0; b.Len() < room && missed < detourLimit && visits > 0; visits-- {
		if !s.descend() {
			missed++
			continue
		}
		progress = true
		s.visit(b)
		if most := s.mostEvals(); most > 0 && s.evals >= most {
			break
		}
	}
	return progress
}

// mostEvals is the limit of leaf requests, which are this search's nodes too; 0 is none.
func (s *Searcher) mostEvals() int64 {
	most := s.limits.Evals
	if n := s.limits.Nodes; n > 0 && (most == 0 || n < most) {
		most = n
	}
	return most
}

// absorb waits for the oldest batch and expands its leaves, the first of its items; quiescence may have added others.
func (s *Searcher) absorb() {
	b := s.pipeline.Next()
	s.unblock()
	leaves := s.inFlight[0]
	s.inFlight = append(s.inFlight[:0], s.inFlight[1:]...)
	s.pending -= leaves
	if b.Err != nil {
		s.err = fmt.Errorf("bestfirst: evaluating a batch of %d: %w", b.Len(), b.Err)
	}
	for i := range leaves {
		if b.Err != nil {
			s.abandon(b.Items[i].Ref)
		} else {
			s.expand(&b.Items[i])
		}
	}
	s.pipeline.Put(b)
}

// submit sends a batch of leaves off.
func (s *Searcher) submit(b *batcher.Batch) {
	s.pending += b.Len()
	s.inFlight = append(s.inFlight, b.Len())
	s.sent += int64(b.Len())
	s.pipeline.Submit(b)
}

// abandon takes back what descend counted for a leaf whose evaluation failed.
func (s *Searcher) abandon(ref uint32) {
	l := &s.leaves[ref]
	s.freeLeaves = append(s.freeLeaves, ref)
	for _, st := range l.path {
		n := &s.tree.nodes.Items[st.node]
		n.n--
		n.pend--
		st.edge.n--
		st.edge.bits &^= edgePending
	}
}
