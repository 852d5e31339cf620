package treesearch

import (
	"tesla/batcher"
	"tesla/board"
)

// DeepenBy is how many plies deeper a leaf that is chosen again is searched, until it gets children.
const DeepenBy = 2

// Deepener deepens leaves in place. It belongs to one goroutine.
type Deepener interface {
	// Leaf is the value of a position that has a legal move, in centipawns for the side to move, and its best move, or
	// NullMove where that is not known, by a search some plies deeper than it searches otherwise. It blocks while it
	// searches, and asks stop now and then. Once stop returns true, what Leaf returns is of no use.
	//
	// keys are those of the positions that the search may repeat, that of p last. A repetition is a draw, but of one of
	// the first game of them, which were played, only the third occurrence.
	Leaf(p *board.Position, keys []uint64, game, further int, stop func() bool) (cp int, best board.Move)
	// Work is what the last Leaf took: nodes, and the plies of its longest line.
	Work() (nodes int64, plies int)
	// Forget drops what was learned from earlier leaves, except in a table: that is the caller's to clear.
	Forget()
}

// Deepen returns a function that has a deepener search the leaves of a batch in order, and fails with
// batcher.ErrCancelled when told to stop, unless the leaf is the root. of is the leaf of an item's Ref.
func Deepen(d Deepener, of func(ref uint32) *Leaf, stop func() bool) func(*batcher.Batch) error {
	return func(b *batcher.Batch) error {
		for i := range b.Items {
			it := &b.Items[i]
			l := of(it.Ref)
			l.cp, l.best = d.Leaf(&it.Position, l.keys, l.game, l.Further, stop)
			l.nodes, l.plies = d.Work()
			l.deep = !stop()
			if !l.deep && !l.Root {
				return batcher.ErrCancelled
			}
		}
		return nil
	}
}
