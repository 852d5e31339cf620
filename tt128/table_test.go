package tt128

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"tesla/internal/memory"
	"tesla/search"
)

func newTable(t testing.TB, megabytes int) *Table {
	t.Helper()
	table, err := New(megabytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	})
	return table
}

func TestLayout(t *testing.T) {
	if s := unsafe.Sizeof(cluster{}); s != clusterBytes {
		t.Errorf("a cluster has %d bytes, want %d", s, clusterBytes)
	}
	table := newTable(t, 3)
	if a := uintptr(unsafe.Pointer(&table.clusters[0])); a%clusterBytes != 0 {
		t.Errorf("clusters start at %#x, not on a cache line", a)
	}
	if n := len(table.clusters) * clusterBytes; n != 3<<20 || table.Megabytes() != 3 {
		t.Errorf("3 MB table has %d bytes, says %d MB", n, table.Megabytes())
	}
}

// TestAgainstMap compares the table with a map that applies the merge rules,
// on keys that never compete for a slot.
func TestAgainstMap(t *testing.T) {
	table := newTable(t, 1)
	r := rand.New(rand.NewPCG(4, 4))
	keys := make([]uint64, 500)
	for i := range keys { // one key per cluster, all over the table
		keys[i] = uint64(i)<<55 | r.Uint64()>>20
	}
	model := map[uint64]Entry{}
	for range 50000 {
		key, ply := keys[r.IntN(len(keys))], r.IntN(60)
		e := randomEntry(r)
		table.Store(key, ply, e)
		stored := e.withScores(scoreToTable(e.Lower(), ply), scoreToTable(e.Upper(), ply))
		if old, ok := model[key]; ok {
			stored = merge(old, stored)
		}
		model[key] = stored

		key = keys[r.IntN(len(keys))]
		got, ok := table.Probe(key, 0)
		if want, has := model[key]; ok != has || got&^ageMask != want {
			t.Fatalf("Probe(%#x) = %#x, %v, want %#x, %v", key, got, ok, want, has)
		}
	}
}

func TestProbeCountsFromTheNode(t *testing.T) {
	table := newTable(t, 1)
	table.Store(9, 10, NewDraft(search.MateIn(13), search.MateIn(13), 5, 0, false))
	if e, ok := table.Probe(9, 4); !ok || e.Lower() != search.MateIn(7) || e.Upper() != search.MateIn(7) {
		t.Errorf("mate 3 plies on read at ply 4 = [%d, %d], want %d", e.Lower(), e.Upper(), search.MateIn(7))
	}
	table.Store(10, 10, NewDraft(search.MateIn(13), Infinity, 5, 0, false))
	if e, ok := table.Probe(10, 0); !ok || e.Lower() != search.MateIn(3) || e.Bound() != BoundLower {
		t.Errorf("fail-high to mate = [%d, %d]", e.Lower(), e.Upper())
	}
}

func TestAllZeroKeyAndEntry(t *testing.T) {
	table := newTable(t, 1)
	if _, ok := table.Probe(0, 0); ok {
		t.Error("the empty table answers key 0")
	}
	table.Store(0, 0, NewDraft(0, 0, 0, 0, false))
	if e, ok := table.Probe(0, 0); !ok || e.Bound() != BoundExact {
		t.Error("key 0 with an all-zero entry is not found")
	}
}

