// Package journal keeps what a long run has finished, so that the run may be killed at any moment and go on.
//
// A journal is a file of one JSON object a line. The first is the header, which says what run it is of; each other one
// is a record, in the order in which they were finished:
//
//	{"tesla_match":1,"players":[..],..}\n    the header
//	{"game":0,"white":..,..}\n               a record
//	{"game":2,"wh                            what a kill may leave: a part of a line, cut off when the run is resumed
//
// # Invariants
//
// A record is on the disk, whole, when Append returns: what counts only from then on is never lost. Nothing that is in
// the file is changed or removed but a torn last line, and that only once all before it was accepted: a file that is
// not a journal of this run stays as it is.
//
// # Caveats
//
// Whoever opens the file sees to it that nobody else writes to it. A Journal is for one goroutine at a time.
package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

var (
	// ErrHeader is wrapped by Open's error about a file whose only line is neither whole nor a part of a header.
	ErrHeader = errors.New("it is not the header of a journal")
	// ErrTorn is what a visitor of Replay wraps where the content of a line, not its end, is missing.
	ErrTorn = errors.New("torn")
)

// Journal is an open journal.
type Journal struct {
	file  *os.File
	lines *bufio.Reader // until the records were replayed
	whole int64         // bytes of whole lines that were read
}

// Open begins a journal with the header where the file is empty, or holds what a kill left of a header: text without
// an end of line that agrees with mark, the beginning of every header, as far as both go. An empty mark stands for the
// whole header. A header that is there is shown to check, and Replay is to come before Append. The file is the
// Journal's unless there is an error.
func Open(file *os.File, header any, mark string, check func(line []byte) error) (*Journal, error) {
	begin, err := encode(header)
	if err != nil {
		return nil, err
	}
	if mark == "" {
		mark = string(begin)
	}
	j := &Journal{file: file, lines: bufio.NewReaderSize(file, 1<<16)}
	line, err := j.lines.ReadBytes('\n')
	n := min(len(line), len(mark))
	switch {
	case err == nil:
		err = check(line)
		j.whole = int64(len(line))
	case errors.Is(err, io.EOF) && string(line[:n]) == mark[:n]:
		return j, j.begin(begin)
	case errors.Is(err, io.EOF):
		err = ErrHeader
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s: line 1: %w", file.Name(), err)
	}
	return j, nil
}

// begin writes the header, and makes sure that the file's name is on the disk as well.
func (j *Journal) begin(header []byte) error {
	if err := j.cut(); err != nil {
		return err
	}
	if err := j.write(header); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(j.file.Name()))
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	_ = folder.Sync() // not every file system can
	return folder.Close()
}

// Replay shows the records to visit, and cuts a torn last line off: one without its end, or one with ErrTorn. It does
// nothing where the journal was begun now. The error names the file and the line.
func (j *Journal) Replay(visit func(line []byte) error) error {
	if j.lines == nil {
		return nil
	}
	for n := 2; ; n++ {
		line, err := j.lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return j.cut()
		}
		if err == nil {
			err = visit(line)
		}
		if errors.Is(err, ErrTorn) {
			if _, end := j.lines.Peek(1); end == io.EOF {
				return j.cut()
			}
		}
		if err != nil {
			return fmt.Errorf("journal %s: line %d: %w", j.file.Name(), n, err)
		}
		j.whole += int64(len(line))
	}
}

// cut ends the file behind its last whole line.
func (j *Journal) cut() error {
	j.lines = nil
	if err := j.file.Truncate(j.whole); err != nil {
		return fmt.Errorf("journal: cutting it off at byte %d: %w", j.whole, err)
	}
	if _, err := j.file.Seek(j.whole, io.SeekStart); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Append adds a record; it is on the disk when Append returns.
func (j *Journal) Append(record any) error {
	line, err := encode(record)
	if err != nil {
		return err
	}
	return j.write(line)
}

func encode(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return append(line, '\n'), nil
}

// write writes a line at once and waits until it is on the disk.
func (j *Journal) write(line []byte) error {
	if _, err := j.file.Write(line); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error {
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}
