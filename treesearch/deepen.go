package treesearch

import (
	"tesla/batcher"
	"tesla/board"
)

// DeepenBy is the plies that a leaf that is chosen again is searched deeper at a time, before it gets children.
const DeepenBy = 2

// Searcher deepens a leaf in place. It belongs to one goroutine.
type Searcher interface {
	// Leaf is the value of a position that has a legal move, in centipawns for the side to move, and its best move, or NullMove
	// where that is not known, by a search some plies further than it searches otherwise. stop is asked now and then; once it
	// says so the result is of no use.
	Leaf(p *board.Position, further int, stop func() bool) (cp int, best board.Move)
	// Forget drops what was learned from earlier leaves, but for a table that the caller clears.
	Forget()
}

// Deepen returns a function that has a searcher search the leaves of a batch in order, and fails with batcher.ErrCancelled when told
// to stop. of is the leaf of an item's Ref.
func Deepen(searcher Searcher, of func(ref uint32) *Leaf, stop func() bool) func(*batcher.Batch) error {
	return func(b *batcher.Batch) error {
		for i := range b.Items {
			it := &b.Items[i]
			l := of(it.Ref)
			l.cp, l.best = searcher.Leaf(&it.Position, l.Further, stop)
			if l.deep = true; stop() {
				return batcher.ErrCancelled
			}
		}
		return nil
	}
}

// Quieten returns a function that runs a quiescence search at each leaf of a batch and adds the quiet position of those that
// are not to the batch, where it has room: a static value before captures or in check is worth little.
func Quieten(of func(ref uint32) *Leaf) func(*batcher.Batch) error {
	return func(b *batcher.Batch) error {
		var quiet board.Position
		for i := range len(b.Items) {
			it := &b.Items[i]
			l := of(it.Ref)
			l.inCheck, l.quiet = it.Position.InCheck(), nil
			if !settleMaterial(&it.Position, &quiet) {
				continue
			}
			if extra := b.Add(); extra != nil { // the batch keeps its memory: the pointer stays good
				extra.Position, l.quiet = quiet, extra
			}
		}
		return nil
	}
}
