package syzygy

import (
	"cmp"
	"errors"
	"slices"
)

// Found counts the files of values and of distances that were found. pieces is the most of a table of values, kings
// included.
func (t *Tables) Found() (wdl, dtz, pieces int) {
	for e := range t.endgames() {
		if _, err := e.wdl.Open(Soft); !errors.Is(err, ErrNoTable) {
			wdl++
			pieces = max(pieces, e.material.Count())
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
	for e := range t.endgames() {
		if e.material.Count() > pieces {
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
