package syzygy

import (
	"cmp"
	"errors"
	"slices"
)

// Found counts the files of values and of distances that were found. pieces is the most of a table of values, kings
// included.
func (t *Tables) Found() (wdl, dtz, pieces int) {
	for m, e := range t.files.All() {
		if _, err := e.wdl.Open(Soft); !errors.Is(err, ErrNoTable) {
			wdl++
			pieces = max(pieces, m.Count())
		}
		if _, err := e.dtz.Open(Soft); !errors.Is(err, ErrNoTable) {
			dtz++
		}
	}
	return wdl, dtz, pieces
}

// OpenUpTo opens the files of at most some pieces, which are otherwise opened when they are first probed. The errors
// name those that are bad.
func (t *Tables) OpenUpTo(pieces int) (errs []error) {
	for m, e := range t.files.All() {
		if m.Count() > pieces {
			continue
		}
		for _, f := range []*tableFile{&e.wdl, &e.dtz} {
			if _, err := f.Open(Hard); err != nil && !errors.Is(err, ErrNoTable) {
				errs = append(errs, err)
			}
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errs
}
