// Package journal keeps what a long run has finished, so that the run can be killed at any moment and resumed.
//
// A journal is a file with one JSON object on each line. The first is the header, which describes the run. The others
// are records, in the order in which they were finished:
//
//	{"tesla_match":1,"players":[..],..}\n    the header
//	{"game":0,"white":..,..}\n               a record
//	{"game":2,"wh                            what a kill may leave: part of a line. A resumed run cuts it off
//
// # Invariants
//
// When Append returns, the whole record is on the disk. A run that counts a result only after that never loses it.
// The file is only appended to, with one exception: a damaged end is cut off, after all lines before it were accepted. A
// kill leaves part of a line there, a power cut zeros or other bytes. Damage that a whole record follows is an error. So a
// file that is not a journal of this run stays as it is.
//
// # Caveats
//
// Open locks the file, and fails where another process has it open as a journal. A Journal is used by one goroutine at a
// time.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"tesla/internal/output"
)

var (
	// ErrRefused is wrapped by errors about a file that is of another run or program, or is there and is not to be resumed.
	// Nothing was written to it.
	ErrRefused = errors.New("refused")
	// ErrHeader is wrapped by the error of Open about a file that does not begin with a header, whole or torn.
	ErrHeader = errors.New("not the header of a journal")
	// ErrDamaged is wrapped by the error of Replay about a line that is no record, where a record follows.
	ErrDamaged = errors.New("damaged before whole records")
)

// byteOrderMark is what some editors put before a text.
const byteOrderMark = "\ufeff"

// Journal is an open journal.
type Journal struct {
	file  *os.File
	lines *bufio.Reader // nil once the records were replayed
	whole int64         // bytes of the whole lines that were read
	lost  int64         // bytes of the damaged end that was cut off
}

// Open begins a journal with the header where the file is empty or holds a torn header: text without an end of line
// that agrees with mark as far as both go. mark is the beginning of every header of this kind; an empty mark stands
// for the whole header. Where the file has a header, Open passes it to check, and the caller must call Replay before
// Append. Open locks the file, and takes it over unless it returns an error.
func Open(file *os.File, header any, mark string, check func(line []byte) error) (*Journal, error) {
	begin, err := encode(header)
	if err == nil {
		err = output.Regular(file)
	}
	if err == nil {
		err = output.Lock(file)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if mark == "" {
		mark = string(begin)
	}
	j := &Journal{file: file, lines: bufio.NewReaderSize(file, 1<<16)}
	line, err := j.lines.ReadBytes('\n')
	j.whole = int64(len(line))
	line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	n := min(len(line), len(mark))
	switch {
	case err == nil:
		err = check(line)
	case errors.Is(err, io.EOF) && string(line[:n]) == mark[:n]:
		j.whole = 0
		if err := j.begin(begin); err != nil {
			return nil, err
		}
		return j, nil
	case errors.Is(err, io.EOF):
		err = ErrHeader
	}
	if err != nil {
		return nil, fmt.Errorf("%w: journal %s: line 1: %w", ErrRefused, file.Name(), err)
	}
	return j, nil
}

// begin writes the header. It also syncs the folder, so that the file's name is on the disk.
func (j *Journal) begin(header []byte) error {
	if err := j.cut(); err != nil {
		return err
	}
	if err := j.write(header); err != nil {
		return err
	}
	output.SyncFolder(j.file.Name())
	return nil
}

// Replay passes each record to visit and cuts off a damaged end: what follows the last record. It does nothing where Open
// began the journal. An error names the file and the line.
func (j *Journal) Replay(visit func(line []byte) error) error {
	if j.lines == nil {
		return nil
	}
	damaged := 0 // number of the first line that is no record
	for n := 2; ; n++ {
		line, err := j.lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF):
			j.lost += int64(len(line))
			return j.cut()
		case err == nil && !isRecord(line):
			if damaged == 0 {
				damaged = n
			}
			j.lost += int64(len(line))
			continue
		case err == nil && damaged > 0:
			n, err = damaged, ErrDamaged
		case err == nil:
			err = visit(line)
		}
		if err != nil {
			return fmt.Errorf("journal %s: line %d: %w", j.file.Name(), n, err)
		}
		j.whole += int64(len(line))
	}
}

func isRecord(line []byte) bool { return line[0] == '{' && json.Valid(line) }

// Lost is how many bytes Replay cut off the end of the file.
func (j *Journal) Lost() int64 { return j.lost }

// cut ends the file after its last whole line.
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

// Append adds a record. It is on the disk when Append returns.
func (j *Journal) Append(record any) error {
	line, err := encode(record)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return j.write(line)
}

func encode(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	return append(line, '\n'), err
}

// write writes a line in one call and waits until it is on the disk.
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
