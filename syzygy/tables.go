package syzygy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"tesla/board"
)

// MaxPieces is the largest number of pieces, kings included, that tables of the format can have here.
const MaxPieces = 7

// DefaultCacheBytes is the size of the cache where the user does not say.
const DefaultCacheBytes = 64 << 20

// ErrNoTable says that there is no table for a position: of its material, or of a position that a capture leads to.
var ErrNoTable = errors.New("no table")

// Tables are the tables of some folders. The zero value has none.
type Tables struct {
	cache *cache
	files map[uint32]*endgame // by the material, either side first
}

// endgame is the pair of files of one material. They are opened when they are first probed.
type endgame struct {
	material material
	wdl, dtz lazyTable
}

// lazyTable is a file that is opened once.
type lazyTable struct {
	path   string // empty: there is no file
	mu     sync.Mutex
	opened atomic.Pointer[opened]
}

// opened is the result of opening a file.
type opened struct {
	table *table
	err   error
}

// Open finds the tables in the folders of path, which are separated as in PATH, and opens each one's header only when it is
// first probed. cacheBytes bounds the memory of their contents, 0 is DefaultCacheBytes. The errors name folders that cannot
// be read; the tables of the others serve.
func Open(path string, cacheBytes int) (*Tables, []error) {
	if cacheBytes <= 0 {
		cacheBytes = DefaultCacheBytes
	}
	t := &Tables{cache: newCache(cacheBytes), files: map[uint32]*endgame{}}
	var errs []error
	for _, dir := range filepath.SplitList(path) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			errs = append(errs, fmt.Errorf("tables: %w", err))
		}
		for _, e := range entries {
			t.add(dir, e.Name())
		}
	}
	return t, errs
}

// add registers a file by its name. Files of other names are passed over.
func (t *Tables) add(dir, name string) {
	ext := filepath.Ext(name)
	if ext != ".rtbw" && ext != ".rtbz" {
		return
	}
	m, err := parseName(strings.TrimSuffix(name, ext))
	if err != nil {
		return
	}
	e := t.files[m.key()]
	if e == nil {
		e = &endgame{material: m}
		t.files[m.key()] = e
		other := m.swapped()
		t.files[other.key()] = e
	}
	f := &e.wdl
	if ext == ".rtbz" {
		f = &e.dtz
	}
	if f.path == "" { // the first folder wins
		f.path = filepath.Join(dir, name)
	}
}

// Close closes the files. No probe may run or follow.
func (t *Tables) Close() error {
	var errs []error
	for key, e := range t.files {
		if key != e.material.key() { // the same endgame by its other side
			continue
		}
		for _, l := range []*lazyTable{&e.wdl, &e.dtz} {
			if o := l.opened.Load(); o != nil && o.table != nil {
				errs = append(errs, o.table.close())
			}
		}
	}
	return errors.Join(errs...)
}

// open opens the file at its first use; later calls return the same table or error. A soft open does not read from the disk.
func (l *lazyTable) open(c *cache, m material, dtz, hard bool) (*table, error) {
	if l.path == "" {
		return nil, ErrNoTable
	}
	o := l.opened.Load()
	if o == nil {
		if !hard {
			return nil, ErrNotCached
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if o = l.opened.Load(); o == nil {
			o = &opened{}
			if o.table, o.err = openFile(c, l.path, m, dtz); o.err != nil {
				o.err = fmt.Errorf("table %s: %w", l.path, o.err)
			}
			l.opened.Store(o)
		}
	}
	return o.table, o.err
}

// openFile opens a file.
func openFile(c *cache, path string, m material, dtz bool) (*table, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t, err := openTable(c, f, info.Size(), m, dtz)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.file = f
	return t, nil
}

// lookup finds the table of a position. swapped tells that the side to move has the material that the name has second.
func (t *Tables) lookup(p *board.Position, dtz, hard bool) (x *table, swapped bool, err error) {
	m := materialOf(p)
	e := t.files[m.key()]
	if e == nil {
		return nil, false, fmt.Errorf("%w for %s", ErrNoTable, m.name())
	}
	l := &e.wdl
	if dtz {
		l = &e.dtz
	}
	x, err = l.open(t.cache, e.material, dtz, hard)
	return x, m != e.material, err
}

// name is the material as the name of a file.
func (m *material) name() string {
	var b strings.Builder
	for side, counts := range m {
		if side == 1 {
			b.WriteByte('v')
		}
		b.WriteByte('K')
		for i := len(counts) - 1; i >= 0; i-- {
			b.WriteString(strings.Repeat(letters[i:i+1], counts[i]))
		}
	}
	return b.String()
}
