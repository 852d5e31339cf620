package treesearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/sure"
	"tesla/tablebase"
	"tesla/tt128"
)

const (
	// defaultBatch is the batch size where a backend names none: on a CPU larger batches gain little speed.
	defaultBatch = 32
	// DefaultTreeMemory is in bytes. It holds about 350,000 nodes with all their edges.
	DefaultTreeMemory = 256 << 20
	// pendingLeast is how many leaves may be pending in the smallest tree.
	pendingLeast = 2
	// pendingMost is the largest part of a tree's evaluations that may be pending in one batch.
	pendingMost = 0.144
	// speedWorth is what speed is worth against choosing leaves with few pending ones; see Room.
	speedWorth = 0.04
)

// Options of a Loop.
type Options struct {
	Name        string            // of the search, for errors
	Backend     batcher.Backend   // stays the caller's
	Table       *tt128.Table      // cleared by NewGame, aged by each search; stays the caller's; may be nil
	BatchSize   int               // most leaves in a batch, at most what the backend takes; 0: what the backend does best
	Deepeners   []Deepener        // deepen leaves, side by side; none: a leaf's value is the backend's
	MostPending int               // most leaves pending; 0: what the pipeline holds, and two for each deepener
	Tables      *tablebase.Prober // of endgames; nil: none
	Temperature float64           // of the policy, above 0
	Sure        *sure.Model       // judges the choice; nil: nothing does
	Verbose     bool              // report batches, and the root moves at the end
	Now         func() time.Time  // nil: time.Now
}

// Loop drives a Tree. Its methods belong to the goroutine of Search, except for PonderHit and Stats.
type Loop struct {
	opts Options
	tree Tree
	pool
	pipeline *batcher.Pipeline
	orders   *orders // nil: the backend cannot leave policies out
	bare     bool    // it does
	batch    int     // most leaves in a batch
	depth    int     // most batches in the pipeline
	free     int     // leaves that may be evaluated together at little cost
	slots    int     // a smaller batch is filled with prefetched leaves

	// of the current search
	limits     search.Limits // Ponder ends with the ponderhit
	game       *board.Game   // a copy; of the last search between searches
	report     func(search.Info)
	budget     search.Budget
	started    time.Time
	clocked    bool     // the budget counts
	evals      int64    // evaluations requested
	before     int64    // of them, before the clock started
	searched   int64    // nodes that deepeners searched
	ahead      int64    // of them, before the clock started
	refs       []uint32 // of the batch that is absorbed
	selDepth   int      // plies of the longest line: a descent, and the search that deepened its leaf
	pending    int      // leaves pending, without prefetched ones
	sent       int64    // leaves submitted, without prefetched ones
	prefetched int64    // and these
	err        error
	why        search.End // the search ended
	watch      watch
	ponders    chan struct{}
	stop       <-chan struct{}           // of Search's context
	end        atomic.Pointer[time.Time] // when leaves are given up; nil: never
	waited     batcher.Stats             // at the start
	probes
	sureness sureness
	told     struct {
		depth int
		at    time.Time
	}
}

