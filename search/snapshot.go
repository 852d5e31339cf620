package search

import (
	"time"

	"tesla/board"
)

// End is why a search ended.
type End uint8

// The reasons for which a search ends. EndUnknown is that of a searcher that does not say.
const (
	EndUnknown   End = iota // it goes on, or does not say
	EndStopped              // its context was cancelled
	EndEvals                // the limit of evaluations or nodes
	EndDepth                // the limit of depth
	EndMate                 // the mate that was asked for is proven
	EndTime                 // the clock
	EndSatisfied            // more time is expected to gain less than it is worth
	EndProven               // the scores are proven: there is nothing left to find out
	EndExhausted            // nothing is left to search
	EndSure                 // it is as sure of its move as it was asked to be
	EndUnsure               // it was asked for nothing but to be sure, and can state nothing more
	EndFailed               // the backend failed
)

// String is the reason in words.
func (e End) String() string {
	return [...]string{"unknown", "stopped", "limit of evaluations", "limit of depth", "mate found", "out of time", "satisfied", "proven", "nothing left to search",
		"sure", "not sure", "failed"}[min(e, EndFailed)]
}

// Snapshot is what a tree search knows at one moment, as numbers. It shares no memory with the search.
type Snapshot struct {
	End     End        // why the search has ended; EndUnknown while it goes on
	Lines   []Info     // PVs, the best first
	Roots   []RootMove // of the move to play first
	Tree    []TreeNode // the moves with the most evaluations, each after the one before it; the root is the first
	Nodes   int        // in memory
	Batches Batches
}

// Waiting is what a move of the tree waits for.
type Waiting uint8

// What a move of the tree can wait for.
const (
	ForNothing Waiting = iota // it can be promoted
	ForNet                    // the evaluation of its position
	ForTables                 // endgame tables
	ForDeeper                 // a deeper search of its leaf
	ForBelow                  // evaluations below it
)

// String is the short name of what a move waits for; empty for nothing.
func (w Waiting) String() string {
	return [...]string{"", "net", "tables", "deeper", "below"}[min(w, ForBelow)]
}

// TreeNode is a move of the tree that has an evaluation or waits for one, and its position. Values are for the side that
// makes the move; at the root, for the side to move.
type TreeNode struct {
	Parent  int32      // its index in Snapshot.Tree; -1 at the root
	Slot    uint8      // among its siblings, 0 the one of the highest prior
	Move    board.Move // NullMove at the root
	N       uint32     // evaluations spent on it, pending ones included
	Pending uint32     // of them pending
	Q       float32
	Net     float32 // the net's q; NaN where no node is in memory
	Prior   float32 // 0..1; 0 at the root
	Sigma   float32 // expected change of Q under deeper search; 0: unknown
	Gap     float32 // by how much Q must rise, or fall where negative, to change which move is best at its parent; 0: unknown
	Waiting Waiting
	Valued  bool // it has an evaluation: Q is known
	Best    bool // the best of its siblings
	Proven  bool
	Again   bool // its node is shared: the replies follow another move of the list that leads there
}

// Batches is the evaluation side of a search since the snapshot before; in the last snapshot, of the whole search.
type Batches struct {
	Count      int64         // batches
	Size       int           // the most leaves of one
	Mean       float64       // leaves of one, without prefetched ones
	Prefetched float64       // prefetched leaves of one
	Rate       float64       // evaluations a second
	Net        float64       // of them by the net, quiet positions and prefetched leaves included
	Idle       float64       // share of the time in which the net did not run
	Promoting  float64       // share of the evaluations' time in which the promoter did not wait
	Queue      time.Duration // that a batch waited before it was prepared and evaluated
}

// Watcher is a searcher that can be watched.
type Watcher interface {
	// Watch has tell called with snapshots of each later search: at most five a second, between batches, and once more
	// when the search has ended; where it must still wait for a stop, before that. tell is called on the goroutine of
	// Search and must not block. nodes bounds Snapshot.Tree. No search may run. A nil tell ends it.
	Watch(nodes int, tell func(Snapshot))
	// Snapshot is that of the last search, with at most the given number of nodes; false where there is no tree. No search
	// may run.
	Snapshot(nodes int) (Snapshot, bool)
}

// Critical is the line whose value would most likely overturn the choice, for an evaluation: where the search would look next.
type Critical struct {
	Line  []board.Move
	Gap   float64 // q by which the value of the line's first move must rise, or fall where negative, to overturn the choice
	Error float64 // scale of the distance of that value to the one after very many evaluations, by the change model
	N     int64   // evaluations that were spent on that move: as many again would double them
}

// Critic is a searcher that knows what would overturn its choice.
type Critic interface {
	// Critical is that of the last search; false where there is none. No search may run.
	Critical() (Critical, bool)
}
