package puct

import (
	"cmp"
	"context"
	"errors"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/tablebase"
	"tesla/treesearch"
	"tesla/tt128"
)

// Tuning is what the search can be tuned by. The tags declare each field once, see treesearch.Tunable. The defaults are
// what games led to (docs/log; older records call Pending flight): 3,456 games of 1,600 evaluations and 1,920 of 800
// with plain leaves, and others on a clock with deepened ones.
type Tuning struct {
	CPuct       float64 `plain:"0.44" deepened:"0.3" max:"10" step:"0.05" text:"exploration constant of a small node"`
	CPuctFactor float64 `plain:"3.3" deepened:"3" max:"10" step:"0.4" text:"growth of the exploration constant with the logarithm of the node's evaluations"`
	FPU         float64 `plain:"0.057" deepened:"0" max:"4" step:"0.02" text:"first-play urgency: q that an untried edge is worth less than its node, times the root of the policy tried"`
	Temperature float64 `plain:"1.15" deepened:"1.4" max:"10" step:"0.1" text:"temperature of the policy"`
	Choice      float64 `plain:"0.38" deepened:"0.4" max:"1" step:"0.06" text:"part of the most evaluations that a root move needs to be played for its value"`
	Pending     float64 `plain:"1" deepened:"100" max:"100" step:"0.2" text:"pending limit of an edge, as a multiple of its completed evaluations"`
	Collisions  int     `plain:"8" max:"1000" text:"descents that reach no leaf after which a batch is not filled further"`

	// Parts that the plain search of AlphaZero lacks (docs/log/0077): correct=0 share=off deviation=0 leaves them out.
	Correct   float64 `plain:"0.4" deepened:"0" max:"1" step:"0.06" text:"share of the correction history that is added to the net's values; 0: no history"`
	Learn     float64 `plain:"0.03" max:"0.1" step:"0.005" text:"rate at which corrections are learned, for each doubling of evaluations"`
	Share     bool    `plain:"on" deepened:"off" text:"lines that reach a position after as many moves share its node"`
	Deviation float64 `plain:"0.8" deepened:"0" max:"4" step:"0.1" text:"how far the exploration constant of a node follows the deviation of the values below it; 0: not at all"`

	Deepen int `plain:"10" max:"50" text:"plies that a deepened leaf is searched further, two at a time, before it gets children"`
}

// DefaultTuning is the defaults with leaves that are deepened or plain.
func DefaultTuning(deepened bool) (t Tuning) {
	treesearch.SetDefaults(&t, treesearch.RegimeOf(deepened))
	return t
}

// Options of a Searcher. The zero value of each field but Tuning is its default.
type Options struct {
	Tuning
	BatchSize  int                   // most positions in a batch; 0: what the backend does best, at most what it takes
	TreeMemory int                   // bytes for nodes and edges; 0: treesearch.DefaultTreeMemory
	Leaves     []treesearch.Deepener // deepen leaves, side by side; none: a leaf's value is the backend's
	Tables     *tablebase.Prober     // of endgames; nil: none
	Verbose    bool                  // report batches, and root moves at the end
}

// Searcher is the baseline. It implements search.Searcher: Search and NewGame belong to one goroutine at a time.
type Searcher struct{ promoter *promoter }

// promoter is the search's own part, which the loop drives: it implements treesearch.Tree.
type promoter struct {
	opts Options
	loop *treesearch.Loop
	tree *tree

	corrections treesearch.Corrections

	// of the current search
	line     [maxPly + 2]board.Position
	path     []step
	collided []*uint16 // counts of pending ones, until a batch returns
	plies    uint16    // of the game, up to the root

	leaves  *treesearch.Pool[leaf]
	ordered []*edge // by playOrder
	moves   []treesearch.RootMove
}

