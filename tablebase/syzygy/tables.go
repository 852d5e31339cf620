package syzygy

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"tesla/board"
	"tesla/tablebase/tablefile"
)

// MaxPieces is the largest number of pieces, kings included, that tables of the format can have here.
const MaxPieces = 7

// DefaultCacheBytes is the size of the cache where the user does not say.
const DefaultCacheBytes = 64 << 20

// Errors of a probe: there is no table for a position or for one that a capture leads to, or a soft probe would have to read.
var (
	ErrNoTable   = tablefile.ErrNoTable
	ErrNotCached = tablefile.ErrNotCached
)

// Probe says whether a probe may wait for the disk: a soft one returns ErrNotCached instead.
type Probe = tablefile.Probe

// The probes.
const (
	Soft = tablefile.Soft
	Hard = tablefile.Hard
)

// Tables are the tables of some folders. The zero value has none.
type Tables struct {
	cache *tablefile.Cache
	files tablefile.Set[endgame]
}

// endgame is the pair of files of one material. They are opened when they are first probed.
type endgame struct{ wdl, dtz tableFile }

// tableFile is a file of one kind of table.
type tableFile = tablefile.File[*table]

// failed makes an error of reading a file the answer to every later probe of it, and names the file.
func failed(f *tableFile, err error) error {
	if err == nil || errors.Is(err, ErrNotCached) || errors.Is(err, errOtherSide) {
		return err
	}
	return f.Fail(err)
}

// Open finds the tables in the folders of path, which are separated as in PATH, and opens each one's header only when it is
// first probed. cacheBytes bounds the memory of their contents, 0 is DefaultCacheBytes. The errors name folders that cannot
// be read; the tables of the others serve.
func Open(path string, cacheBytes int) (*Tables, []error) {
	if cacheBytes <= 0 {
		cacheBytes = DefaultCacheBytes
	}
	t := &Tables{cache: tablefile.NewCache(cacheBytes)}
	return t, tablefile.Folders(path, t.add)
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
	m, e := t.files.Add(m)
	f := &e.wdl
	if ext == ".rtbz" {
		f = &e.dtz
	}
	f.Set(filepath.Join(dir, name), func(file io.ReaderAt, size int64) (*table, error) {
		return openTable(t.cache, file, size, m, ext == ".rtbz")
	})
}

// Files are the names of the files that were found, sorted, without their folders.
func (t *Tables) Files() (names []string) {
	for _, e := range t.files.All() {
		for _, f := range []*tableFile{&e.wdl, &e.dtz} {
			if path := f.Path(); path != "" {
				names = append(names, filepath.Base(path))
			}
		}
	}
	slices.Sort(names)
	return names
}

// Close closes the files. No probe may run or follow.
func (t *Tables) Close() error {
	var errs []error
	for _, e := range t.files.All() {
		errs = append(errs, e.wdl.Close(), e.dtz.Close())
	}
	return errors.Join(errs...)
}

// lookup finds the table of a position. swapped tells that the side to move has the material that the name has second.
func (t *Tables) lookup(p *board.Position, dtz bool, probe Probe) (x *table, swapped bool, f *tableFile, err error) {
	e, swapped, err := t.files.Find(p)
	if err != nil {
		return nil, false, nil, err
	}
	f = &e.wdl
	if dtz {
		f = &e.dtz
	}
	x, err = f.Open(probe)
	return x, swapped, f, err
}
