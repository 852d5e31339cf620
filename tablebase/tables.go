package tablebase

import (
	"errors"

	"tesla/board"
	"tesla/gaviota"
	"tesla/syzygy"
)

// Paths are the folders of tables, separated as in PATH. An empty path has no tables.
type Paths struct{ Syzygy, Gaviota string }

// Tables are the open tables of both formats. Any number of goroutines may use them.
type Tables struct {
	paths   Paths
	syzygy  *syzygy.Tables
	gaviota *gaviota.Tables
}

// Open opens the tables of the folders. The notes are about folders that cannot be read.
func Open(paths Paths) (t *Tables, notes []string) {
	t = &Tables{paths: paths}
	var errs [2][]error
	t.syzygy, errs[0] = syzygy.Open(paths.Syzygy, 0)
	t.gaviota, errs[1] = gaviota.Open(paths.Gaviota, 0)
	for _, e := range append(errs[0], errs[1]...) {
		notes = append(notes, e.Error())
	}
	return t, notes
}

// Close closes the files. No probe may run or follow.
func (t *Tables) Close() error { return errors.Join(t.syzygy.Close(), t.gaviota.Close()) }

// WDL returns the value of a position by the Syzygy tables; see syzygy.Tables.WDL.
func (t *Tables) WDL(p *board.Position, hard bool) (syzygy.WDL, error) { return t.syzygy.WDL(p, hard) }
