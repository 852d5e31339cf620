package batcher

import (
	"runtime"
	"slices"
	"testing"
)

func TestCacheHitsEqualMisses(t *testing.T) {
	c := NewCache(NewMock(Options{}), 1<<18)
	items := Walk(200)
	for round := range 3 {
		for i, it := range items {
			got := &Item{Position: it.Position, Moves: it.Moves}
			if err := c.Evaluate([]*Item{got}); err != nil {
				t.Fatal(err)
			}
			want := &Item{Position: it.Position, Moves: it.Moves}
			NewMock(Options{}).Evaluate([]*Item{want})
			if got.Eval != want.Eval || !slices.Equal(got.Policy, want.Policy) {
				t.Fatalf("round %d item %d: %+v, want %+v", round, i, got, want)
			}
		}
	}
	// The same position with fewer moves is another request.
	part := &Item{Position: items[0].Position, Moves: items[0].Moves[1:]}
	if err := c.Evaluate([]*Item{part}); err != nil || part.Check() != nil {
		t.Errorf("a part of the moves: %v, %v", err, part.Check())
	}
	if s := c.Stats(); s.Hits == 0 || s.Hits+s.Misses != 601 || s.Hits < 300 {
		t.Errorf("stats %+v", s)
	}
}

// A cache that is not used any more is freed by the next collection.
func TestCacheIsFreed(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const size = 32 << 20
	before := heap()
	c := NewCache(NewMock(Options{}), size)
	if err := c.Evaluate(Walk(8)); err != nil {
		t.Fatal(err)
	}
	if during := heap(); during-before < size/4 {
		t.Fatalf("a cache of %d bytes takes %d", size, during-before)
	}
	runtime.KeepAlive(c)
	if after := heap(); after-before > size/4 {
		t.Errorf("%d bytes are still held", after-before)
	}
}
