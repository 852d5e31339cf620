package treesearch

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase"
)

// A leaf that endgame tables know needs no net. What the cache of the tables has is its value at once. Otherwise the
// leaf waits, as one in a batch waits for the net: readers of the tables fetch the blocks in the background, and the
// promoter goes on. Where too many leaves wait already, the net evaluates the leaf. A search that no clock ends reads at
// once, so that it repeats whatever is in the cache.

const (
	// mostWaiting bounds the leaves that wait for tables.
	mostWaiting = 128
	// pollEvery is how often a search that can do nothing but wait for tables looks at its limits.
	pollEvery = 2 * time.Millisecond
)

// probes are the leaves of a search that wait for tables.
type probes struct {
	answers chan tablebase.Answer // of this search; it has room for all that wait
	waiting map[uint32]struct{}   // the leaves' numbers
}

// Found is what the endgame tables say of a leaf.
type Found uint8

const (
	Unknown Found = iota // nothing: the net is to evaluate it
	Known                // its score
	Waits                // nothing yet: Tree.Settle or Tree.Abandon is called for it when they answer
)

// Probe asks the endgame tables for the position of a leaf. The score is for the side that moved there.
func (l *Loop) Probe(p *board.Position, ref uint32) (cp int, found Found) {
	if !l.Covers(p) {
		return 0, Unknown
	}
	cp, err := l.opts.Tables.Score(p)
	switch {
	case err == nil:
		return search.Towards(cp), Known
	case !errors.Is(err, tablebase.ErrNotCached) || len(l.waiting) == mostWaiting || !l.opts.Tables.Ask(p, ref, l.answers):
		return 0, Unknown
	}
	l.waiting[ref] = struct{}{}
	return 0, Waits
}

// Covers reports whether the endgame tables may know a position.
func (l *Loop) Covers(p *board.Position) bool { return l.opts.Tables != nil && l.opts.Tables.Covers(p) }

// Waiting are the numbers of the leaves that wait for tables.
func (l *Loop) Waiting() iter.Seq[uint32] { return maps.Keys(l.waiting) }

// beginProbes begins a search. What comes for the leaves of the search before goes to its own channel.
func (l *Loop) beginProbes() {
	if l.opts.Tables != nil {
		l.probes = probes{make(chan tablebase.Answer, mostWaiting), map[uint32]struct{}{}}
	}
}

// settle takes the answers of the tables that have come.
func (l *Loop) settle() {
	for len(l.answers) > 0 {
		l.take(<-l.answers)
	}
}

// take gives a leaf that waited for the tables its score. A leaf that they do not know is given up: a descent that
// reaches it again has the net evaluate it.
func (l *Loop) take(a tablebase.Answer) {
	delete(l.waiting, a.Ref)
	if a.Err != nil {
		l.evals--
		l.abandon(a.Ref)
		return
	}
	l.tree.Settle(a.Ref, search.Towards(a.CP))
	l.GiveLeaf(a.Ref)
}

// await waits for an answer of the tables where there is nothing else to do, and not for long.
func (l *Loop) await() {
	select {
	case a := <-l.answers:
		l.take(a)
	case <-l.stop:
	case <-time.After(pollEvery):
	}
}

// abandonWaiting takes back the leaves that still wait for the tables when the search ends.
func (l *Loop) abandonWaiting() {
	l.settle()
	l.abandon(slices.Collect(l.Waiting())...)
	clear(l.waiting)
}
