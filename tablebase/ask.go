package tablebase

import "tesla/board"

// Ask opens the tables of some folders, and says what they know of positions: nil of those that no table has. The notes
// are about bad folders and tables.
func Ask(paths Paths, positions []board.Position) (known []*Result, notes []string) {
	t, notes := Open(paths)
	t.Tell(func(text string) { notes = append(notes, text) })
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
		notes = append(notes, err.Error())
	}
	return known, notes
}

// SyzygyFiles are the names of the Syzygy tables that were found, sorted. Nobody has read them yet.
func (t *Tables) SyzygyFiles() []string { return t.syzygy.Files() }
