package gaviota

import (
	"cmp"
	"slices"
)

// Found counts the tables that were found. pieces is the most of one of them, kings included.
func (t *Tables) Found() (tables, pieces int) {
	for m := range t.files.All() {
		tables++
		pieces = max(pieces, m.Count())
	}
	return tables, pieces
}

// OpenAll opens the files, which are otherwise opened when they are first probed. The errors name those that are bad.
func (t *Tables) OpenAll() (errs []error) {
	for _, f := range t.files.All() {
		if _, err := f.Open(Hard); err != nil {
			errs = append(errs, err)
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errs
}
