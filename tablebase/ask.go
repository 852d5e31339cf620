package tablebase

import "tesla/board"

// Ask opens the tables of some folders, and says what they know of positions: nil of those that no table has. The errors
// name bad folders and tables.
func Ask(paths Paths, positions []board.Position) (known []*Result, bad []error) {
	t, bad := Open(paths)
	t.Tell(func(err error) { bad = append(bad, err) })
	for i := range positions {
		r, err := t.Probe(&positions[i])
		if err != nil {
			t.trouble(err)
			known = append(known, nil)
			continue
		}
		known = append(known, &r)
	}
	if err := t.Close(); err != nil {
		bad = append(bad, err)
	}
	return known, bad
}

// SyzygyFiles are the names of the Syzygy tables that were found, sorted. Nobody has read them yet.
func (t *Tables) SyzygyFiles() []string { return t.syzygy.Files() }
