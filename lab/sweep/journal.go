package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"tesla/lab/journal"
)

// File names the journal of a sweep.
type File struct {
	Path   string            // empty: none
	Resume bool              // go on with the file where it is there
	Tell   func(text string) // gets what was cut off a damaged end; may be nil
}

// Check reports flags that do not fit together.
func (f *File) Check() error {
	if f.Resume && f.Path == "" {
		return errors.New("--resume without --journal")
	}
	return nil
}

// Journal keeps results by what was asked, in memory and in a file where there is one. Several goroutines may call its methods.
type Journal[K comparable, R any] struct {
	mu   sync.Mutex // guards what follows
	have map[K]R
	made bool             // a result was made that the file did not have
	file *journal.Journal // nil: none
	path string
}

// OpenJournal opens the journal or makes it. All runs whose results may be mixed have equal headers, as JSON. key is what a
// record is the result of; its error is one about a line that is no record.
func OpenJournal[K comparable, R any](f File, header any, key func(*R) (K, error)) (j *Journal[K, R], err error) {
	j = &Journal[K, R]{have: map[K]R{}, path: f.Path}
	if f.Path == "" {
		return j, nil
	}
	file, err := os.OpenFile(f.Path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if info.Size() > 0 && !f.Resume {
		return nil, fmt.Errorf("%w: %s exists; --resume continues it", journal.ErrRefused, f.Path)
	}
	j.file, err = journal.Open(file, header, "", func(line []byte) error { return same(line, header) })
	if err != nil {
		return nil, err
	}
	err = j.file.Replay(func(line []byte) error {
		var r R
		err := json.Unmarshal(line, &r)
		if err == nil {
			var k K
			k, err = key(&r)
			j.have[k] = r
		}
		if err != nil {
			return fmt.Errorf("not a record: %w", err)
		}
		return nil
	})
	if lost := j.file.Lost(); err == nil && lost > 0 && f.Tell != nil {
		f.Tell(fmt.Sprintf("journal %s: the last %d bytes were no whole record and were cut off", f.Path, lost))
	}
	return j, err
}

// same compares the first line of a journal with the header of a run, field by field.
func same(line []byte, header any) error {
	if !json.Valid(line) {
		return journal.ErrHeader
	}
	differences, err := journal.Differences(json.RawMessage(line), header)
	if err != nil {
		return fmt.Errorf("%w: %w", journal.ErrHeader, err)
	}
	var list []string
	for _, d := range differences {
		list = append(list, d.String())
	}
	if len(list) > 0 {
		return fmt.Errorf("of another run: %s", strings.Join(list, "; "))
	}
	return nil
}

// Do is the result that the journal has for a key, or the one that do makes now and the journal then keeps.
func (j *Journal[K, R]) Do(key K, do func() (R, error)) (r R, err error) {
	j.mu.Lock()
	r, known := j.have[key]
	j.mu.Unlock()
	if known {
		return r, nil
	}
	if r, err = do(); err != nil {
		return r, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.have[key], j.made = r, true
	if j.file != nil {
		err = j.file.Append(r)
	}
	return r, err
}

// Resumed reports whether all results so far were in the file.
func (j *Journal[K, R]) Resumed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return !j.made
}

// End closes the file at the end of a sweep. The error of the sweep then says where it goes on from.
func (j *Journal[K, R]) End(err error) error {
	if err != nil && j.file != nil {
		err = fmt.Errorf("%w; what was finished is in %s, --resume goes on with it", err, j.path)
	}
	return errors.Join(err, j.Close())
}

// Close closes the file.
func (j *Journal[K, R]) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
