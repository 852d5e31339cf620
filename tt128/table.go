package tt128

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"tesla/internal/memory"
)

// Errors of New and Resize. After an error the table is as it was before.
var (
	// ErrSize says that a size is not positive, or beyond any machine.
	ErrSize = errors.New("hash size out of range")
	// ErrMemory says that a size exceeds the memory that is available now, or
	// that the system refused the mapping.
	ErrMemory = errors.New("not enough memory for the hash table")
)

const (
	clusterSlots = 4
	clusterBytes = 64
	// maxMegabytes keeps sizes in bytes far from the end of int64 (1 PiB).
	maxMegabytes = 1 << 30
	// maxAge is the number of ages; they run 1..maxAge so that 0 is empty.
	maxAge = 31
)

// Replacement: the victim is the slot of least worth, in plies of draft.
const (
	// ageWorth is what an entry loses with each search since (Stockfish's value).
	ageWorth = 8
	// pvWorth is what an entry gains by lying on a principal variation.
	pvWorth = 2
	// evaluationWorth is the draft that one evaluation of the best-first search
	// is worth: log2 of the alpha-beta nodes that are searched in the same time.
	evaluationWorth = 6
)

type slot struct{ check, data uint64 }

type cluster [clusterSlots]slot

// Table is the transposition table. Create it with New.
type Table struct {
	clusters []cluster
	memory   memory.Mapping
	age      atomic.Uint32
	used     atomic.Bool // something was stored since the table was made or cleared
	handed   atomic.Bool // see HandOver
}

// New makes a table of the given size in MiB. Its error is ErrSize or ErrMemory.
func New(megabytes int) (*Table, error) {
	t := &Table{}
	if err := t.Resize(megabytes); err != nil {
		return nil, err
	}
	return t, nil
}

// Resize replaces the table by an empty one of the given size in MiB. After an
// error (ErrSize, ErrMemory) the old table and its contents stay.
func (t *Table) Resize(megabytes int) error {
	if megabytes < 1 || megabytes > maxMegabytes {
		return fmt.Errorf("%w: %d MB, want 1 to %d", ErrSize, megabytes, maxMegabytes)
	}
	bytes := int64(megabytes) << 20
	if have, known := memory.Available(); known {
		have += t.memory.Resident()
		if bytes > have {
			return fmt.Errorf("%w: %d MB asked for, %d MB available", ErrMemory, megabytes, have>>20)
		}
	}
	next, clusters, err := memory.Map[cluster](bytes / clusterBytes)
	if err != nil {
		return fmt.Errorf("%w: mapping %d MB: %w", ErrMemory, megabytes, err)
	}
	old := t.memory
	t.memory, t.clusters = next, clusters
	t.forget()
	if err := old.Free(); err != nil {
		return fmt.Errorf("unmapping the old hash table: %w", err)
	}
	return nil
}

// Close gives the memory back. The table may still be used, as one of a single
// cluster.
func (t *Table) Close() error {
	old := t.memory
	t.memory, t.clusters = memory.Mapping{}, make([]cluster, 1)
	t.forget()
	if err := old.Free(); err != nil {
		return fmt.Errorf("unmapping the hash table: %w", err)
	}
	return nil
}

// Megabytes is the size of the table in MiB.
func (t *Table) Megabytes() int { return len(t.clusters) * clusterBytes >> 20 }

// Clear removes every entry. It uses all processors.
func (t *Table) Clear() {
	workers := min(runtime.GOMAXPROCS(0), len(t.clusters))
	share := (len(t.clusters) + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < len(t.clusters); from += share {
		part := t.clusters[from:min(from+share, len(t.clusters))]
		wg.Go(func() { clear(part) })
	}
	wg.Wait()
	t.forget()
}

// forget notes that the table is empty.
func (t *Table) forget() {
	t.age.Store(1)
	t.used.Store(false)
	t.handed.Store(false)
}

// Empty reports whether nothing was stored since the table was made, resized or cleared. Whoever asks the table of many
// positions in vain saves the time by asking this first.
func (t *Table) Empty() bool { return !t.used.Load() }

// HandOver notes that another searcher uses the table from now on.
func (t *Table) HandOver() { t.handed.Store(!t.Empty()) }

// Handed reports whether the table may hold what another searcher stored. A searcher need not look for that otherwise.
func (t *Table) Handed() bool { return t.handed.Load() }

// NewSearch starts a new age. Entries of earlier searches stay, and are replaced
// first. After maxAge searches an untouched entry looks new again.
func (t *Table) NewSearch() { t.age.Store(t.age.Load()%maxAge + 1) }

// Hashfull is the share of slots, in per mille, that the current search filled.
// It looks at a sample of 1,000 slots.
func (t *Table) Hashfull() int {
	sample := t.clusters[:min(1000/clusterSlots, len(t.clusters))]
	age, used := t.age.Load(), 0
	for i := range sample {
		for j := range sample[i] {
			if Entry(load(&sample[i][j].data)).age() == age {
				used++
			}
		}
	}
	return used * 1000 / (len(sample) * clusterSlots)
}

// cluster is the cluster of a key: the high bits of key times the number of
// clusters, which need not be a power of two (Lemire 2016).
func (t *Table) cluster(key uint64) *cluster {
	i, _ := bits.Mul64(key, uint64(len(t.clusters)))
	return &t.clusters[i]
}

// Prefetch begins to load the cache line that Probe and Store need for the key.
func (t *Table) Prefetch(key uint64) { memory.Prefetch(unsafe.Pointer(t.cluster(key))) }

// Probe returns the entry stored under the key, its scores counted for a node
// ply plies from the root. The move is unchecked.
func (t *Table) Probe(key uint64, ply int) (Entry, bool) {
	c := t.cluster(key)
	for i := range c {
		data := load(&c[i].data)
		if load(&c[i].check)^data == key && data != 0 {
			return Entry(data).fromTable(ply), true
		}
	}
	return 0, false
}

// Store keeps e under the key, merged with an entry of the same key, or else in
// place of the entry of least worth in the cluster. Its scores are counted for a
// node ply plies from the root.
func (t *Table) Store(key uint64, ply int, e Entry) {
	age := t.age.Load()
	e = e.toTable(ply)&^ageMask | Entry(age)<<ageShift
	c := t.cluster(key)
	victim, least := &c[0], 1<<30
	for i := range c {
		s := &c[i]
		data := load(&s.data)
		if data == 0 {
			// Slots fill in order and are never emptied, so no entry follows.
			if victim = s; t.Empty() {
				t.used.Store(true)
			}
			break
		}
		if load(&s.check)^data == key {
			victim, e = s, merge(Entry(data), e)
			break
		}
		if w := worth(Entry(data), age); w < least {
			victim, least = s, w
		}
	}
	store(&victim.check, key^uint64(e))
	store(&victim.data, uint64(e))
}

// worth is the value of keeping an entry, in plies of draft.
func worth(e Entry, age uint32) int {
	w := e.Depth()
	if e.Kind() == Estimate {
		w = evaluationWorth + e.Effort()/4
	}
	if e.PV() {
		w += pvWorth
	}
	elapsed := int(age) - int(e.age())
	if elapsed < 0 {
		elapsed += maxAge
	}
	return w - ageWorth*elapsed
}
