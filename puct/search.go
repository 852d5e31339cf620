package puct

import (
	"context"
	"fmt"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/leaves"
	"tesla/search"
)

// Tuning is what the search can be tuned by; [search.SetOptions] reads it.
type Tuning struct {
	CPuct       float64 `max:"10"` // exploration at the first evaluations
	CPuctFactor float64 `max:"10"` // its growth, see the package
	FPU         float64 `max:"4"`  // q units that an untried edge is worth less, for all of the policy tried
	Temperature float64 `max:"10"` // of the policy
	VirtualLoss float64 `max:"1"`  // share of a loss that an evaluation under way counts as
	Collisions  int     // descents without a leaf that end the filling of a batch
}

// DefaultTuning is tuned in games, see docs/puct.md.
func DefaultTuning() Tuning {
	return Tuning{CPuct: 1.2, CPuctFactor: 2, FPU: 0.2, Temperature: 1.3, VirtualLoss: 1, Collisions: 8}
}

// Options of a Searcher. The zero value of each field but Tuning is its default.
type Options struct {
	Tuning
	BatchSize  int               // most positions in a batch; 0: DefaultBatch, at most what the backend takes
	TreeMemory int               // bytes for nodes and edges; 0: DefaultTreeMemory
	Leaves     []leaves.Searcher // deepen leaves, side by side; none: a leaf's value is the backend's
	Verbose    bool              // report batches, and root moves at the end
}

const (
	// DefaultBatch is that of the best-first search.
	DefaultBatch = 32
	// DefaultTreeMemory likewise.
	DefaultTreeMemory = 256 << 20
	// inFlightShare limits evaluations under way to this part of the tree, as in the best-first search.
	inFlightShare = 0.1
	// inFlightLeast is allowed in the smallest tree.
	inFlightLeast = 2
	// pipelineDepth is how many batches are under way: one computes while the next is filled.
	pipelineDepth = 2
)

// Searcher is the baseline. It implements search.Searcher: Search belongs to one goroutine at a time.
type Searcher struct {
	opts     Options
	pipeline *batcher.Pipeline
	tree     *tree

	// of the current search
	limits   search.Limits
	game     *board.Game // a copy: what the tree's root stands for
	keys     []uint64    // of the game's positions, the root's last
	line     [maxPly + 2]board.Position
	path     []step
	collided []*edge
	evals    int64 // leaf requests of this search
	pending  int   // of them in flight
	inFlight []int // leaves of each batch in flight, oldest first
	sent     int64 // leaves submitted in this search
	selDepth int
	started  time.Time
	budget   search.Budget
	clocked  bool // the budget counts
	ponders  chan struct{}
	report   func(search.Info)
	told     told
	waited   batcher.Stats // at the start of this search
	err      error

	leaves  []leaf // never grows: the pipeline's worker reads it
	free    []uint32
	priors  []float32
	order   []uint8
	ordered []*edge // choose
}

// New makes a searcher on a backend, which stays the caller's.
func New(backend batcher.Backend, opts Options) (*Searcher, error) {
	if opts.TreeMemory == 0 {
		opts.TreeMemory = DefaultTreeMemory
	}
	if opts.BatchSize == 0 {
		opts.BatchSize = DefaultBatch
	}
	if opts.BatchSize < 0 {
		return nil, fmt.Errorf("puct: batch size %d: at least 1 is needed", opts.BatchSize)
	}
	if opts.Temperature <= 0 {
		return nil, fmt.Errorf("puct: policy temperature %v: more than 0 is needed", opts.Temperature)
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
		opts: opts, pipeline: batcher.NewPipeline(backend, pipelineDepth), tree: t, ponders: make(chan struct{}, 1),
		leaves: make([]leaf, (pipelineDepth+1)*opts.BatchSize+1),
	}
	for i := range s.leaves {
		s.free = append(s.free, uint32(i))
	}
	leafOf := func(ref uint32) *leaves.Leaf { return &s.leaves[ref].Leaf }
	switch {
	case len(opts.Leaves) > 0:
		s.pipeline.Prepare = leaves.Deepen(opts.Leaves, leafOf)
	case backend.Info().WantsQuiescence:
		s.pipeline.Prepare = leaves.Quieten(leafOf)
	}
	return s, nil
}

// NewGame forgets the tree.
func (s *Searcher) NewGame() {
	s.tree.clear()
	s.game = nil
	for _, l := range s.opts.Leaves {
		l.Forget()
	}
}