// Small keys all lie in cluster 0.
func TestReplacement(t *testing.T) {
	exact := func(draft int, pv bool) Entry { return NewDraft(1, 1, draft, 0x123, pv) }
	for _, c := range []struct {
		name    string
		fill    [clusterSlots]Entry
		renewed []uint64 // stored again in the next search
		evicted uint64
	}{
		{"shallowest", [4]Entry{exact(9, false), exact(3, false), exact(4, false), exact(8, false)}, []uint64{1, 2, 3, 4}, 2},
		{"PV is kept", [4]Entry{exact(9, false), exact(3, true), exact(4, false), exact(8, false)}, []uint64{1, 2, 3, 4}, 3},
		{"old before shallow", [4]Entry{exact(9, false), exact(3, false), exact(4, false), exact(8, false)}, []uint64{2, 3, 4}, 1},
		{"deep enough to stay", [4]Entry{exact(19, false), exact(3, false), exact(4, false), exact(8, false)}, []uint64{2, 3, 4}, 2},
		{"estimate of one evaluation", [4]Entry{exact(9, false), NewEstimate(0, 5, EffortOf(1), 0, false), exact(7, false), exact(8, false)}, []uint64{1, 2, 3, 4}, 2},
		{"estimate of many", [4]Entry{exact(9, false), NewEstimate(0, 5, EffortOf(100), 0, false), exact(7, false), exact(8, false)}, []uint64{1, 2, 3, 4}, 3},
	} {
		table := newTable(t, 1)
		for i, e := range c.fill {
			table.Store(uint64(i+1), 0, e)
		}
		table.NewSearch()
		for _, key := range c.renewed {
			table.Store(key, 0, c.fill[key-1])
		}
		table.Store(5, 0, exact(0, false))
		for key := uint64(1); key <= 5; key++ {
			if _, ok := table.Probe(key, 0); ok != (key != c.evicted) {
				t.Errorf("%s: key %d found: %v, want key %d evicted", c.name, key, ok, c.evicted)
			}
		}
	}
}

func TestAgeWraps(t *testing.T) {
	table := newTable(t, 1)
	for search := range 3 * maxAge {
		table.Store(1, 0, NewDraft(search, search, 1, 0, false))
		if e, ok := table.Probe(1, 0); !ok || e.age() < 1 || e.age() > maxAge || e.age() != table.age.Load() {
			t.Fatalf("search %d: age %d of entry, %d of table", search, e.age(), table.age.Load())
		}
		// A slot one search old is worth less than a new one across the wrap.
		old := Entry(table.age.Load()) << ageShift
		table.NewSearch()
		if now := table.age.Load(); worth(old, now) != -ageWorth || worth(Entry(now)<<ageShift, now) != 0 {
			t.Fatalf("search %d: worth %d at age %d", search, worth(old, now), now)
		}
	}
}

func TestHashfullAndClear(t *testing.T) {
	table := newTable(t, 1)
	if got := table.Hashfull(); got != 0 {
		t.Errorf("Hashfull of an empty table = %d", got)
	}
	r := rand.New(rand.NewPCG(5, 5))
	slots := len(table.clusters) * clusterSlots
	for range slots / 2 {
		table.Store(r.Uint64(), 0, NewDraft(1, 1, 1, 0, false))
	}
	half := table.Hashfull()
	if half < 400 || half > 520 {
		t.Errorf("Hashfull after filling half the slots = %d", half)
	}
	table.NewSearch()
	if got := table.Hashfull(); got != 0 {
		t.Errorf("Hashfull of a new search = %d, want 0", got)
	}
	for range 10 * slots {
		table.Store(r.Uint64(), 0, NewDraft(1, 1, 1, 0, false))
	}
	if got := table.Hashfull(); got < 990 {
		t.Errorf("Hashfull of an overfilled table = %d", got)
	}
	table.Clear()
	for i := range table.clusters {
		if table.clusters[i] != (cluster{}) {
			t.Fatalf("cluster %d is not empty after Clear", i)
		}
	}
	if table.age.Load() != 1 {
		t.Errorf("age after Clear = %d", table.age.Load())
	}
}

