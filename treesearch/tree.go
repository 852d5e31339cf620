package treesearch

import (
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

// Tree is what a Loop needs of a search: a tree that grows by the leaves that it asks to have evaluated. The methods
// are in the order in which a search calls them. The loop calls all of them but Leaf on the goroutine of Loop.Search,
// one at a time, and none of them blocks: evaluations are waited for by the loop.
type Tree interface {
	// Begin is called once at the start of each search. It keeps what is of use of the tree of the search before.
	Begin(g *board.Game, since Since)

	// Gather adds leaves to an empty batch: at most Loop.Room of them, and at most Loop.Spare prefetched ones. It
	// returns false where no descent reached a position. It is called whenever the pipeline has room for a batch. Where
	// there is no root, after Begin alone, it adds the root's leaf.
	Gather(b *batcher.Batch) (progress bool)

	// Leaf is the leaf of an item, by the item's Ref. The goroutines of the pipeline call it, several at a time,
	// between Gather and Expand: it must not write, nor read what the goroutine of the search writes.
	Leaf(ref uint32) *Leaf

	// Unblock is called when a batch is back, before its leaves are expanded or abandoned, and once at the end.
	// Descents that found nothing may try the same edges again.
	Unblock()

	// Expand takes the evaluated leaves of a batch into the tree, also prefetched ones, in the order in which Gather added
	// them. Where Loop.Bare is true the items have no policy.
	Expand(items []batcher.Item)

	// Settle gives a leaf, for which Loop.Probe returned Waits, its score by endgame tables, which is proven. The score is
	// for the side that moved there. It is called between batches.
	Settle(ref uint32, cp int)

	// Abandon takes back what Gather noted for a leaf that was not evaluated: the backend failed, endgame tables that it
	// waited for do not know it, or the search was stopped.
	Abandon(ref uint32)

	// Root is the nominal depth of the root in plies, 0 where there is no root, and whether any of its moves may be
	// proven; only then does the loop look at RootMoves to end a search. It is called between batches, as the methods below
	// are.
	Root() (depth int, proven bool)

	// TimeUp reports whether the clock ends the search, and why: search.EndTime or search.EndSatisfied, else search.EndUnknown. It
	// is called while a clock runs.
	TimeUp(c Clock) search.End

	// RootMoves are the root moves that may be played, the one to play first; none where there is no root. The slice is
	// good until the next call.
	RootMoves() []RootMove

	// Describe fills a report on the i-th of the moves that RootMoves returned last: score, WDL, memory used and PV.
	Describe(i int, to *search.Info)

	// Snapshot fills the root moves of a snapshot, the best first, its edges with the most evaluations, at most a number of
	// them, and the number of nodes in memory.
	Snapshot(edges int, to *search.Snapshot)
}

// RootMove is a root move, as the search stands.
type RootMove struct {
	Move   board.Move
	Q      float64 // expected score
	N      uint32  // evaluations; 0: it has none yet
	Prior  float64 // 0..1
	Error  float64 // scale of the distance of Q to the value after very many evaluations; 0: the search has no model of that
	Draws  float64 // the net's probability of a draw at the root
	Proven bool
	CP     int // score in centipawns, where Proven
}

// Since is how a game differs from that of the search before.
type Since struct {
	Same   bool         // the games begin alike and differ in their last moves at most; else the other fields mean nothing
	Played []board.Move // moves added
	Back   int          // moves taken back before these
}

// Clock is the state of the clock, for TimeUp.
type Clock struct {
	search.Budget
	Spent   time.Duration // since the clock started
	Evals   int64         // of this search
	Counted int64         // of these, those since the clock started: a search that pondered has more
}

// Rate is the evaluations a second.
func (c Clock) Rate() float64 { return float64(c.Counted) / c.Spent.Seconds() }