// Close stops the pipeline and gives the tree's memory back; the backend stays open.
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
		if idle || s.finished(ctx) || s.decided() {
			break
		}
		if s.pipeline.InFlight() > 0 {
			s.absorb()
		}
	}
	for s.pipeline.InFlight() > 0 {
		s.absorb()
	}
	s.takeBack()
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
	s.clocked = !limits.Ponder && !limits.Infinite
	s.budget = limits.Budget(&g.Pos)
	s.waited = s.pipeline.Stats()
	s.follow(g)
	s.game = g.Clone()
	s.keys = append(s.keys[:0], g.Keys()...)
	s.line[0] = g.Pos
}

// follow makes the node of a game that continues that of the last search the root, and gives the rest of the tree back; all
// of it where there is no such node.
func (s *Searcher) follow(g *board.Game) {
	t := s.tree
	at, above := t.root, t.above
	old := s.game
	if old == nil || old.Start.Key != g.Start.Key || len(g.Moves) < len(old.Moves) {
		at = none
	}
	for i, m := range g.Moves {
		if at == none {
			break
		}
		if i < len(old.Moves) {
			if m != old.Moves[i] {
				at = none
			}
			continue
		}
		n := &t.nodes.Items[at]
		at = none
		for k := range int(n.tried) {
			if e := t.edge(n, k); e.move() == m {
				at, above = e.child, *e
			}
		}
	}
	if at == none || t.nodes.Items[at].key != g.Pos.Key {
		t.clear()
		return
	}
	t.release(t.root, at)
	t.root, t.above = at, above
}

// requestRoot evaluates the root of a new tree.
func (s *Searcher) requestRoot() {
	b := s.pipeline.Get()
	it := b.Add()
	it.Moves = s.line[0].LegalMoves(it.Moves)
	last := len(s.free) - 1
	it.Position, it.Ref = s.line[0], s.free[last]
	s.free = s.free[:last]
	l := &s.leaves[it.Ref]
	l.path = l.path[:0]
	mate := l.Begin(&s.line[0], it.Moves)
	s.evals++
	s.submit(b)
	s.absorb()
	switch {
	case s.err != nil:
	case s.tree.root == none:
		s.err = fmt.Errorf("puct: no memory for the root")
	case mate != board.NullMove:
		s.proveMate(mate)
	}
}

// fill fills and submits batches until the pipeline is full or no more may be in flight. It reports whether nothing is
// in flight and nothing can be searched.
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
	limit := max(inFlightLeast, int(inFlightShare*float64(s.tree.above.n)))
	room := min(s.opts.BatchSize, max(1, limit/pipelineDepth), limit-s.pending)
	if most := s.mostEvals(); most > 0 {
		room = min(room, int(most-s.evals))
	}
	visits := 4 * s.opts.BatchSize // those settled at once need no room, but stop and clock are looked at between batches
	for missed := 0; b.Len() < room && missed < max(1, s.opts.Collisions) && visits > 0; {
		if !s.descend() {
			missed++
			continue
		}
		progress = true
		visits--
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

// submit sends a batch of leaves off.
func (s *Searcher) submit(b *batcher.Batch) {
	s.pending += b.Len()
	s.inFlight = append(s.inFlight, b.Len())
	s.sent += int64(b.Len())
	s.pipeline.Submit(b)
}

// absorb waits for the oldest batch and expands its leaves, the first of its items; quiescence may have added others.
func (s *Searcher) absorb() {
	b := s.pipeline.Next()
	s.takeBack()
	count := s.inFlight[0]
	s.inFlight = append(s.inFlight[:0], s.inFlight[1:]...)
	s.pending -= count
	if b.Err != nil {
		s.err = fmt.Errorf("puct: evaluating a batch of %d: %w", b.Len(), b.Err)
	}
	for i := range count {
		if b.Err != nil {
			s.abandon(b.Items[i].Ref)
		} else {
			s.expand(&b.Items[i])
		}
	}
	s.pipeline.Put(b)
}

// takeBack takes the counts of descents that collided back.
func (s *Searcher) takeBack() {
	for _, e := range s.collided {
		e.pend--
	}
	s.collided = s.collided[:0]
}

// abandon takes back what a descent counted for a leaf whose evaluation failed.
func (s *Searcher) abandon(ref uint32) {
	l := &s.leaves[ref]
	s.free = append(s.free, ref)
	if len(l.path) == 0 {
		return
	}
	s.tree.above.pend--
	for _, st := range l.path {
		st.edge.pend--
		st.edge.bits &^= edgeWaits
	}
}
