package bestfirst

import (
	"cmp"
	"context"
	"errors"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/sure"
	"tesla/search/treesearch"
	"tesla/tablebase"
	"tesla/tt128"
)

// Options of a Searcher. The zero value of each field is its default.
type Options struct {
	Tuning
	BatchSize   int                   // most positions in a batch; 0: what the backend does best, at most what it takes
	TreeMemory  int                   // bytes for nodes and edges; 0: treesearch.DefaultTreeMemory
	Leaves      []treesearch.Deepener // deepen leaves, side by side; none: a leaf's value is the backend's
	MostPending int                   // see treesearch.Options
	Tables      *tablebase.Prober     // of endgames; nil: none
	Fit         *Fit                  // change model; nil: the net's, see FitOf
	Sure        *sure.Model           // see treesearch.Options
	Verbose     bool                  // report batches, and root moves at the end
	Trace       func(Sample)          // called by the promoter for each doubling of a node's evaluations
	PUCT        *PUCT                 // makes it the baseline, with this tuning in place of Tuning, Fit and Trace
}

// Searcher is the best-first search. It implements search.Searcher: Search, NewGame and what writes the tree belong to
// one goroutine at a time.
type Searcher struct{ promoter *promoter }

// promoter is the search's own part, which the loop drives: it implements treesearch.Tree.
type promoter struct {
	opts        Options
	name        string // of the search
	loop        *treesearch.Loop
	table       *tt128.Table // may be nil
	net         string       // hash of the backend's net
	tree        *tree
	policy      policy
	model       *ranking // the policy, where it has a change model; else nil
	tracer      *ranking // nil: nothing is traced
	fresh       uint32   // bits of an edge without an evaluation: the code of the spread of first evaluations
	corrections treesearch.Corrections
	leaves      []leaf // by the numbers of the loop's

	// of the current search
	plies   uint16 // of the game, up to the root
	roots   []rootMove
	ordered []rootMove // by playOrder
	lines   int        // PVs wanted: the first of roots
	moves   []treesearch.RootMove

	// of the current descent or backup
	line    [maxPly + 2]board.Position
	path    []step
	detours []*edge // counted in n until a batch returns, see detour
	skipped []*edge // marked pending until then, see skip
	climb   climb

	// of the descents of the present batch
	descents int             // their number
	bursts   [maxPly + 2]int // the descents after which the burst of each node of path ends; the root's never does
}

// New makes a searcher on a backend and a table, which stay the caller's; table may be nil.
func New(backend batcher.Backend, table *tt128.Table, opts Options) (*Searcher, error) {
	name := "bestfirst"
	switch {
	case opts.PUCT != nil:
		name, opts.Tuning = "puct", opts.PUCT.common()
	case opts.Tuning == (Tuning{}):
		opts.Tuning = DefaultTuning(len(opts.Leaves) > 0)
	}
	perNode := float64(chunksFull)
	if treesearch.Bare(backend, opts.Leaves) {
		perNode = chunksBare
	}
	t, err := newTree(cmp.Or(opts.TreeMemory, treesearch.DefaultTreeMemory), perNode)
	if err != nil {
		return nil, err
	}
	pr := &promoter{opts: opts, name: name, net: backend.Info().Model, table: table, tree: t}
	if err := pr.setPolicy(); err != nil {
		return nil, errors.Join(err, t.free())
	}
	if pr.loop, err = treesearch.New(pr, treesearch.Options{Name: name, Backend: backend, Table: table, BatchSize: opts.BatchSize,
		Deepeners: opts.Leaves, MostPending: opts.MostPending, Tables: opts.Tables, Temperature: opts.Temperature, Sure: opts.Sure,
		Verbose: opts.Verbose}); err != nil {
		return nil, errors.Join(err, t.free())
	}
	pr.leaves = make([]leaf, pr.loop.MostLeaves())
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
	s.promoter.corrections = treesearch.Corrections{}
	s.promoter.loop.NewGame()
}

// Close stops the pipeline, stores what the tree knows in the table and gives its memory back; backend and table stay open.
func (s *Searcher) Close() error {
	s.promoter.loop.Close()
	s.promoter.publish()
	return s.promoter.tree.free()
}

// Evaluation counts what was evaluated since the searcher was made; it may be called from any goroutine.
func (s *Searcher) Evaluation() batcher.Stats { return s.promoter.loop.Stats() }

// TreeSize is the number of nodes in memory and the bytes that they and their edges take.
func (s *Searcher) TreeSize() (nodes, bytes int) { return s.promoter.tree.Size() }

// Begin implements treesearch.Tree: the root is kept where the position was searched before.
func (pr *promoter) Begin(g *board.Game, since treesearch.Since) {
	pr.plies = uint16(len(g.Moves))
	if !since.Same || !pr.opts.Reuse || since.Back > 0 && !pr.opts.Share {
		pr.tree.clear()
	}
	if len(since.Played)+since.Back > 0 {
		pr.rejudge(g)
	}
	pr.tree.root = pr.tree.known(g.Pos.Key, pr.plies)
	if pr.tree.root != none && !pr.furnish(pr.tree.root, &g.Pos, true) {
		pr.tree.root = none
	}
	if int(pr.root().moves) != len(g.Pos.LegalMoves(nil)) { // perhaps the mating move alone
		pr.tree.root = none
	}
	pr.line[0] = g.Pos
}

// root is the node of the position that is searched; without one, a node without evaluations.
func (pr *promoter) root() *node { return &pr.tree.Nodes.Items[pr.tree.root] }
