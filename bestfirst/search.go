package bestfirst

import (
	"cmp"
	"context"
	"errors"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
	"tesla/tt128"
)

// Tuning is what the search can be tuned by; [search.SetOptions] reads it.
type Tuning struct {
	Temperature float64 `max:"10"`  // of the policy
	Prior       float64 `max:"4"`   // power of a move's prior that its promotions are weighted by
	Settle      float64 `max:"1"`   // power of its evaluations with which a node's choice settles: gaps count as so much wider; 0: with those of each move, see Fit
	Widen       float64 `max:"10"`  // how much less they count as wider, at all nodes, in large trees, by the logarithm of the tree's evaluations (as cpuct grows in AlphaZero, Silver et al. 2018)
	Tails       float64 `max:"100"` // degrees of freedom of that probability; 0: the fit's
	Reach       float64 `max:"10"`  // gaps count as so many times as wide in it
	Evidence    float64 `max:"10"`  // weight of the policy in a move's value; 0: none
	Mean        float64 `max:"10"`  // q below the best one's at which a move's evaluations count 0.4 in its node's value; 0: the best one's alone
	Doubt       float64 `max:"10"`  // scales of error that a move's value is lowered by when one is chosen to be played
	Correct     float64 `max:"1"`   // share of what search found beyond the net in positions of like structure that is added to its values; 0: nothing is learned
	Learn       float64 `max:"0.1"` // share of the rest that is learned at a time, for each doubling of evaluations
	Flight      float64 `max:"100"` // evaluations that may be under way below a node, in parts of those that are known there
	Deepen      int     `max:"50"`  // plies that alpha-beta searches a leaf further, two at a time, before it gets children
	Share       bool    // lines that reach a position after as many moves share its node
	Table       bool    // the transposition table is told of positions, and bounds of alpha-beta there count
	Reuse       bool    // the tree of the search before is kept
	Satisfy     bool    // a clock's budget is left early and exceeded, by what more of it promises; off: spent
}

// DefaultTuning is what games led to (docs/experiments.md). Leaves that alpha-beta deepens are to be trusted more: of them the best is believed,
// and trees of them are small.
func DefaultTuning(deepened bool) Tuning {
	t := Tuning{Temperature: 1.17, Prior: 0.84, Settle: 0.32, Widen: 0.75, Tails: 1.4, Reach: 0.6, Evidence: 0.17, Mean: 0.36, Doubt: 1.35, Correct: 0.4, Learn: 0.03,
		Flight: 1, Deepen: 10, Share: true, Reuse: true, Satisfy: true}
	if deepened {
		t.Temperature, t.Prior, t.Settle, t.Tails, t.Reach, t.Evidence, t.Mean, t.Correct, t.Flight = 1.3, 1.1, 0, 0, 1, 0.6, 0, 0, 100
	}
	return t
}

// Options of a Searcher. The zero value of each field is its default.
type Options struct {
	Tuning
	BatchSize  int                   // most positions in a batch; 0: what the backend does best, at most what it takes
	TreeMemory int                   // bytes for nodes and edges; 0: treesearch.DefaultTreeMemory
	Leaves     []treesearch.Deepener // deepen leaves, side by side; none: a leaf's value is the backend's
	Fit        *Fit                  // change model; nil: the net's, see FitOf
	Verbose    bool                  // report batches, and root moves at the end
	Trace      func(Sample)          // called by the promoter for each doubling of what is known about a node
}

// detourLimit ends the filling of a batch after so many descents that found all pending.
const detourLimit = 8

// Sample is what Options.Trace is told: a node's value after N completed evaluations, a power of two or a little more.
type Sample struct {
	Node    uint32 // identifies the node within a search, but for reclaimed ones
	N       uint32
	Q       float32   // backed-up value, side to move
	Asked   float32   // by how much Q had to rise (or fall, where negative) to change which move is best at its parent
	Missing float32   // plies by which the search below falls short of the parent's, in doublings of evaluations
	Nats    float32   // of a new node (N = 1): how far its prior lies below its best sibling's
	Parent  float32   // of a new node: its parent's q before it
	Of      *Features // of a new node
	Proven  bool
}

// Searcher is the best-first search. It implements search.Searcher: Search, NewGame and what writes the tree belong to one goroutine at
// a time.
type Searcher struct{ promoter *promoter }

