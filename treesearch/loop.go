package treesearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

const (
	// defaultBatch is filled where a backend does not know better: on a CPU larger ones gain little speed.
	defaultBatch = 32
	// DefaultTreeMemory is bytes: it holds about 400,000 nodes.
	DefaultTreeMemory = 256 << 20
	// inFlightLeast is how many leaves may be in flight in the smallest tree, inFlightMost of a larger one, as a share; worth is that of
	// speed against them.
	inFlightLeast = 2
	inFlightMost  = 0.144
	worth         = 0.04
	// tellEvery is the longest silence.
	tellEvery = time.Second
)

// Hooks are the search's own part.
type Hooks struct {
	Gather  func(b *batcher.Batch) (progress bool) // adds leaves to a batch; false where no descent reached one
	Unblock func()                                 // a batch is back: descents that were blocked may go the same way
	Expand  func(it *batcher.Item)                 // an evaluated leaf, also one that was evaluated ahead
	Abandon func(ref uint32)                       // a leaf whose evaluation failed
	Rooted  func() bool                            // there is a root
	Mate    func(m board.Move)                     // a root move that mates at once: elsewhere one settles the position before it is evaluated
	Policy  *Policy                                // orders the moves of an evaluated leaf
	LeafOf  func(ref uint32) *Leaf                 // of an item's Ref; called on other goroutines
	Depth   func() int                             // nominal, of the root
	Proven  func() bool                            // some root move is proven
	TimeUp  func(spent time.Duration) bool         // the clock ends the search
	Roots   func() []Root                          // the root moves, the one to play first; none where there is no root
	Tell    func(i int, to *search.Info)           // what a report says of the i-th of them: score, WDL, memory used, line
	Stats   func() []search.RootMove               // and VerboseMoveStats, the worst first
	Verbose bool                                   // report batches, and Stats at the end
}

// Root is a root move, as the search stands.
type Root struct {
	Move   board.Move
	Q      float64
	Proven bool
	CP     int // where Proven
}

// Loop is the state of the current search.
type Loop struct {
	Pipeline *batcher.Pipeline
	Batch    int           // most positions in a batch
	Limits   search.Limits // Ponder ends with the ponderhit
	Game     *board.Game   // a copy of what is searched, or was last
	Evals    int64         // leaf requests
	SelDepth int           // plies
	Started  time.Time
	Budget   search.Budget
	Clocked  bool // the budget counts
	Report   func(search.Info)

	who     string
	hooks   Hooks
	table   *tt128.Table
	deep    []Searcher
	err     error
	depth   int   // most batches in flight
	free    int   // leaves that may be evaluated together at little cost
	slots   int   // a batch of fewer is filled with leaves that are not needed yet
	pending int   // leaves in flight that are needed
	sent    int64 // leaves submitted that are needed
	ahead   int64 // and others
	before  int64 // evaluations when the clock started
	ponders chan struct{}
	stop    <-chan struct{}           // of Run's context
	end     atomic.Pointer[time.Time] // when leaves are given up; nil: never
	waited  batcher.Stats             // at the start
	told    struct {
		depth int
		at    time.Time
	}
}

// Init makes a loop on a backend and a table, which stay the caller's, for the search that is called who; table may be nil. batch is the
// most positions in one, 0 for what the backend does best, at most what the backend takes; deep searchers, if any, deepen leaves side by side.
func (l *Loop) Init(who string, backend batcher.Backend, table *tt128.Table, batch int, deep []Searcher, hooks Hooks) error {
	free := max(1, backend.Info().Free, len(deep))
	slots := cmp.Or(batch, free)
	if batch == 0 {
		batch = cmp.Or(backend.Info().Batch, defaultBatch)
	}
	if batch < 0 {
		return fmt.Errorf("%s: batch size %d: at least 1 is needed", who, batch)
	}
	room := backend.Info().MaxBatch
	if backend.Info().WantsQuiescence {
		room = max(1, room/2) // quiet positions go beside the leaves
	}
	var prepare []func(*batcher.Batch) error
	for _, d := range deep {
		prepare = append(prepare, Deepen(d, hooks.LeafOf, l.hurried))
	}
	if len(deep) > 0 {
		slots = 0 // each leaf costs as much as the one before
	} else if backend.Info().WantsQuiescence {
		prepare = append(prepare, Quieten(hooks.LeafOf))
	}
	batch = min(batch, room)
	*l = Loop{who: who, hooks: hooks, table: table, deep: deep, Batch: batch, free: free, slots: min(batch, slots),
		Pipeline: batcher.NewPipeline(backend, hooks.Policy.Finish(hooks.LeafOf), prepare...), ponders: make(chan struct{}, 1)}
	l.depth = l.Pipeline.Depth()
	if len(deep) > 0 {
		l.depth = min(l.depth, 2*len(deep)) // the net's part of the time is small: one to search and one that waits
	}
	return nil
}

