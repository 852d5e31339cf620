package tablefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// ErrNoTable says that there is no table for a position: of its material, or of a position that a move leads to.
var ErrNoTable = errors.New("no table")

// Probe says what a probe does where the cache lacks what it needs.
type Probe uint8

// The probes.
const (
	Soft Probe = iota // it returns ErrNotCached, and never waits for the disk
	Hard              // it reads from the disk
)

// File is a file that is opened at its first use and read as a T. Where that fails, it stays an error. The zero value
// is a file that does not exist.
type File[T any] struct {
	path   string
	read   Reader[T]
	mu     sync.Mutex
	opened atomic.Pointer[opened[T]]
}

// opened is the result of opening a file.
type opened[T any] struct {
	file  *os.File
	value T
	err   error
}

// Reader reads what is needed of a file of size bytes when it is opened.
type Reader[T any] func(file io.ReaderAt, size int64) (T, error)

// Set says where the file is and how it is read. A second path is passed over: the first folder wins.
func (f *File[T]) Set(path string, read Reader[T]) {
	if f.path == "" {
		f.path, f.read = path, read
	}
}

// Path is where the file is, empty where it does not exist.
func (f *File[T]) Path() string { return f.path }

// Open returns what the reader made of the file at the first call. A soft probe does not read from the disk. Errors are
// ErrNoTable, ErrNotCached, and those that name the file.
func (f *File[T]) Open(probe Probe) (T, error) {
	o := f.opened.Load()
	if o == nil {
		var none T
		if f.path == "" {
			return none, ErrNoTable
		}
		if probe == Soft {
			return none, ErrNotCached
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if o = f.opened.Load(); o == nil {
			o = &opened[T]{}
			if o.file, o.value, o.err = open(f.path, f.read); o.err != nil {
				o.err = f.name(o.err)
			}
			f.opened.Store(o)
		}
	}
	return o.value, o.err
}

func (f *File[T]) name(err error) error { return fmt.Errorf("table %s: %w", f.path, err) }

func open[T any](path string, read Reader[T]) (file *os.File, value T, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, value, reason(err)
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait for its other end
		return nil, value, errors.New("not a regular file")
	}
	if file, err = os.Open(path); err != nil {
		return nil, value, reason(err)
	}
	if value, err = read(readerOf(file), info.Size()); err != nil {
		return nil, value, errors.Join(err, file.Close())
	}
	return file, value, nil
}

// wrapper is what files are read through, see ReadThrough.
var wrapper atomic.Pointer[func(io.ReaderAt) io.ReaderAt]

// ReadThrough has files that are opened from now on read through what wrap makes of them, nil as they are. Tests make
// slow or broken disks of it.
func ReadThrough(wrap func(io.ReaderAt) io.ReaderAt) {
	if wrap == nil {
		wrapper.Store(nil)
		return
	}
	wrapper.Store(&wrap)
}

func readerOf(file io.ReaderAt) io.ReaderAt {
	if wrap := wrapper.Load(); wrap != nil {
		return (*wrap)(file)
	}
	return file
}

// reason is an error of the file system without the path, which the caller adds.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Fail makes an error of reading the answer to every later Open, and returns it with the name of the file. Of several
// such errors the first stays.
func (f *File[T]) Fail(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.opened.Load()
	if o.err == nil {
		o = &opened[T]{file: o.file, value: o.value, err: f.name(err)}
		f.opened.Store(o)
	}
	return o.err
}

// Close closes the file if it is open. No other call may run or follow.
func (f *File[T]) Close() error {
	if o := f.opened.Load(); o != nil && o.file != nil {
		return o.file.Close()
	}
	return nil
}

// Folders calls each for every file in the folders of path, which are separated as in PATH. The errors name folders
// that cannot be read.
func Folders(path string, each func(dir, name string)) (errs []error) {
	for _, dir := range filepath.SplitList(path) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			errs = append(errs, fmt.Errorf("tables: %w", err))
		}
		for _, e := range entries {
			each(dir, e.Name())
		}
	}
	return errs
}
