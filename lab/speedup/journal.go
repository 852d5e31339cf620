package speedup

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"tesla/lab/journal"
)

// ErrJournal is wrapped by errors about a journal of another run: it exists already, or has another configuration.
// Nothing was written to it.
var ErrJournal = errors.New("journal refused")

// The kinds of journal lines.
const (
	kindConfig = "config" // the first line: a header
	kindTrial  = "trial"  // a search of the baseline to find the work of a position
	kindBase   = "base"   // a search of the baseline
	kindDriver = "driver" // a search of the driver
	kindSide   = "side"   // searches of the baseline at the same time, counted as one
)

// step names one search of a run.
type step struct {
	Kind     string `json:"kind"`
	Position int    `json:"position"` // from 1
	Repeat   int    `json:"repeat"`   // from 1; 0 for trials
	Threads  int    `json:"threads"`  // in a side step: searches
	Work     int64  `json:"work"`     // in the driver's unit
}

// record is one finished search.
type record struct {
	step
	Nodes    int64   `json:"nodes"`
	Seconds  float64 `json:"seconds"`
	Reached  int64   `json:"reached"`  // work that was done; less than Work where nothing was left to search
	Finished bool    `json:"finished"` // false only for a trial that took too long
	Messages int64   `json:"messages"`
	Cost     float64 `json:"cost"` // seconds per message
	Idle     float64 `json:"idle"` // seconds, of all threads
	Path     int64   `json:"path"` // nodes
	Best     string  `json:"best"` // in UCI form
}

// check finds values that no run writes.
func (r *record) check() error {
	switch r.Kind {
	case kindTrial, kindBase, kindDriver, kindSide:
	default:
		return fmt.Errorf("kind %q", r.Kind)
	}
	if r.Position < 1 || r.Repeat < 0 || r.Threads < 1 || r.Work < 1 || r.Nodes < 0 || !(r.Seconds >= 0) ||
		r.Messages < 0 ||
		!(r.Cost >= 0) || !(r.Idle >= 0) || r.Path < 0 {
		return errors.New("a number is out of range")
	}
	return nil
}

// openJournal opens or makes the journal at path and returns it with its records. An empty path means no journal. A
// file that exists needs resume and an equal header.
func openJournal(path string, resume bool, want header) (_ *journal.Journal, have map[step]record, err error) {
	if path == "" {
		return nil, nil, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	if info.Size() > 0 && !resume {
		return nil, nil, fmt.Errorf("%w: %s is there already; --resume goes on with it", ErrJournal, path)
	}
	j, err := journal.Open(file, want, "", want.check)
	if errors.Is(err, journal.ErrHeader) {
		err = fmt.Errorf("%w: %w", ErrJournal, err)
	}
	if err != nil {
		return nil, nil, err
	}
	have = map[step]record{}
	return j, have, j.Replay(func(line []byte) error { return take(line, have) })
}

// take adds the record of a line.
func take(line []byte, have map[step]record) error {
	var r record
	err := json.Unmarshal(line, &r)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return fmt.Errorf("not a record: %w", err)
	}
	have[r.step] = r
	return nil
}

// check compares the first line of a journal with the header of this run, field by field.
func (h header) check(line []byte) error {
	var there struct{ Kind string }
	if err := json.Unmarshal(line, &there); err != nil {
		return fmt.Errorf("not a header: %w", err)
	}
	if there.Kind != kindConfig {
		return fmt.Errorf("%w: not of a speed-up measurement", ErrJournal)
	}
	differences, err := journal.Differences(json.RawMessage(line), h)
	if err != nil {
		return err
	}
	var list []string
	for _, d := range differences {
		if d.Here != nil { // nil: this program does not know the field
			list = append(list, d.String())
		}
	}
	if len(list) > 0 {
		return fmt.Errorf("%w: %s", ErrJournal, strings.Join(list, "; "))
	}
	return nil
}
