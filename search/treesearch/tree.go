package treesearch

import (
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

// Tree is what a Loop needs of a search: a tree that grows by the leaves that it asks to have evaluated. The methods
// are in the order in which a search calls them. The loop calls them on the goroutine of Loop.Search, one at a time, and
// none of them blocks: evaluations are waited for by the loop. It gives leaves back to its pool after Expand, Settle and
// Abandon.
type Tree interface {
	// Begin is called once at the start of each search. It keeps what is of use of the tree of the search before.
	Begin(g *board.Game, since Since)

	// Gather adds leaves to an empty batch: at most Loop.Room of them, and at most Loop.Spare prefetched ones. It
	// returns false where no descent reached a position. It is called whenever the pipeline has room for a batch. Where
	// there is no root, after Begin alone, it adds the root's leaf. Its leaves are taken from Loop.TakeLeaf. It may note
	// edges at which nothing was found, until the next call of Expand, Settle or Abandon.
	Gather(b *batcher.Batch) (progress bool)

	// Expand takes the evaluated leaves of a batch into the tree, also prefetched ones, in the order in which Gather added
	// them. Where Loop.Bare is true the items have no policy.
	Expand(items []batcher.Item)

	// Settle gives a leaf, for which Loop.Probe returned Waits, its score by endgame tables, which is proven. The score is
	// for the side that moved there. It is called between batches.
	Settle(ref uint32, cp int)

	// Abandon takes back what Gather noted for leaves that were not evaluated: the backend failed, endgame tables that they
	// waited for do not know them, or the search was stopped. It is called at the end of each search, perhaps without leaves.
	Abandon(refs ...uint32)

	// State is called between batches, as the methods below are.
	State() State

	// TimeUp reports whether the clock ends the search before its hard limit, and why: search.EndTime or search.EndSatisfied, else
	// search.EndUnknown. It is called while a clock runs that has more than its soft limit.
	TimeUp(c Clock) search.End

	// RootMoves are the root moves that may be played, the one to play first; none where there is no root. The first of
	// them, as many as are asked for, are full: they have V, Sigma, Gain and PV. The slice is good until the next call.
	RootMoves(full int) []RootMove
}

// State is how far a tree has grown.
type State struct {
	Depth    int  // nominal depth of the root in plies; 0: there is no root
	Proven   bool // one of the root's moves may be proven; only then does the loop look at RootMoves to end a search
	Nodes    int  // in memory
	Hashfull int  // permille of the memory used
}

// RootMove is a root move, as the search stands.
type RootMove struct {
	search.RootMove
	Valued bool    // a search or a table has valued it; else CP and Q are assumed
	Error  float64 // scale of the distance of Q to the value after very many evaluations; 0: the search has no model of that
	Draws  float64 // the net's probability of a draw at the root
	CP     int     // score in centipawns
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
