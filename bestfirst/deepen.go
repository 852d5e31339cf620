package bestfirst

import (
	"sync"

	"tesla/batcher"
	"tesla/board"
)

// LeafSearcher deepens a leaf in place. It belongs to one goroutine.
type LeafSearcher interface {
	// Leaf is the value of a position that has a legal move, in centipawns for the side to move, and its best move, or
	// NullMove where that is not known.
	Leaf(p *board.Position) (cp int, best board.Move)
	// Forget drops what was learned from earlier leaves, but for a table that the caller clears.
	Forget()
}

// deepen has the leaves of a batch searched, on the pipeline's worker and on goroutines beside it: the k-th searcher
// takes the k-th leaf and every so many after it, so that a single searcher sees the same leaves in every run.
func (s *Searcher) deepen(b *batcher.Batch) error {
	var wait sync.WaitGroup
	work := func(k int) {
		for i := k; i < b.Len(); i += len(s.opts.Leaves) {
			it := &b.Items[i]
			l := &s.leaves[it.Ref]
			l.cp, l.best = s.opts.Leaves[k].Leaf(&it.Position)
			l.deep = true
		}
	}
	for k := 1; k < min(len(s.opts.Leaves), b.Len()); k++ {
		wait.Go(func() { work(k) })
	}
	work(0)
	wait.Wait()
	return nil
}
