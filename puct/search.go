package puct

import (
	"context"
	"errors"
	"fmt"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
	"tesla/tt128"
)

// Tuning is what the search can be tuned by; [search.SetOptions] reads it.
type Tuning struct {
	CPuct       float64 `max:"10"`  // exploration at the first evaluations
	CPuctFactor float64 `max:"10"`  // its growth, see the package
	FPU         float64 `max:"4"`   // q units that an untried edge is worth less, for all of the policy tried
	Temperature float64 `max:"10"`  // of the policy
	VirtualLoss float64 `max:"1"`   // share of a loss that an evaluation under way counts as
	Choice      float64 `max:"1"`   // share of the most evaluations that makes a root move one to choose from, by value
	Flight      float64 `max:"100"` // evaluations that may be under way below an edge, in parts of those that are known there
	Collisions  int     // descents without a leaf that end the filling of a batch
	Deepen      int     `max:"50"` // plies that alpha-beta searches a leaf further, two at a time, before it gets children
}

// DefaultTuning is what games led to (docs/experiments.md): 3,456 of 1,600 evaluations and 1,920 of 800, and others under the clock with
// leaves that alpha-beta deepens, whose values are to be trusted more, and the policy less.
func DefaultTuning(deepened bool) Tuning {
	t := Tuning{CPuct: 0.44, CPuctFactor: 3.3, FPU: 0.057, Temperature: 1.15, Choice: 0.38, Flight: 1, Collisions: 8, Deepen: 10}
	if deepened {
		t.CPuct, t.CPuctFactor, t.FPU, t.Temperature, t.Choice, t.Flight = 0.3, 3, 0, 1.4, 0.4, 100
	}
	return t
}

// Options of a Searcher. The zero value of each field but Tuning is its default.
type Options struct {
	Tuning
	BatchSize  int                   // most positions in a batch; 0: what the backend does best, at most what it takes
	TreeMemory int                   // bytes for nodes and edges; 0: treesearch.DefaultTreeMemory
	Leaves     []treesearch.Searcher // deepen leaves, side by side; none: a leaf's value is the backend's
	Verbose    bool                  // report batches, and root moves at the end
}

// Searcher is the baseline. It implements search.Searcher: Search belongs to one goroutine at a time.
type Searcher struct {
	opts Options
	loop treesearch.Loop
	tree *tree

	// of the current search
	line     [maxPly + 2]board.Position
	path     []step
	collided []*edge

	leaves  []leaf // never grows: the pipeline's worker reads it
	free    []uint32
	ordered []*edge // choose
	told    []treesearch.Root
}

// New makes a searcher on a backend and the table of the searchers that deepen leaves, which stay the caller's; table may be nil.
func New(backend batcher.Backend, table *tt128.Table, opts Options) (*Searcher, error) {
	if opts.TreeMemory == 0 {
		opts.TreeMemory = treesearch.DefaultTreeMemory
	}
	if opts.Temperature <= 0 {
		return nil, fmt.Errorf("puct: policy temperature %v: more than 0 is needed", opts.Temperature)
	}
	s, err := &Searcher{opts: opts}, error(nil)
	if s.tree, err = newTree(opts.TreeMemory); err != nil {
		return nil, err
	}
	if err := s.loop.Init("puct", backend, table, opts.BatchSize, opts.Leaves, treesearch.Hooks{
		Gather: s.gather, Unblock: s.takeBack, Expand: s.expand, Abandon: s.abandon, Rooted: func() bool { return s.tree.root != none }, Mate: s.proveMate,
		Policy: treesearch.NewPolicy(opts.Temperature), LeafOf: func(ref uint32) *treesearch.Leaf { return &s.leaves[ref].Leaf },
		Depth: s.depth, Proven: s.anyProven, TimeUp: s.timeUp, Roots: s.rootMoves, Tell: s.tell, Stats: s.moveStats, Verbose: opts.Verbose,
	}); err != nil {
		return nil, errors.Join(err, s.tree.Free())
	}
	s.leaves = make([]leaf, s.loop.MostLeaves())
	for i := range s.leaves {
		s.free = append(s.free, uint32(i))
	}
	return s, nil
}

// NewGame forgets the tree and clears the table.
func (s *Searcher) NewGame() {
	s.tree.clear()
	s.loop.NewGame()
}

// Close stops the pipeline and gives the tree's memory back; the backend stays open.
func (s *Searcher) Close() error {
	s.loop.Close()
	return s.tree.Free()
}

// PonderHit starts the clock of a search that was begun with Limits.Ponder.
func (s *Searcher) PonderHit() { s.loop.PonderHit() }

// Evaluation counts what was evaluated since the searcher was made; it may be called from any goroutine.
func (s *Searcher) Evaluation() batcher.Stats { return s.loop.Pipeline.Stats() }

// Search implements search.Searcher. A position without legal moves gives the zero Result.
func (s *Searcher) Search(ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info)) (search.Result, error) {
	if !g.Pos.HasLegalMove() {
		return search.Result{}, nil
	}
	s.begin(g, limits, report)
	if s.tree.root == none {
		id, _ := s.takeLeaf()
		s.loop.First(&s.line[0], id)
	}
	s.loop.Run(ctx)
	return s.loop.Result()
}

// begin prepares a search: the root is kept where the game goes on from the one of the search before.
func (s *Searcher) begin(g *board.Game, limits search.Limits, report func(search.Info)) {
	since, back, same := s.loop.Begin(g, limits, report)
	if !same || back > 0 {
		s.tree.clear()
	}
	s.follow(since, g.Pos.Key)
	s.line[0] = g.Pos
}

// follow makes the node after the moves played since the last search, of a position with such a key, the root, and gives the
// rest of the tree back; all of it where there is no such node.
func (s *Searcher) follow(since []board.Move, key uint64) {
	t := s.tree
	at, above := t.root, t.above
	for _, m := range since {
		if at == none {
			break
		}
		n := &t.Nodes.Items[at]
		at = none
		for k := range int(n.tried) {
			if e := t.edge(n, k); e.move() == m {
				at, above = e.child, *e
			}
		}
	}
	if at == none || t.Nodes.Items[at].key != key {
		t.clear()
		return
	}
	t.release(t.root, at)
	t.root, t.above = at, above
}

// gather descends until the batch is full. It reports whether any descent reached a leaf.
func (s *Searcher) gather(b *batcher.Batch) (progress bool) {
	room := s.loop.Room(s.tree.above.n)
	visits := 4 * s.loop.Batch // those settled at once need no room, but stop and clock are looked at between batches
	for missed := 0; b.Len() < room && missed < max(1, s.opts.Collisions) && visits > 0; {
		if !s.descend() {
			missed++
			continue
		}
		progress = true
		visits--
		s.visit(b)
		if s.loop.Spent() {
			break
		}
	}
	return progress
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
	if last := l.path[len(l.path)-1]; last.edge.n == 0 { // tried no more
		s.tree.Nodes.Items[last.node].mass -= last.edge.prior
	}
}
