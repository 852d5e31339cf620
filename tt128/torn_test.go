package tt128

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"tesla/board"
)

// entryOf is the only entry that the torn-entry test ever stores for a key and
// a draft, so that a reader can tell a whole entry from a mixture.
func entryOf(key uint64, draft int) Entry {
	h := (key + uint64(draft)) * 0x9E3779B97F4A7C15
	h = (h ^ h>>29) * 0xBF58476D1CE4E5B9
	score := int(h>>16%60001) - 30000
	return NewDraft(score, score, draft, board.Move(h>>40&(moveMask-1))|1, h>>63 != 0)
}

// TestTornEntries lets writers and readers fight over a few clusters: every hit
// must be one of the entries stored for its key, in every field.
func TestTornEntries(t *testing.T) {
	const rounds, drafts = 400000, 100
	table := newTable(t, 1)
	var hits, wrong, writing atomic.Int64
	var wg sync.WaitGroup
	// Eight keys in each of three clusters: they push each other out.
	draw := func(r *rand.Rand) uint64 { return uint64(r.IntN(3))<<60 | uint64(r.IntN(8)) }
	write := func(r *rand.Rand) {
		defer writing.Add(-1)
		for range rounds {
			key := draw(r)
			table.Store(key, 0, entryOf(key, r.IntN(drafts)))
		}
	}
	read := func(r *rand.Rand) {
		for i := 0; i < rounds || writing.Load() > 0; i++ {
			key := draw(r)
			e, ok := table.Probe(key, 0)
			if !ok {
				continue
			}
			hits.Add(1)
			if e&^ageMask != entryOf(key, e.Draft()) {
				wrong.Add(1)
			}
		}
	}
	table.Store(0, 0, entryOf(0, 1))
	pairs := max(2, runtime.NumCPU())
	writing.Store(int64(pairs))
	for i := range pairs {
		wg.Go(func() { write(rand.New(rand.NewPCG(uint64(i), 7))) })
		wg.Go(func() { read(rand.New(rand.NewPCG(uint64(i), 8))) })
	}
	wg.Wait()
	if wrong.Load() != 0 {
		t.Errorf("%d of %d hits were mixtures of entries", wrong.Load(), hits.Load())
	}
	if hits.Load() == 0 {
		t.Error("no probe hit: the test shows nothing")
	}
}

// TestTornEntryMisses makes every tear of two entries by hand.
func TestTornEntryMisses(t *testing.T) {
	table := newTable(t, 1)
	for draft := range 100 {
		for _, other := range []uint64{1, 2} { // the same position, or another
			a, b := entryOf(1, draft), entryOf(other, draft+1)
			s := &table.clusters[0][0]
			s.check, s.data = 1^uint64(a), uint64(b)
			for _, key := range []uint64{1, 2} {
				if _, ok := table.Probe(key, 0); ok {
					t.Fatalf("draft %d: torn entry answers key %d", draft, key)
				}
			}
		}
	}
}