// New makes a loop that drives a tree.
func New(tree Tree, o Options) (*Loop, error) {
	info := o.Backend.Info()
	if o.Temperature <= 0 {
		return nil, fmt.Errorf("%s: policy temperature %v, want more than 0", o.Name, o.Temperature)
	}
	if o.BatchSize < 0 {
		return nil, fmt.Errorf("%s: batch size %d, want at least 1", o.Name, o.BatchSize)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Loop{opts: o, tree: tree, free: max(1, info.Free, len(o.Deepeners)), ponders: make(chan struct{}, 1)}
	room := info.MaxBatch
	if info.WantsQuiescence {
		room = max(1, room/2) // quiet positions go beside the leaves
	}
	l.batch = min(room, cmp.Or(o.BatchSize, info.Batch, defaultBatch))
	l.slots = min(l.batch, cmp.Or(o.BatchSize, l.free))
	backend, finish := l.beginOrders()
	l.pipeline = batcher.NewPipeline(backend, finish, l.preparations(info)...)
	l.depth = l.pipeline.Depth()
	if len(o.Deepeners) > 0 {
		l.slots = 0 // each leaf costs as much as the one before
		// The net takes little of the time: one leaf to search and one that waits.
		l.depth = min(l.depth, cmp.Or(o.MostPending, 2*len(o.Deepeners)))
	}
	l.pool = newPool(l.MostLeaves())
	return l, nil
}

// preparations are what the pipeline does with a batch before the backend evaluates it, one goroutine each.
func (l *Loop) preparations(info batcher.Info) (all []func(*batcher.Batch) error) {
	for _, d := range l.opts.Deepeners {
		all = append(all, Deepen(d, l.Leaf, l.hurried))
	}
	if len(all) == 0 && info.WantsQuiescence {
		all = append(all, Quieten(l.Leaf))
	}
	return all
}

// NewGame makes the next search's game another one, and clears the table and what deepeners learned.
func (l *Loop) NewGame() {
	l.game = nil
	if l.opts.Table != nil {
		l.opts.Table.Clear()
	}
	for _, d := range l.opts.Deepeners {
		d.Forget()
	}
}

// Close stops the pipeline; the backend stays open.
func (l *Loop) Close() { l.pipeline.Close() }

// Stats counts what was evaluated since the loop was made. It may be called from any goroutine.
func (l *Loop) Stats() batcher.Stats { return l.pipeline.Stats() }

// Search is search.Searcher's. A position without legal moves gives the zero Result. Where the backend fails the result
// is what the tree held, beside the error.
func (l *Loop) Search(ctx context.Context, g *board.Game, limits search.Limits, report func(search.Info)) (search.Result, error) {
	if !g.Pos.HasLegalMove() {
		return search.Result{}, nil
	}
	l.tree.Begin(g, l.begin(g, limits, report))
	l.stop = ctx.Done()
	l.setEnd()
	if !l.rooted() {
		l.evaluateRoot()
	}
	l.run(ctx)
	return l.result()
}

// begin resets what is of one search.
func (l *Loop) begin(g *board.Game, limits search.Limits, report func(search.Info)) Since {
	l.started = l.opts.Now()
	select {
	case <-l.ponders: // a ponderhit that came too late for the search before
	default:
	}
	l.limits, l.report, l.err, l.why = limits, report, nil, search.EndUnknown
	l.evals, l.before, l.searched, l.ahead, l.sent, l.prefetched = 0, 0, 0, 0, 0, 0
	l.selDepth, l.told.depth, l.told.at = 0, 0, time.Time{}
	l.clocked = !limits.Ponder && !limits.Infinite
	l.budget = limits.Budget(&g.Pos)
	l.waited = l.pipeline.Stats()
	l.watch.begin(l.waited, l.started)
	l.beginProbes()
	l.sureness = sureness{facts: sure.Facts{Rivals: l.sureness.facts.Rivals[:0]}}
	if l.opts.Table != nil {
		l.opts.Table.NewSearch()
	}
	old := l.game
	l.game = g.Clone()
	if old == nil || old.Start != g.Start {
		return Since{}
	}
	common, shorter := 0, min(len(old.Moves), len(g.Moves))
	for common < shorter && old.Moves[common] == g.Moves[common] {
		common++
	}
	return Since{common > 0 || shorter == 0, g.Moves[common:], len(old.Moves) - common}
}

// Resume makes a game that of the last search, for a tree that was searched by another process. No search may run.
func (l *Loop) Resume(g *board.Game) { l.game = g.Clone() }

// rooted reports whether the position that is searched has a node.
func (l *Loop) rooted() bool { return l.tree.State().Depth > 0 }

// evaluateRoot evaluates the root of a new tree.
func (l *Loop) evaluateRoot() {
	b := l.pipeline.Get()
	l.tree.Gather(b)
	l.submit(b)
	if l.absorb(); !l.rooted() {
		l.fail("no memory for the root")
	}
}

// fail ends the search. The first reason given is the one that is reported.
func (l *Loop) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(l.opts.Name+": "+format, args...)
	}
}

// run searches until the search is over or fails, and, where it is infinite or pondering, until it may end.
func (l *Loop) run(ctx context.Context) {
	end := search.EndUnknown
	for l.err == nil {
		l.settle()
		idle := l.fill()
		l.look(false)
		l.tell()
		l.show(search.EndUnknown)
		if end = l.ended(ctx); end == search.EndUnknown && idle {
			end = search.EndExhausted
		}
		if end != search.EndUnknown {
			break
		}
		if l.pipeline.Pending() > 0 {
			l.absorb()
		} else if len(l.waiting) > 0 {
			l.await()
		}
	}
	if ctx.Err() != nil || l.timed() {
		l.pipeline.Cancel() // somebody waits
		l.end.Store(new(time.Time))
	}
	for l.pipeline.Pending() > 0 {
		l.absorb()
	}
	l.abandonWaiting()
	l.stop = nil
	l.end.Store(nil)
	if l.why = end; l.err != nil {
		l.why = search.EndFailed
	}
	l.show(l.why)
	l.park(ctx)
}

