package games

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"tesla/internal/output"
	"tesla/lab/journal"
)

const (
	magic   = "TESLAGMS"
	version = 1
	prefix  = 16
	// maxHeader and maxBody, in bytes, bound what a reader allocates for a damaged length.
	maxHeader = 1 << 20
	maxBody   = 1 << 20
	minBody   = 4 // a game without moves
)

var (
	// ErrTorn is the error of a file that ends within a record. A kill may leave such a file.
	ErrTorn = errors.New("the file ends within a record")
	// ErrExists is the error of Create about a file that has contents.
	ErrExists = fmt.Errorf("%w: file exists", journal.ErrRefused)
)

// ErrDamaged is the error of a record whose bytes are not those that were written. A power cut may leave such a tail.
var ErrDamaged = errors.New("the record is damaged")

// Reader reads a file from its beginning.
type Reader struct {
	in     *bufio.Reader
	header json.RawMessage
	at     int64 // byte that the next record begins at
	body   []byte
}

// NewReader reads the header of a file.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 1<<16)}
	var head [prefix]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return nil, fmt.Errorf("games: byte 0: magic, version and length: %w", err)
	}
	if string(head[:8]) != magic {
		return nil, fmt.Errorf("games: byte 0: magic is %q, want %q", head[:8], magic)
	}
	if v := binary.LittleEndian.Uint32(head[8:]); v != version {
		return nil, fmt.Errorf("games: byte 8: version %d, this program reads version %d", v, version)
	}
	size := binary.LittleEndian.Uint32(head[12:])
	if size > maxHeader {
		return nil, fmt.Errorf("games: byte 12: header of %d bytes, at most %d", size, maxHeader)
	}
	r.header = make([]byte, size)
	if _, err := io.ReadFull(r.in, r.header); err != nil {
		return nil, fmt.Errorf("games: byte %d: header: %w", prefix, err)
	}
	if !json.Valid(r.header) {
		return nil, fmt.Errorf("games: byte %d: the header is not JSON", prefix)
	}
	r.at = prefix + int64(size)
	return r, nil
}

// Header says what made the games.
func (r *Reader) Header() json.RawMessage { return r.header }

// Offset is the byte after the last game that Next returned.
func (r *Reader) Offset() int64 { return r.at }

// Next is the next game, or io.EOF after the last. Any other error names the byte at which the record begins; the games
// before it are good.
func (r *Reader) Next() (*Game, error) {
	g, size, err := r.next()
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("games: byte %d: %w", r.at, err)
	}
	r.at += size
	return g, nil
}

func (r *Reader) next() (g *Game, size int64, err error) {
	head, err := r.in.Peek(binary.MaxVarintLen64) // fewer bytes at the end of the file
	length, n := binary.Uvarint(head)
	switch {
	case len(head) < binary.MaxVarintLen64 && !errors.Is(err, io.EOF):
		return nil, 0, err
	case len(head) == 0:
		return nil, 0, io.EOF
	case n == 0 && len(head) < binary.MaxVarintLen64:
		return nil, 0, ErrTorn
	case n <= 0 || length > maxBody:
		return nil, 0, fmt.Errorf("%w: its length is above %d bytes", ErrDamaged, maxBody)
	}
	if _, err := r.in.Discard(n); err != nil {
		return nil, 0, err
	}
	if uint64(cap(r.body)) < length+4 {
		r.body = make([]byte, length+4)
	}
	r.body = r.body[:length+4]
	if _, err := io.ReadFull(r.in, r.body); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, 0, ErrTorn
	} else if err != nil {
		return nil, 0, err
	}
	body := r.body[:length]
	if want, got := binary.LittleEndian.Uint32(r.body[length:]), crc32.ChecksumIEEE(body); got != want {
		return nil, 0, fmt.Errorf("%w: its checksum is %08x, its contents have %08x", ErrDamaged, want, got)
	}
	if g, err = decode(body); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return g, int64(n) + int64(length) + 4, nil
}

// findRecord returns the byte at which the first whole record at or after from begins, or -1. It tries every byte.
func findRecord(f io.ReaderAt, from, size int64) (int64, error) {
	const longest = binary.MaxVarintLen64 + maxBody + 4
	window := make([]byte, min(size-from, 2*longest))
	for from < size {
		n, err := f.ReadAt(window, from)
		if err != nil && !errors.Is(err, io.EOF) {
			return -1, err
		}
		if n == 0 {
			break
		}
		tried := n
		if from+int64(n) < size { // a record that begins later may end behind the window
			tried = n - longest
		}
		for i := range tried {
			if isRecord(window[i:n]) {
				return from + int64(i), nil
			}
		}
		from += int64(tried)
	}
	return -1, nil
}