// promoter is the search's own part, which the loop drives: it implements treesearch.Tree.
type promoter struct {
	opts        Options
	loop        *treesearch.Loop
	table       *tt128.Table // may be nil
	tree        *tree
	model       *model
	corrections corrections
	leaves      *treesearch.Pool[leaf]

	// of the current search
	line    [maxPly + 2]board.Position
	path    []step
	detours []*edge // counted as spent until a batch returns
	busy    []*edge // pending until then, for as many evaluations are pending below as may be
	roots   []rooted
	ordered []rooted // choose
	moves   []treesearch.RootMove
	lines   int    // principal variations wanted
	plies   uint16 // of the game, to the root
}

// New makes a searcher on a backend and a table, which stay the caller's; table may be nil.
func New(backend batcher.Backend, table *tt128.Table, opts Options) (*Searcher, error) {
	fit, err := FitOf(backend.Info().Model)
	if err != nil {
		return nil, err
	}
	if opts.Fit != nil {
		fit = *opts.Fit
	}
	if opts.Tuning == (Tuning{}) {
		opts.Tuning = DefaultTuning(len(opts.Leaves) > 0)
	}
	t, err := newTree(cmp.Or(opts.TreeMemory, treesearch.DefaultTreeMemory))
	if err != nil {
		return nil, err
	}
	pr := &promoter{opts: opts, table: table, tree: t}
	if pr.loop, err = treesearch.New(pr, treesearch.Options{Name: "bestfirst", Backend: backend, Table: table, BatchSize: opts.BatchSize,
		Deepeners: opts.Leaves, Temperature: opts.Temperature, Verbose: opts.Verbose}); err != nil {
		return nil, errors.Join(err, t.free())
	}
	pr.model = newModel(fit, opts.Tuning)
	pr.leaves = treesearch.NewPool[leaf](pr.loop.MostLeaves())
	return &Searcher{pr}, nil
}

// Search implements search.Searcher. A position without legal moves gives the zero Result.
func (s *Searcher) Search(ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info)) (search.Result, error) {
	return s.promoter.loop.Search(ctx, g, limits, report)
}

// PonderHit starts the clock of a search that was begun with Limits.Ponder.
func (s *Searcher) PonderHit() { s.promoter.loop.PonderHit() }

// NewGame forgets the tree and the corrections, and clears the table.
func (s *Searcher) NewGame() {
	s.promoter.tree.clear()
	s.promoter.corrections = corrections{}
	s.promoter.loop.NewGame()
}

// Close stops the pipeline and gives the tree's memory back; backend and table stay open.
func (s *Searcher) Close() error {
	s.promoter.loop.Close()
	return s.promoter.tree.free()
}

// Evaluation counts what was evaluated since the searcher was made; it may be called from any goroutine.
func (s *Searcher) Evaluation() batcher.Stats { return s.promoter.loop.Stats() }

// TreeSize is the number of nodes in memory and the bytes that they and their edges take.
func (s *Searcher) TreeSize() (nodes, bytes int) { return s.promoter.tree.Size() }

// Begin implements treesearch.Tree: the root is kept where the position was searched before.
func (pr *promoter) Begin(g *board.Game, since treesearch.Since) {
	pr.plies = uint16(len(g.Moves))
	if !since.Same || !pr.opts.Reuse {
		pr.tree.clear()
	}
	pr.tree.root = pr.tree.known(g.Pos.Key, pr.plies)
	pr.line[0] = g.Pos
}

// Rooted implements treesearch.Tree.
func (pr *promoter) Rooted() bool { return pr.tree.root != none }

// Gather implements treesearch.Tree: it descends until the batch is full, or too many descents found nothing.
func (pr *promoter) Gather(b *batcher.Batch) (progress bool) {
	room := pr.loop.Room(pr.tree.Nodes.Items[pr.tree.root].n)
	pr.rankRoot()
	visits := 4 * pr.loop.BatchSize() // those settled at once need no room, but stop and clock are looked at between batches
	for missed := 0; b.Len() < room && missed < detourLimit && visits > 0; visits-- {
		if !pr.descend() {
			missed++
			continue
		}
		progress = true
		pr.visit(b)
		if pr.loop.Spent() {
			break
		}
	}
	pr.lookAhead(b)
	return progress
}

// Abandon implements treesearch.Tree: it takes back what descend counted.
func (pr *promoter) Abandon(ref uint32) {
	l := pr.leaves.At(ref)
	pr.leaves.Give(ref)
	if l.ahead {
		return
	}
	if l.node != none {
		pr.searched(l.node)
		pr.tree.Nodes.Items[l.node].n--
	}
	for _, st := range l.path {
		n := &pr.tree.Nodes.Items[st.node]
		n.n--
		n.pend--
		st.edge.n--
		st.edge.bits &^= edgePending
	}
}
