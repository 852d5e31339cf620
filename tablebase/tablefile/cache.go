package tablefile

import (
	"errors"
	"math/bits"
	"sync"
	"sync/atomic"
)

// ErrNotCached is returned by a soft probe that would have to read from the disk.
var ErrNotCached = errors.New("not in the cache of tables")

// cacheShards is the number of independent parts of a cache, each with a lock of its own.
const cacheShards = 16

// Cache holds pages of sections, at most a fixed number of bytes. Each shard replaces pages by the CLOCK algorithm
// (Corbato 1968): a page that was used since the hand last passed it stays for another round. A shard holds at least
// one page.
//
// A page that was asked for is also in a slot, where it is found without a lock. Only who holds the lock of the page's
// shard puts it there, and who removes it from the shard takes it out, so that no slot keeps memory of a page that is
// gone. A page that has lost its slot to another is found in its shard.
type Cache struct {
	shards   [cacheShards]shard
	slots    []atomic.Pointer[page] // a power of two
	room     int                    // bytes of each shard
	sections atomic.Uint32
}

// slotBytes is the size of a page for which there is a slot. A slot takes 8 bytes.
const slotBytes = 4096

type shard struct {
	mu    sync.Mutex
	pages map[PageKey]*page
	ring  []*page
	hand  int
	bytes int
}

// PageKey is a page of a section. Sections are numbered over all tables that share a cache.
type PageKey struct{ Section, Page uint32 }

type page struct {
	key  PageKey
	data []byte
	used atomic.Bool // since the hand last passed
}

// NewCache returns an empty cache of a number of bytes.
func NewCache(bytes int) *Cache {
	c := &Cache{room: bytes / cacheShards, slots: make([]atomic.Pointer[page], 1<<bits.Len(uint(max(bytes, 0)/slotBytes)))}
	for i := range c.shards {
		c.shards[i].pages = map[PageKey]*page{}
	}
	return c
}

// NewSection returns the number of a new section.
func (c *Cache) NewSection() uint32 { return c.sections.Add(1) }

func (k PageKey) hash() uint32 {
	h := k.Section*0x9e3779b1 + k.Page*0x85ebca6b
	return h ^ h>>15
}

// shard is the part of the cache that a page belongs to.
func (c *Cache) shard(k PageKey) *shard { return &c.shards[k.hash()>>28] }

func (c *Cache) slot(k PageKey) *atomic.Pointer[page] {
	return &c.slots[int(k.hash())&(len(c.slots)-1)]
}

// Get returns the contents of a page, nil where it is not cached. They must not be changed.
func (c *Cache) Get(k PageKey) []byte {
	slot := c.slot(k)
	if p := slot.Load(); p != nil && p.key == k {
		if !p.used.Load() {
			p.used.Store(true)
		}
		return p.data
	}
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pages[k]
	if p == nil {
		return nil
	}
	p.used.Store(true)
	slot.Store(p)
	return p.data
}

// Put adds a page and removes others until it fits. Another goroutine may have added it meanwhile.
func (c *Cache) Put(k PageKey, data []byte) {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages[k] != nil {
		return
	}
	for len(s.ring) > 0 && s.bytes+len(data) > c.room {
		s.hand %= len(s.ring)
		p := s.ring[s.hand]
		if p.used.Load() {
			p.used.Store(false)
			s.hand++
			continue
		}
		last := len(s.ring) - 1
		s.ring[s.hand] = s.ring[last]
		s.ring = s.ring[:last]
		delete(s.pages, p.key)
		c.slot(p.key).CompareAndSwap(p, nil)
		s.bytes -= len(p.data)
	}
	p := &page{key: k, data: data}
	s.pages[k] = p
	s.ring = append(s.ring, p)
	s.bytes += len(data)
}
