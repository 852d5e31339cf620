package speedup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
)

// ErrJournal is wrapped by errors about a journal that belongs to another run: there already, or with another
// configuration. Nothing was written to it.
var ErrJournal = errors.New("journal refused")

// The kinds of journal lines.
const (
	kindConfig = "config" // the first line: a header
	kindTrial  = "trial"  // the baseline looks for a position's work
	kindBase   = "base"   // a search of the baseline
	kindDriver = "driver" // a search of the driver
	kindSide   = "side"   // baselines side by side, counted as one
)

// step names one search of a run.
type step struct {
	Kind     string `json:"kind"`
	Position int    `json:"position"` // from 1
	Repeat   int    `json:"repeat"`   // from 1; 0 for trials
	Threads  int    `json:"threads"`  // side: searches
	Work     int64  `json:"work"`     // in the driver's unit
}

// record is one finished search.
type record struct {
	step
	Nodes    int64   `json:"nodes"`
	Seconds  float64 `json:"seconds"`
	Reached  int64   `json:"reached"`  // work that was done; less than asked where nothing was left to search
	Finished bool    `json:"finished"` // false only for a trial that took too long
	Messages int64   `json:"messages"`
	Cost     float64 `json:"cost"` // seconds a message
	Best     string  `json:"best"` // in UCI form
}

// check finds a line that no run has written.
func (r *record) check() error {
	switch r.Kind {
	case kindTrial, kindBase, kindDriver, kindSide:
	default:
		return fmt.Errorf("kind %q", r.Kind)
	}
	if r.Position < 1 || r.Repeat < 0 || r.Threads < 1 || r.Work < 1 || r.Nodes < 0 || !(r.Seconds >= 0) || r.Messages < 0 ||
		!(r.Cost >= 0) {
		return errors.New("a number is out of range")
	}
	return nil
}

// journal holds the finished searches, in memory and, where it has a file, on disk.
type journal struct {
	file *os.File // nil: memory only
	path string
	have map[step]record
}

// openJournal opens or makes the journal at path; an empty path is one in memory. A file that is there needs resume
// and an equal header. A torn last line is cut off.
func openJournal(path string, resume bool, want header) (_ *journal, err error) {
	j := &journal{path: path, have: map[step]record{}}
	if path == "" {
		return j, nil
	}
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	defer func() {
		if err != nil {
			j.file.Close()
		}
	}()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if len(text) > 0 && !resume {
		return nil, fmt.Errorf("%w: %s is there already; --resume goes on with it", ErrJournal, path)
	}
	good, err := j.read(text, want)
	if err != nil {
		return nil, err
	}
	if good < len(text) {
		if err := j.file.Truncate(int64(good)); err != nil {
			return nil, fmt.Errorf("journal %s: cutting off a torn line at byte %d: %w", path, good, err)
		}
	}
	if _, err := j.file.Seek(int64(good), 0); err != nil {
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	if good == 0 {
		if err := j.write(want); err != nil {
			return nil, err
		}
		return j, syncFolder(path)
	}
	return j, nil
}

// read takes in the lines of a journal and returns the length of what is whole. Only the last line may be torn: it
// lacks its end, or its content. A torn first line must be the beginning of this run's header, so that no foreign file
// is cut.
func (j *journal) read(text []byte, want header) (good int, err error) {
	for number := 1; good < len(text); number++ {
		end := bytes.IndexByte(text[good:], '\n')
		if end < 0 && number == 1 {
			return 0, j.checkTorn(text, want)
		}
		if end < 0 {
			return good, nil
		}
		line := text[good : good+end]
		if number == 1 {
			err = checkHeader(line, want)
		} else {
			err = j.take(line)
		}
		var syntax *json.SyntaxError
		switch last := good+end+1 == len(text); {
		case last && number > 1 && errors.As(err, &syntax):
			return good, nil
		case err != nil:
			return good, fmt.Errorf("journal %s, line %d: %w", j.path, number, err)
		}
		good += end + 1
	}
	return good, nil
}

// checkTorn wants a first line without end to be a piece of the header.
func (j *journal) checkTorn(text []byte, want header) error {
	line, err := json.Marshal(want)
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if !bytes.HasPrefix(line, text) {
		return fmt.Errorf("%w: %s, line 1: neither whole nor the beginning of this run's header", ErrJournal, j.path)
	}
	return nil
}

// take adds the record of a line.
func (j *journal) take(line []byte) error {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("not a record: %w", err)
	}
	if err := r.check(); err != nil {
		return fmt.Errorf("not a record: %w", err)
	}
	j.have[r.step] = r
	return nil
}

// checkHeader compares the first line with the header of this run, field by field.
func checkHeader(line []byte, want header) error {
	var there, here map[string]any
	if err := json.Unmarshal(line, &there); err != nil {
		return fmt.Errorf("not a header: %w", err)
	}
	if there["kind"] != kindConfig {
		return fmt.Errorf("%w: not of a speed-up measurement", ErrJournal)
	}
	text, err := json.Marshal(want)
	if err != nil {
		return fmt.Errorf("writing the header: %w", err)
	}
	if err := json.Unmarshal(text, &here); err != nil {
		return fmt.Errorf("reading the header: %w", err)
	}
	var differ []string
	for name, value := range here {
		if !reflect.DeepEqual(there[name], value) {
			differ = append(differ, fmt.Sprintf("%s is %v there and %v here", name, there[name], value))
		}
	}
	if len(differ) > 0 {
		sort.Strings(differ)
		return fmt.Errorf("%w: %s", ErrJournal, strings.Join(differ, "; "))
	}
	return nil
}

// add keeps a finished search; it is on disk when add returns.
func (j *journal) add(r record) error {
	j.have[r.step] = r
	if j.file == nil {
		return nil
	}
	return j.write(r)
}

// write appends one line and waits until the disk has it.
func (j *journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	return nil
}

// syncFolder makes a new file's name last.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("journal %s: %w", path, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("journal %s: its folder: %w", path, err)
	}
	return nil
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}