// New makes a searcher on a backend and the table of the searchers that deepen leaves, which stay the caller's; table
// may be nil.
func New(backend batcher.Backend, table *tt128.Table, opts Options) (*Searcher, error) {
	t, err := newTree(cmp.Or(opts.TreeMemory, treesearch.DefaultTreeMemory), treesearch.ChunksPerNode(backend, opts.Leaves, chunksBare))
	if err != nil {
		return nil, err
	}
	pr := &promoter{opts: opts, tree: t}
	if pr.loop, err = treesearch.New(pr, treesearch.Options{Name: "puct", Backend: backend, Table: table, BatchSize: opts.BatchSize,
		Deepeners: opts.Leaves, Tables: opts.Tables, Temperature: opts.Temperature, Verbose: opts.Verbose}); err != nil {
		return nil, errors.Join(err, t.free())
	}
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
	s.promoter.corrections = treesearch.Corrections{}
	s.promoter.loop.NewGame()
}

// Close stops the pipeline and gives the tree's memory back; the backend stays open.
func (s *Searcher) Close() error {
	s.promoter.loop.Close()
	return s.promoter.tree.free()
}

// Evaluation counts what was evaluated since the searcher was made; it may be called from any goroutine.
func (s *Searcher) Evaluation() batcher.Stats { return s.promoter.loop.Stats() }

// Begin implements treesearch.Tree: the root is kept where the game goes on from the one of the search before.
func (pr *promoter) Begin(g *board.Game, since treesearch.Since) {
	if !since.Same || since.Back > 0 {
		pr.tree.clear()
	}
	pr.plies = uint16(len(g.Moves))
	pr.follow(since.Played, g)
	pr.line[0] = g.Pos
}

// Rooted implements treesearch.Tree.
func (pr *promoter) Rooted() bool { return pr.tree.root != none }

// root is the node of the position that is searched.
func (pr *promoter) root() *node { return &pr.tree.Nodes.Items[pr.tree.root] }

// follow makes the node of a game's last position, after some moves, the root, and gives the rest of the tree back; all
// of it where there is no such node, or one with the mating move alone.
func (pr *promoter) follow(since []board.Move, g *board.Game) {
	t := pr.tree
	at := t.root
	for _, m := range since {
		if at == none {
			break
		}
		n := &t.Nodes.Items[at]
		at = none
		for k := range int(n.tried) {
			if e := t.edge(n, k); e.move() == m {
				at = e.child
			}
		}
	}
	if n := &t.Nodes.Items[at]; at == none || n.key != g.Pos.Key || !pr.furnish(at, &g.Pos, true) || int(n.moves) != len(g.Pos.LegalMoves(nil)) {
		t.clear()
		return
	}
	if t.root = at; len(since) > 0 {
		t.rejudge(at, 0, pr.drawn(g))
		t.sweep()
	}
}

// Gather implements treesearch.Tree: it descends until the batch is full, or too many descents collided.
func (pr *promoter) Gather(b *batcher.Batch) (progress bool) {
	room := pr.loop.Room(pr.root().n)
	visits := 4 * pr.loop.BatchSize() // those settled at once need no room, but stop and clock are looked at between batches
	for missed := 0; b.Len() < room && missed < max(1, pr.opts.Collisions) && visits > 0; {
		if !pr.descend() {
			missed++
			continue
		}
		progress = true
		visits--
		pr.visit(b)
		if pr.loop.Spent() {
			break
		}
	}
	return progress
}

// Unblock implements treesearch.Tree: it takes back what descents that collided counted.
func (pr *promoter) Unblock() {
	for _, pend := range pr.collided {
		*pend--
	}
	pr.collided = pr.collided[:0]
}

// Abandon implements treesearch.Tree: it takes back what a descent counted.
func (pr *promoter) Abandon(ref uint32) {
	l := pr.leaves.At(ref)
	pr.leaves.Give(ref)
	if len(l.path) == 0 {
		return
	}
	for _, st := range l.path {
		pr.tree.Nodes.Items[st.node].pend--
		st.edge.pend--
		st.edge.bits &^= edgePending | edgeWaits
	}
	last := l.path[len(l.path)-1]
	if last.edge.n == 0 { // tried no more
		pr.tree.Nodes.Items[last.node].mass -= last.edge.prior
	}
	if l.Further > 0 {
		pr.tree.Nodes.Items[last.edge.child].flags &^= nodeDeepening
	}
}