// fill fills and submits batches until the pipeline is full or no more leaves may be pending. It reports whether
// nothing is pending and nothing can be searched.
func (l *Loop) fill() (idle bool) {
	for l.pipeline.Pending() < l.depth {
		b := l.pipeline.Get()
		progress := l.tree.Gather(b)
		if b.Len() > 0 {
			l.submit(b)
			continue
		}
		l.pipeline.Put(b)
		return !progress && l.pipeline.Pending() == 0 && len(l.waiting) == 0
	}
	return false
}

// submit sends a batch of leaves off.
func (l *Loop) submit(b *batcher.Batch) {
	needed := b.Len() - b.Ahead
	l.pending += needed
	l.sent += int64(needed)
	l.prefetched += int64(b.Ahead)
	l.pipeline.Submit(b)
}

// absorb waits for a batch and expands its leaves. These are the first of its items: quiescence may have added others.
// It takes the batch submitted first, so that searches repeat, but under a clock any that is ready.
func (l *Loop) absorb() {
	next := l.pipeline.Next
	if l.timed() {
		next = l.pipeline.Arrived
	}
	b := next()
	l.pending -= b.Asked - b.Ahead
	if b.Err != nil && !errors.Is(b.Err, batcher.ErrCancelled) {
		l.fail("evaluating a batch of %d: %w", b.Len(), b.Err)
	}
	refs := l.refs[:0]
	for i := range b.Asked {
		ref := b.Items[i].Ref
		l.count(l.Leaf(ref))
		refs = append(refs, ref)
	}
	if b.Err == nil {
		l.tree.Expand(b.Items[:b.Asked])
		l.GiveLeaf(refs...)
	} else {
		l.abandon(refs...)
	}
	l.refs = refs
	l.pipeline.Put(b)
}

// abandon gives up leaves.
func (l *Loop) abandon(refs ...uint32) {
	l.tree.Abandon(refs...)
	l.GiveLeaf(refs...)
}

// count adds what a deepener did for a leaf, even if it was stopped.
func (l *Loop) count(leaf *Leaf) {
	if len(l.opts.Deepeners) > 0 {
		l.searched += leaf.nodes
		l.selDepth = max(l.selDepth, leaf.ply+leaf.plies)
	}
}

// Room is how many leaves the next batch may have, for a tree of some evaluations.
//
// A batch of n leaves takes about as long as free + n leaves of one batch, so large batches gain time. But leaves are
// chosen worse the more of them are pending, above all in small trees. Games on devices of little and of much to gain
// (docs/batches.md) agree with a size of sqrt(speedWorth * tree * free / depth of the pipeline).
func (l *Loop) Room(tree uint32) int {
	each := float64(tree) / float64(l.depth)
	size := min(math.Sqrt(speedWorth*each*float64(l.free)), pendingMost*each)
	room := min(l.batch, max(1, int(size)))
	if l.pending > 0 && l.pending+room > max(pendingLeast, int(size*float64(l.depth))) {
		return 0
	}
	return int(max(0, min(int64(room), l.left())))
}

// Spare is how many prefetched leaves may join a batch.
func (l *Loop) Spare(b *batcher.Batch) int {
	if b.Len() == 0 {
		return 0
	}
	return max(0, l.slots-b.Len())
}

// BatchSize is the most leaves in a batch.
func (l *Loop) BatchSize() int { return l.batch }

// MostLeaves is the most leaves that can be pending at a time.
func (l *Loop) MostLeaves() int {
	most := (l.depth+1)*l.batch + 1
	if l.opts.Tables != nil {
		most += mostWaiting
	}
	return most
}

// Game is a copy of the game that is searched, or was last.
func (l *Loop) Game() *board.Game { return l.game }

// Before is the move of the game some plies before the position that is searched; NullMove where there is none.
func (l *Loop) Before(plies int) board.Move {
	if i := len(l.game.Moves) - plies; i >= 0 {
		return l.game.Moves[i]
	}
	return board.NullMove
}

// Reached counts an evaluation, of a position that a descent reached after some plies.
func (l *Loop) Reached(ply int) {
	l.evals++
	l.selDepth = max(l.selDepth, ply)
}

// Missed takes back an evaluation that Reached counted: it was of no use.
func (l *Loop) Missed() { l.evals-- }