// isRecord reports whether b begins with a whole record. It computes the checksum last, because few bytes decode.
func isRecord(b []byte) bool {
	length, n := binary.Uvarint(b)
	if n <= 0 || length < minBody || length > maxBody || uint64(len(b)-n) < length+4 {
		return false
	}
	body, sum := b[n:][:length], b[n:][length:]
	if _, err := decode(body); err != nil {
		return false
	}
	return crc32.ChecksumIEEE(body) == binary.LittleEndian.Uint32(sum)
}

// Writer appends games to a file. It is for one goroutine at a time.
type Writer struct {
	file   *os.File
	record []byte
	body   []byte
	lost   int64
}

// Lost is how many bytes Resume cut off the end of the file.
func (w *Writer) Lost() int64 { return w.lost }

// Create makes a file with a header that says what makes the games. A file that is there already must be empty, or end
// within this header, as a kill may leave it. The file is locked: no other process can write to it.
func Create(path string, header any) (*Writer, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("games: header: %w", err)
	}
	f, err := open(path, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32([]byte(magic), version)
	head = append(binary.LittleEndian.AppendUint32(head, uint32(len(text))), text...)
	there, err := io.ReadAll(io.LimitReader(f, int64(len(head))))
	if err == nil && (len(there) == len(head) || !bytes.HasPrefix(head, there)) {
		err = fmt.Errorf("%s: %w", path, ErrExists)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.WriteAt(head, 0); err != nil { // a part of a header would be a file of nothing
		return nil, errors.Join(err, f.Truncate(0), f.Close())
	}
	if _, err := f.Seek(int64(len(head)), io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	output.SyncFolder(path)
	return &Writer{file: f}, nil
}

// open opens a regular file to write to, and locks it.
func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0o644)
	if err != nil {
		return nil, err
	}
	err = output.Regular(f)
	if err == nil {
		err = output.Lock(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Resume opens and locks a file to append to. It passes the header to header and then each game to visit, and cuts off
// what follows the last whole record: a kill may leave a part of a record there, a power cut zeros or other bytes. Damage
// that a whole record follows is an error. After an error the file stays as it is.
func Resume(path string, header func(json.RawMessage) error, visit func(*Game) error) (w *Writer, err error) {
	f, err := open(path, 0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
	}()
	r, err := NewReader(f)
	if err == nil {
		err = header(r.Header())
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", journal.ErrRefused, err)
	}
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, ErrTorn) || errors.Is(err, ErrDamaged) {
			if err = checkTail(f, r.Offset(), err); err == nil {
				break
			}
		}
		if err == nil {
			err = visit(g)
		}
		if err != nil {
			return nil, err
		}
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(r.Offset()); err != nil {
		return nil, err
	}
	if _, err := f.Seek(r.Offset(), io.SeekStart); err != nil {
		return nil, err
	}
	return &Writer{file: f, lost: end - r.Offset()}, nil
}

// checkTail returns the error about the record at a byte of the file, unless no whole record follows it.
func checkTail(f *os.File, at int64, damage error) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	next, err := findRecord(f, at+1, info.Size())
	if err != nil {
		return err
	}
	if next < 0 {
		return nil
	}
	return fmt.Errorf("%w; whole records follow from byte %d on, so nothing is cut off", damage, next)
}

// Write appends a game with one system call. When it returns, the whole game is in the file, even if the program is
// killed after that.
func (w *Writer) Write(g *Game) error {
	w.body = g.append(w.body[:0])
	w.record = binary.AppendUvarint(w.record[:0], uint64(len(w.body)))
	w.record = append(w.record, w.body...)
	w.record = binary.LittleEndian.AppendUint32(w.record, crc32.ChecksumIEEE(w.body))
	_, err := w.file.Write(w.record)
	return err
}

// Sync returns when all games that were written are on the disk.
func (w *Writer) Sync() error { return w.file.Sync() }

// Close syncs the file to the disk and closes it.
func (w *Writer) Close() error { return errors.Join(w.file.Sync(), w.file.Close()) }
