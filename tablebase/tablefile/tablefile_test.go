package tablefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tesla/board/boardtest"
)

// The cache never holds more than its size, keeps what is used, and gives what was put.
func TestCache(t *testing.T) {
	const page, room = 64, cacheShards * 64 * 4
	c := NewCache(room)
	hot := PageKey{Section: c.NewSection()}
	c.Put(hot, make([]byte, page))
	section := c.NewSection()
	for i := range uint32(1000) {
		k := PageKey{section, i}
		data := make([]byte, page)
		data[0] = byte(i)
		c.Put(k, data)
		if got := c.shard(k).pages[k]; got == nil || got.data[0] != byte(i) { // Get would mark it as used
			t.Fatalf("page %d: %v", i, got)
		}
		if i%3 == 0 {
			c.Get(k)
		}
		if c.Get(hot) == nil {
			t.Fatalf("the page that is used all the time is gone after %d others", i)
		}
	}
	for i := range c.slots {
		if p := c.slots[i].Load(); p != nil && c.shard(p.key).pages[p.key] != p {
			t.Errorf("slot %d keeps a page that is gone", i)
		}
	}
	bytes, pages := 0, 0
	for i := range c.shards {
		s := &c.shards[i]
		bytes, pages = bytes+s.bytes, pages+len(s.pages)
		if len(s.pages) != len(s.ring) || s.bytes != page*len(s.ring) {
			t.Errorf("shard %d: %d pages, a ring of %d, %d bytes", i, len(s.pages), len(s.ring), s.bytes)
		}
	}
	if bytes > room || pages < room/page/2 {
		t.Errorf("%d pages of %d bytes in all, room for %d bytes", pages, bytes, room)
	}
}

// A file is opened once, by the first hard call, and its first failure stays.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(path, []byte("contents"), 0o600); err != nil {
		t.Fatal(err)
	}
	var none, f File[string]
	if _, err := none.Open(Hard); !errors.Is(err, ErrNoTable) {
		t.Errorf("%v, want %v", err, ErrNoTable)
	}
	reads := 0
	f.Set(path, func(file io.ReaderAt, size int64) (string, error) {
		reads++
		data := make([]byte, size)
		_, err := file.ReadAt(data, 0)
		return string(data), err
	})
	f.Set("another", nil) // the first one stays
	if _, err := f.Open(Soft); !errors.Is(err, ErrNotCached) {
		t.Errorf("%v, want %v", err, ErrNotCached)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got, err := f.Open(Hard); got != "contents" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wait.Wait()
	if reads != 1 {
		t.Errorf("the file was read %d times", reads)
	}
	first := f.Fail(io.ErrUnexpectedEOF)
	second := f.Fail(io.ErrClosedPipe)
	_, third := f.Open(Soft)
	if !errors.Is(first, io.ErrUnexpectedEOF) || strings.Count(first.Error(), path) != 1 || !errors.Is(second, first) ||
		!errors.Is(third, first) {
		t.Errorf("%v, %v, %v: want the first error, and the path", first, second, third)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestMaterial(t *testing.T) {
	var m Material
	for _, c := range "RPP" {
		m.Add(0, c)
	}
	m.Add(1, 'Q')
	swapped := m.Swapped()
	if m.String() != "KRPPvKQ" || m.Count() != 6 || swapped.String() != "KQvKRPP" || m.Key() == swapped.Key() ||
		m.Add(0, 'K') {
		t.Errorf("%s of %d pieces, swapped %s", m, m.Count(), swapped)
	}
}

// A material that has no table is named as its file would be, whoever is to move.
func TestNoTable(t *testing.T) {
	var none Set[int]
	for fen, want := range map[string]string{
		"4k3/8/8/8/8/8/P7/r2RK3 w - - 0 1": "KRPvKR", "4k3/8/8/8/8/8/P7/r2RK3 b - - 0 1": "KRPvKR", "4k3/8/8/8/8/8/8/1r2KB2 w - - 0 1": "KRvKB",
		"4k3/8/8/8/8/8/PP6/1q1BK3 w - - 0 1": "KBPPvKQ", "4k3/8/8/8/8/8/8/qb2KQN1 b - - 0 1": "KQBvKQN",
	} {
		p := boardtest.Position(t, fen)
		if _, _, err := none.Find(&p); err == nil || err.Error() != "no table for "+want {
			t.Errorf("%s: %v, want %s", fen, err, want)
		}
	}
}

// Positions of other material have other keys, also those of many pieces: eight pawns are no queen of the other side.
func TestKey(t *testing.T) {
	seen := map[uint64]string{}
	for _, fen := range []string{
		"4k3/8/8/8/8/8/8/4KQ2 w - - 0 1", "4k3/8/8/8/8/8/8/4KQ2 b - - 0 1", "4k3/8/8/8/8/8/5P2/4K3 b - - 0 1", "4k3/8/8/8/8/8/8/4KN2 w - - 0 1",
		"4k3/8/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", "4k3/8/8/8/8/8/PPPPPPPP/4K3 b - - 0 1", "4k3/8/8/8/8/NNNNNNNN/8/4K3 w - - 0 1",
		"4k3/8/8/8/8/NNNNNNNN/8/4K3 b - - 0 1", "4k3/8/8/8/8/QQQQQQQQ/8/4K2Q b - - 0 1", "4k3/8/8/8/8/RRRRRRRR/8/4K3 b - - 0 1",
	} {
		p := boardtest.Position(t, fen)
		m, key := MaterialOf(&p), KeyOf(&p)
		if seen[key] != "" || key != m.Key() {
			t.Errorf("%s has the key %x of %s, its material %x", m, key, seen[key], m.Key())
		}
		seen[key] = m.String()
	}
}
