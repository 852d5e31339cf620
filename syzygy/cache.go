package syzygy

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// ErrNotCached is returned by a soft probe that would have to read from the disk.
var ErrNotCached = errors.New("not in the cache of tables")

// pageBytes is the size of most pages; those of a section whose items are larger hold one item.
const pageBytes = 4096

// cacheShards is the number of independent parts of a cache, each with a lock of its own.
const cacheShards = 16

// cache holds pages of sections, at most a fixed number of bytes. Each shard replaces pages by the CLOCK algorithm (Corbato
// 1968): a page that was used since the hand last passed it stays for another round.
type cache struct {
	shards  [cacheShards]shard
	room    int // bytes of each shard
	numbers atomic.Uint32
}

type shard struct {
	mu    sync.Mutex
	pages map[pageKey]*page
	ring  []*page
	hand  int
	bytes int
}

// pageKey is a page of a section; sections are numbered over all tables.
type pageKey struct{ section, page uint32 }

type page struct {
	key  pageKey
	data []byte
	used bool // since the hand last passed
}

func newCache(bytes int) *cache {
	c := &cache{room: max(bytes/cacheShards, pageBytes)}
	for i := range c.shards {
		c.shards[i].pages = map[pageKey]*page{}
	}
	return c
}

// shard is the part of the cache that a page belongs to.
func (c *cache) shard(k pageKey) *shard {
	return &c.shards[(k.section*0x9e3779b1+k.page*0x85ebca6b)>>28]
}

// get returns the contents of a page, nil where it is not cached. They must not be changed.
func (c *cache) get(k pageKey) []byte {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pages[k]
	if p == nil {
		return nil
	}
	p.used = true
	return p.data
}

// put adds a page and removes others until it fits. Another goroutine may have added it meanwhile.
func (c *cache) put(k pageKey, data []byte) {
	s := c.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages[k] != nil {
		return
	}
	for len(s.ring) > 0 && s.bytes+len(data) > c.room {
		s.hand %= len(s.ring)
		p := s.ring[s.hand]
		if p.used {
			p.used = false
			s.hand++
			continue
		}
		last := len(s.ring) - 1
		s.ring[s.hand] = s.ring[last]
		s.ring = s.ring[:last]
		delete(s.pages, p.key)
		s.bytes -= len(p.data)
	}
	p := &page{key: k, data: data}
	s.pages[k] = p
	s.ring = append(s.ring, p)
	s.bytes += len(data)
}

// section is a part of a file that consists of items of equal size and is read by pages of whole items.
type section struct {
	cache   *cache
	file    io.ReaderAt
	number  uint32
	offset  int64 // in the file
	count   int64 // items
	item    int   // bytes of an item
	perPage int64 // items of a page
}

func newSection(c *cache, file io.ReaderAt, offset, count int64, item int) section {
	return section{cache: c, file: file, number: c.numbers.Add(1), offset: offset, count: count, item: item,
		perPage: int64(max(1, pageBytes/item))}
}

// bytes is the size of the section.
func (s *section) bytes() int64 { return s.count * int64(s.item) }

// at returns the bytes of item i, which must exist. A hard read goes to the disk where the cache lacks the page.
func (s *section) at(i int64, hard bool) ([]byte, error) {
	number := i / s.perPage
	k := pageKey{s.number, uint32(number)}
	data := s.cache.get(k)
	if data == nil {
		if !hard {
			return nil, ErrNotCached
		}
		first := number * s.perPage
		data = make([]byte, min(s.perPage, s.count-first)*int64(s.item))
		if _, err := s.file.ReadAt(data, s.offset+first*int64(s.item)); err != nil {
			return nil, err
		}
		s.cache.put(k, data)
	}
	from := int(i-number*s.perPage) * s.item
	return data[from : from+s.item], nil
}