// MostLeaves is how many leaves wait at any time.
func (l *Loop) MostLeaves() int { return (l.depth+1)*l.Batch + 1 }

// PonderHit starts the clock of a search that was begun with Limits.Ponder.
func (l *Loop) PonderHit() {
	select {
	case l.ponders <- struct{}{}:
	default:
	}
}

// Fail ends the search, the first reason given being why.
func (l *Loop) Fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(l.who+": "+format, args...)
	}
}

// NewGame makes the next search's game another one, and clears the table and what deep searchers learned.
func (l *Loop) NewGame() {
	l.Game = nil
	if l.table != nil {
		l.table.Clear()
	}
	for _, d := range l.deep {
		d.Forget()
	}
}

// Close stops the pipeline; the backend stays open.
func (l *Loop) Close() { l.Pipeline.Close() }

// Begin begins a search. It returns the moves that were played since the last search, or how many were taken back, or false where the
// game is another.
func (l *Loop) Begin(g *board.Game, limits search.Limits, report func(search.Info)) (since []board.Move, back int, same bool) {
	l.Started = time.Now()
	select {
	case <-l.ponders:
	default:
	}
	l.Limits, l.Report, l.err = limits, report, nil
	l.Evals, l.before, l.sent, l.ahead, l.SelDepth, l.told.depth, l.told.at = 0, 0, 0, 0, 0, 0, time.Time{}
	l.Clocked = !limits.Ponder && !limits.Infinite
	l.Budget = limits.Budget(&g.Pos)
	l.waited = l.Pipeline.Stats()
	if l.table != nil {
		l.table.NewSearch()
	}
	old := l.Game
	l.Game = g.Clone()
	if old == nil || old.Start != g.Start {
		return nil, 0, false
	}
	common := min(len(old.Moves), len(g.Moves))
	return g.Moves[common:], len(old.Moves) - common, slices.Equal(old.Moves[:common], g.Moves[:common])
}

// First evaluates the root of a new tree.
func (l *Loop) First(p *board.Position, ref uint32) {
	b := l.Pipeline.Get()
	it := b.Add()
	it.Moves = p.LegalMoves(it.Moves)
	it.Position, it.Ref = *p, ref
	mate := l.hooks.LeafOf(ref).Begin(p, it.Moves)
	l.Evals++
	l.submit(b)
	l.absorb()
	switch {
	case !l.hooks.Rooted():
		l.Fail("no memory for the root")
	case mate != board.NullMove:
		l.hooks.Mate(mate)
	}
}

// Run searches until the search is over or fails, and, where it is infinite or pondering, until it may end.
func (l *Loop) Run(ctx context.Context) {
	l.stop = ctx.Done()
	l.setEnd()
	for l.err == nil {
		idle := l.fill()
		l.tell(false)
		if l.ended(ctx) || idle { // idle: nothing is left to search
			break
		}
		if l.Pipeline.InFlight() > 0 {
			l.absorb()
		}
	}
	if ctx.Err() != nil || l.timed() {
		l.Pipeline.Cancel() // somebody waits
		l.end.Store(new(time.Time))
	}
	for l.Pipeline.InFlight() > 0 {
		l.absorb()
	}
	l.hooks.Unblock()
	l.stop = nil
	l.end.Store(nil)
	l.park(ctx)
}

