package gaviota

import (
	"cmp"
	"slices"
)

// Found counts the tables that were found. pieces is the most of one of them, kings included.
func (t *Tables) Found() (tables, pieces int) {
	for e := range t.endgames() {
		tables++
		pieces = max(pieces, e.material.Count())
	}
	return tables, pieces
}

// OpenAll opens the files, which are otherwise opened when they are first probed. The errors name those that are bad.
func (t *Tables) OpenAll() (errs []error) {
	for e := range t.endgames() {
		if _, err := e.file.Open(Hard); err != nil {
			errs = append(errs, err)
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errs
}
