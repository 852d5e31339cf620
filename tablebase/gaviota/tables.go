package gaviota

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tesla/board"
	"tesla/tablebase/tablefile"
)

// DefaultCacheBytes is the size of the cache where the user does not say.
const DefaultCacheBytes = 64 << 20

// Errors of a probe: there is no table for a position or for one that an en passant capture leads to, a soft probe
// would have to read, or somebody may still castle.
var (
	ErrNoTable   = tablefile.ErrNoTable
	ErrNotCached = tablefile.ErrNotCached
	ErrCastling  = errors.New("tables of the distance to mate have no positions with castling rights")
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
	files tablefile.Set[tablefile.File[*table]] // opened when they are first probed
}

// Open finds the tables in the folders of path, which are separated as in PATH, and opens each one's header only when
// it is first probed. cacheBytes bounds the memory of their contents, 0 is DefaultCacheBytes; the least is a block of
// 16 KiB in each of the cache's 16 parts. The errors name folders that cannot be read; the tables of the others serve.
func Open(path string, cacheBytes int) (*Tables, []error) {
	if cacheBytes <= 0 {
		cacheBytes = DefaultCacheBytes
	}
	t := &Tables{cache: tablefile.NewCache(cacheBytes)}
	return t, tablefile.Folders(path, t.add)
}

// add registers a file by its name. Files of other names are passed over.
func (t *Tables) add(dir, name string) {
	l, codec, err := parseFile(name)
	if err != nil {
		return
	}
	_, f := t.files.Add(l.material)
	f.Set(filepath.Join(dir, name), func(file io.ReaderAt, size int64) (*table, error) {
		x, err := openTable(t.cache, file, size, l, codec)
		if err == nil {
			err = x.matchName()
		}
		return x, err
	})
}

// parseFile reads the name of a file, such as kqkr.gtb.cp4.
func parseFile(name string) (*Layout, Codec, error) {
	base, digit, found := strings.Cut(name, ".gtb.cp")
	codec := strings.Index("1234", digit) + int(Huffman)
	if !found || len(digit) != 1 || codec < int(Huffman) {
		return nil, 0, fmt.Errorf("%q, want a name that ends in .gtb.cp1 to .gtb.cp4", name)
	}
	l, err := NewLayout(base)
	return l, Codec(codec), err
}

// Close closes the files. No probe may run or follow.
func (t *Tables) Close() error {
	var errs []error
	for _, f := range t.files.All() {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// DTM returns the value of p. A soft probe does not read from the disk, see ErrNotCached; other errors are
// ErrNoTable, ErrCastling, and those of files that are corrupt or cannot be read.
func (t *Tables) DTM(p *board.Position, probe Probe) (Value, error) {
	if p.Castling != 0 {
		return Value{}, ErrCastling
	}
	if p.EnPassant != board.NoSquare {
		return t.enPassant(p, probe)
	}
	return t.value(p, probe)
}

// enPassant is the value of a position with an en passant capture.
func (t *Tables) enPassant(p *board.Position, probe Probe) (best Value, err error) {
	var list [board.MaxMoves]board.Move
	moves := p.LegalMoves(list[:0])
	captures := 0
	for _, m := range moves {
		if m.To() != p.EnPassant || !p.Pawns.Has(m.From()) {
			continue
		}
		next := p.After(m)
		v, err := t.value(&next, probe)
		if err != nil {
			return Value{}, err
		}
		if v = v.Before(); captures == 0 || v.Better(best) {
			best = v
		}
		captures++
	}
	if captures == len(moves) { // the table would take it for mate or stalemate
		return best, nil
	}
	v, err := t.value(p, probe)
	if err != nil || best.Better(v) {
		return best, err
	}
	return v, nil
}

// value is the value that the table holds, which knows no en passant.
func (t *Tables) value(p *board.Position, probe Probe) (Value, error) {
	if p.Occupied().Count() == 2 {
		return Value{}, nil
	}
	f, swapped, err := t.files.Find(p)
	if err != nil {
		return Value{}, err
	}
	x, err := f.Open(probe)
	if err != nil {
		return Value{}, err
	}
	side := 0
	if swapped {
		side = 1
	}
	v, err := x.value(side, x.layout.index(p, side), probe)
	if err != nil && !errors.Is(err, ErrNotCached) {
		err = f.Fail(err)
	}
	return v, err
}