// setEnd sets the time when leaves are given up by the clock.
func (l *Loop) setEnd() {
	if _, counts := l.Clock(); counts {
		end := l.Started.Add(l.Budget.Hard)
		l.end.Store(&end)
	}
}

// hurried tells searches of leaves, on other goroutines, to end: a leaf may take longer than the clock has.
func (l *Loop) hurried() bool {
	select {
	case <-l.stop:
		return true
	default:
	}
	end := l.end.Load()
	return end != nil && time.Now().After(*end)
}

// fill fills and submits batches until the pipeline is full or no more may be in flight. It reports whether nothing is
// in flight and nothing can be searched.
func (l *Loop) fill() (idle bool) {
	for l.Pipeline.InFlight() < l.depth {
		b := l.Pipeline.Get()
		progress := l.hooks.Gather(b)
		if b.Len() > 0 {
			l.submit(b)
			continue
		}
		l.Pipeline.Put(b)
		return !progress && l.Pipeline.InFlight() == 0
	}
	return false
}

// Room is how many leaves the next batch may have, the tree holding so many evaluations.
//
// Large batches gain time where a batch of n takes as long as free + n evaluations, but what is in flight when a leaf is chosen costs strength,
// the more the smaller the tree is. Games on devices of little and of much to gain (docs/batches.md) agree with sqrt(worth * tree * free /
// depth of the pipeline).
func (l *Loop) Room(tree uint32) int {
	each := float64(tree) / float64(l.depth)
	size := min(math.Sqrt(worth*each*float64(l.free)), inFlightMost*each)
	room := min(l.Batch, max(1, int(size)))
	if l.pending > 0 && l.pending+room > max(inFlightLeast, int(size*float64(l.depth))) {
		return 0
	}
	if most := l.mostEvals(); most > 0 {
		room = min(room, int(most-l.Evals))
	}
	return room
}

// Ahead is how many leaves may join a batch that are not needed yet.
func (l *Loop) Ahead(b *batcher.Batch) int {
	if b.Len() == 0 {
		return 0
	}
	return max(0, l.slots-b.Len())
}

// mostEvals is the limit of leaf requests, which are the search's nodes too; 0 is none.
func (l *Loop) mostEvals() int64 {
	most := l.Limits.Evals
	if n := l.Limits.Nodes; n > 0 && (most == 0 || n < most) {
		most = n
	}
	return most
}

// Spent tells whether the limit of leaf requests is reached.
func (l *Loop) Spent() bool {
	most := l.mostEvals()
	return most > 0 && l.Evals >= most
}

// submit sends a batch of leaves off.
func (l *Loop) submit(b *batcher.Batch) {
	needed := b.Len() - b.Ahead
	l.pending += needed
	l.sent += int64(needed)
	l.ahead += int64(b.Ahead)
	l.Pipeline.Submit(b)
}

// absorb waits for a batch and expands its leaves, the first of its items; quiescence may have added others. It is the oldest, so that
// searches repeat, and under a clock any.
func (l *Loop) absorb() {
	next := l.Pipeline.Next
	if l.timed() {
		next = l.Pipeline.Arrived
	}
	b := next()
	l.hooks.Unblock()
	l.pending -= b.Asked - b.Ahead
	if b.Err != nil && !errors.Is(b.Err, batcher.ErrCancelled) {
		l.Fail("evaluating a batch of %d: %w", b.Len(), b.Err)
	}
	for i := range b.Asked {
		if b.Err != nil {
			l.hooks.Abandon(b.Items[i].Ref)
		} else {
			l.hooks.Expand(&b.Items[i])
		}
	}
	l.Pipeline.Put(b)
}

// Allowed tells whether searchmoves admits a root move.
func (l *Loop) Allowed(m board.Move) bool {
	if len(l.Limits.SearchMoves) == 0 {
		return true
	}
	for _, x := range l.Limits.SearchMoves {
		if x == m {
			return true
		}
	}
	return false
}
