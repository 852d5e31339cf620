package batcher

import (
	"sync"

	"tesla/board"
)

// Cache decorates a backend. It remembers recent evaluations, policies included.
//
// It is a set-associative table of entries over a ring of policies:
//
//	sets   | e e e e | e e e e | ...     a set is chosen by the position's key; its oldest entry is replaced
//	ring   ... p p p p p p p p [head] ...  an entry's policy is ring[at % size], valid until head passes it by size
//
// A hit equals the miss that filled it, bit for bit. NewCache allocates all memory at once. An entry of EvaluateValues (see
// LazyOf) has no policy, and answers no Evaluate.
type Cache struct {
	backend Backend

	// missed holds a *[]*Item for each concurrent call. It is no part of the Cache itself: the runtime keeps a Pool that
	// was used alive for two garbage collections, and would keep the whole Cache with it.
	missed *sync.Pool

	mu           sync.Mutex
	sets         [][cacheWays]cacheEntry
	ring         []float32
	head         uint64 // elements of the ring ever written, with those skipped at its end
	hits, misses int64
}

const (
	cacheWays = 4
	// meanPolicy is the number of elements of the ring for each entry: about the mean number of legal moves.
	meanPolicy = 36
	entryBytes = 48 + 4*meanPolicy
)

type cacheEntry struct {
	key   uint64
	moves uint32 // hash of the moves
	count uint32 // number of moves; 0 without a policy
	at    uint64 // place of the policy, or where it would be; 0: the entry is empty
	eval  Eval
}

// CacheStats counts requests.
type CacheStats struct{ Hits, Misses int64 }

// NewCache returns a cache of about size bytes (at least 64 KiB) in front of b. Its Close closes b.
func NewCache(b Backend, size int) *Cache {
	entries := max(size, 1<<16) / entryBytes
	sets := 1
	for sets*2*cacheWays <= entries {
		sets *= 2
	}
	return &Cache{
		backend: b, sets: make([][cacheWays]cacheEntry, sets), ring: make([]float32, sets*cacheWays*meanPolicy), head: 1,
		missed: &sync.Pool{New: func() any { return new([]*Item) }},
	}
}

func (c *Cache) Info() Info { return c.backend.Info() }

func (c *Cache) Close() error { return c.backend.Close() }

// Stats may be called at any time.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CacheStats{c.hits, c.misses}
}

// Clear forgets every evaluation.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.sets)
}

// Unwrap is the backend that the cache decorates.
func (c *Cache) Unwrap() Backend { return c.backend }

func (c *Cache) Evaluate(items []*Item) error {
	return c.evaluate(items, c.lookup, c.backend.Evaluate, c.store)
}

// lazyCache is a cache of a backend that can leave policies out.
type lazyCache struct {
	*Cache
	lazy Lazy
}

func (l lazyCache) EvaluateValues(items []*Item) error {
	return l.evaluate(items, l.lookupValue, l.lazy.EvaluateValues, l.storeValue)
}

func (l lazyCache) Policies() func(it *Item) { return l.lazy.Policies() }

// evaluate answers items from the cache, and remembers those that ask has evaluated.
func (c *Cache) evaluate(items []*Item, lookup func(*Item) bool, ask func([]*Item) error, store func(*Item)) error {
	if err := c.Info().Admits(len(items)); err != nil {
		return err
	}
	missed := c.missed.Get().(*[]*Item)
	*missed = c.lookupAll(items, (*missed)[:0], lookup)
	var err error
	if len(*missed) > 0 {
		if err = ask(*missed); err == nil {
			c.storeAll(*missed, store)
		}
	}
	clear(*missed) // the items are the caller's: keep none alive
	c.missed.Put(missed)
	return err
}

// lookupAll answers the items that are in the cache and appends the others to missed.
func (c *Cache) lookupAll(items, missed []*Item, lookup func(*Item) bool) []*Item {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, it := range items {
		if !lookup(it) {
			missed = append(missed, it)
		}
	}
	c.hits += int64(len(items) - len(missed))
	c.misses += int64(len(missed))
	return missed
}

// storeAll remembers the evaluations of items.
func (c *Cache) storeAll(items []*Item, store func(*Item)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, it := range items {
		store(it)
	}
}

// set is the set of a position's key.
func (c *Cache) set(key uint64) *[cacheWays]cacheEntry {
	return &c.sets[mix(key)&uint64(len(c.sets)-1)]
}

// hashMoves tells lists of moves apart, so that a request for some of the legal moves does not hit one for all of them.
func hashMoves(moves []board.Move) uint32 {
	h := uint32(2166136261) // FNV-1a (Fowler, Noll, Vo 1991)
	for _, m := range moves {
		h = (h ^ uint32(m)) * 16777619
	}
	return h
}

// find is the entry of a position's key; nil where there is none.
func (c *Cache) find(key uint64) *cacheEntry {
	set := c.set(key)
	for i := range set {
		if e := &set[i]; e.key == key && e.at != 0 {
			return e
		}
	}
	return nil
}

// lookup fills an item from the cache, if it is there.
func (c *Cache) lookup(it *Item) bool {
	e := c.find(it.Position.Key)
	if e == nil || int(e.count) != len(it.Moves) || c.head-e.at > uint64(len(c.ring)) || e.moves != hashMoves(it.Moves) {
		return false
	}
	it.Eval = e.eval
	at := int(e.at % uint64(len(c.ring)))
	copy(it.resizePolicy(), c.ring[at:at+int(e.count)])
	return true
}

// store remembers the evaluation of an item, unless its policy is larger than the ring.
func (c *Cache) store(it *Item) {
	n, size := uint64(len(it.Policy)), uint64(len(c.ring))
	if n > size {
		return
	}
	if at := c.head % size; at+n > size { // a policy does not wrap
		c.head += size - at
	}
	*c.place(it.Position.Key) = cacheEntry{
		key: it.Position.Key, moves: hashMoves(it.Moves), count: uint32(n), at: c.head, eval: it.Eval,
	}
	copy(c.ring[c.head%size:], it.Policy)
	c.head += n
}

// place is the entry to use for a key: its own, or the oldest of its set.
func (c *Cache) place(key uint64) *cacheEntry {
	if e := c.find(key); e != nil {
		return e
	}
	set := c.set(key)
	oldest := &set[0]
	for i := range set {
		if set[i].at < oldest.at {
			oldest = &set[i]
		}
	}
	return oldest
}

// lookupValue fills the Eval of an item from the cache, if it is there, with a policy or without.
func (c *Cache) lookupValue(it *Item) bool {
	e := c.find(it.Position.Key)
	if e != nil {
		it.Eval = e.eval
	}
	return e != nil
}

// storeValue remembers the Eval of an item.
func (c *Cache) storeValue(it *Item) {
	*c.place(it.Position.Key) = cacheEntry{key: it.Position.Key, at: c.head, eval: it.Eval}
	c.head++ // the order of the entries' age
}