func TestEmpty(t *testing.T) {
	table := newTable(t, 1)
	fill := func() {
		table.Store(1, 0, NewEstimate(3, 1, 2, 0, false))
	}
	for _, step := range []struct {
		name  string
		do    func()
		empty bool
	}{
		{"new", func() {}, true}, {"stored", fill, false}, {"next search", table.NewSearch, false}, {"cleared", table.Clear, true},
		{"stored again", fill, false},
		{"resized", func() {
			if err := table.Resize(2); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		if step.do(); table.Empty() != step.empty {
			t.Errorf("%s: empty %v", step.name, table.Empty())
		}
		if _, found := table.Probe(1, 0); found == step.empty {
			t.Errorf("%s: found %v", step.name, found)
		}
	}
}

func TestResize(t *testing.T) {
	table := newTable(t, 1)
	e := NewDraft(5, 5, 5, 0x55, false)
	table.Store(77, 0, e)
	refused := []struct {
		megabytes int
		want      error
	}{{0, ErrSize}, {-1, ErrSize}, {math.MinInt, ErrSize}, {math.MaxInt, ErrSize}, {maxMegabytes + 1, ErrSize}}
	if have, known := memory.Available(); known {
		refused = append(refused, []struct {
			megabytes int
			want      error
		}{{int(have>>20) + 4096, ErrMemory}, {maxMegabytes, ErrMemory}}...)
	}
	for _, c := range refused {
		err := table.Resize(c.megabytes)
		if !errors.Is(err, c.want) {
			t.Errorf("Resize(%d) = %v, want %v", c.megabytes, err, c.want)
		}
		if _, err := New(c.megabytes); !errors.Is(err, c.want) {
			t.Errorf("New(%d) = %v, want %v", c.megabytes, err, c.want)
		}
		if got, ok := table.Probe(77, 0); !ok || got&^ageMask != e || table.Megabytes() != 1 {
			t.Fatalf("the table was not kept when Resize(%d) was refused", c.megabytes)
		}
	}
	for _, size := range []int{7, 64, 2} {
		if err := table.Resize(size); err != nil {
			t.Fatal(err)
		}
		if _, ok := table.Probe(77, 0); ok || table.Megabytes() != size {
			t.Errorf("after Resize(%d): %d MB, old entry found: %v", size, table.Megabytes(), ok)
		}
		table.Store(77, 0, e)
		table.Store(math.MaxUint64, 0, e)
		if _, ok := table.Probe(math.MaxUint64, 0); !ok {
			t.Errorf("last cluster of %d MB cannot be used", size)
		}
	}
}

func TestClosedTableAnswers(t *testing.T) {
	table := newTable(t, 1)
	table.Store(1, 0, NewDraft(1, 1, 1, 0, false))
	for range 2 {
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		if _, ok := table.Probe(1, 0); ok {
			t.Error("a closed table still has its entries")
		}
		table.Store(1, 0, NewDraft(1, 1, 1, 0, false))
		table.Clear()
		if got := table.Hashfull(); got != 0 {
			t.Errorf("Hashfull of a closed table = %d", got)
		}
	}
	if err := table.Resize(1); err != nil {
		t.Fatal(err)
	}
}

func TestResident(t *testing.T) {
	table := newTable(t, 16)
	table.Clear()
	if got := table.memory.Resident(); got != 0 && (got < 16<<20 || got > 20<<20) {
		t.Errorf("16 MB written, %d bytes resident", got)
	}
}

// keys is a long enough run of keys that the caches do not help.
func benchKeys(n int) []uint64 {
	r := rand.New(rand.NewPCG(6, 6))
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = r.Uint64()
	}
	return keys
}

func BenchmarkProbeHit(b *testing.B) {
	table, keys := newTable(b, 256), benchKeys(1<<20)
	for _, key := range keys {
		table.Store(key, 0, NewDraft(1, 1, 1, 0, false))
	}
	i, hits := 0, 0
	for b.Loop() {
		if _, ok := table.Probe(keys[i&(1<<20-1)], 3); ok {
			hits++
		}
		i++
	}
	b.ReportMetric(float64(hits)/float64(i), "hits/op")
}

func BenchmarkProbeMiss(b *testing.B) {
	table, keys := newTable(b, 256), benchKeys(1<<20)
	table.Clear()
	i := 0
	for b.Loop() {
		table.Probe(keys[i&(1<<20-1)], 3)
		i++
	}
}

func BenchmarkStore(b *testing.B) {
	table, keys := newTable(b, 256), benchKeys(1<<20)
	table.Clear()
	e, i := NewDraft(1, Infinity, 1, 0x123, false), 0
	for b.Loop() {
		table.Store(keys[i&(1<<20-1)]+uint64(i), 3, e)
		i++
	}
}

func BenchmarkParallelProbeStore(b *testing.B) {
	table := newTable(b, 256)
	table.Clear()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(rand.Uint64(), 1))
		for pb.Next() {
			key := r.Uint64()
			if _, ok := table.Probe(key, 1); !ok {
				table.Store(key, 1, NewDraft(1, 1, 1, 0, false))
			}
		}
	})
}

func BenchmarkClear(b *testing.B) {
	table := newTable(b, 256)
	table.Clear()
	b.SetBytes(256 << 20)
	for b.Loop() {
		table.Clear()
	}
}
