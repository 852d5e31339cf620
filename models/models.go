package models

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"tesla/models/eut"
	"tesla/nnue"
)

// Net is a net of either kind: exactly one of EUT and NNUE is not nil. It is constant and safe for concurrent use.
type Net struct {
	EUT  *eut.Net
	NNUE *nnue.Net
	Path string // of its file; empty: the net is built in
}

var (
	//go:embed eut-s.tesla
	embeddedEUT []byte
	//go:embed nnue.tesla
	embeddedNNUE []byte
)

// Default is the built-in transformer. The first call reads it.
var Default = sync.OnceValues(func() (*eut.Net, error) {
	n, err := eut.Parse(embeddedEUT)
	if err != nil {
		return nil, fmt.Errorf("built-in net eut-s: %w", err)
	}
	return n, nil
})

// DefaultNNUE is the built-in CPU net. The first call reads it.
var DefaultNNUE = sync.OnceValues(func() (*nnue.Net, error) {
	n, err := nnue.Read(embeddedNNUE)
	if err != nil {
		return nil, fmt.Errorf("built-in net nnue: %w", err)
	}
	return n, nil
})

// OpenEUT opens the net file at path, which must hold a transformer. An empty path means the built-in one.
func OpenEUT(path string) (*eut.Net, error) {
	if path == "" {
		return Default()
	}
	n, err := Open(path)
	if err == nil && n.EUT == nil {
		err = fmt.Errorf("net %s is a CPU net (nnue), not a transformer (EUT)", path)
	}
	return n.EUT, err
}

// OpenNNUE opens the net file at path, which must hold a CPU net. An empty path means the built-in one.
func OpenNNUE(path string) (*nnue.Net, error) {
	if path == "" {
		return DefaultNNUE()
	}
	n, err := Open(path)
	if err == nil && n.NNUE == nil {
		err = fmt.Errorf("net %s is a transformer (EUT), not a CPU net (nnue)", path)
	}
	return n.NNUE, err
}

// magicSize is the number of bytes at the beginning of a net file that tell its kind.
const magicSize = len(eut.Magic)

// maxFile is the size of the largest file that Open reads, in bytes. The largest net that a header of either kind can
// describe sensibly is far smaller: the transformer M takes 17 MB, the CPU net 7 MB.
const maxFile = 1 << 28

// Open reads the net file at path, once. Its errors name the path and say what is wrong with the file.
func Open(path string) (Net, error) {
	data, err := read(path)
	if err != nil {
		return Net{}, fmt.Errorf("reading net %s: %w", path, err)
	}
	n := Net{Path: path}
	if string(data[:magicSize]) == nnue.Magic {
		n.NNUE, err = nnue.Read(data)
	} else {
		n.EUT, err = eut.Parse(data)
	}
	if err != nil {
		return Net{}, fmt.Errorf("net %s: %w", path, err)
	}
	return n, nil
}

// read is the contents of the file at path, which begins as a net file does. It opens regular files only, since a pipe
// may block for ever and a device may never end, and it never reads more than the size that the file had when opened.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s, want a regular file", typeOf(info.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	return readNet(f, info.Size())
}

// readNet reads a net file of size bytes. It reads the first bytes before it makes room for the others.
func readNet(r io.Reader, size int64) ([]byte, error) {
	var magic [magicSize]byte
	n, err := io.ReadFull(r, magic[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, reason(err)
	}
	if begin := string(magic[:n]); begin != eut.Magic && begin != nnue.Magic {
		return nil, fmt.Errorf("it begins with %q, a net file begins with %q (EUT) or %q (nnue)", begin, eut.Magic, nnue.Magic)
	}
	if size > maxFile {
		return nil, fmt.Errorf("%d bytes, a net file has at most %d", size, maxFile)
	}
	if size < int64(magicSize) { // it grew since its size was asked for
		size = int64(magicSize)
	}
	data := make([]byte, size)
	copy(data, magic[:])
	n, err = io.ReadFull(r, data[magicSize:])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("it ends after %d of its %d bytes", magicSize+n, size)
	}
	if err != nil {
		return nil, reason(err)
	}
	return data, nil
}

// reason is an error of the file system without the path, which Open names itself.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// typeOf says what kind of file one with this mode is.
func typeOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}
