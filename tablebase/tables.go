package tablebase

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"tesla/board"
	"tesla/tablebase/gaviota"
	"tesla/tablebase/syzygy"
	"tesla/tablebase/tablefile"
)

// Paths are the folders of tables, separated as in PATH. An empty path has no tables.
type Paths struct {
	Syzygy, Gaviota string
	GaviotaCache    int // memory for what is read of Gaviota tables, MiB; 0: gaviota.DefaultCacheBytes
}

// Tables are the open tables of both formats. Any number of goroutines may use them.
type Tables struct {
	paths   Paths
	syzygy  *syzygy.Tables
	gaviota *gaviota.Tables
	pieces  int          // the most of a table that says who wins
	hits    atomic.Int64 // positions that were found, by probers

	tell    func(error)           // see Tell
	told    sync.Map              // texts of errors that were told
	bad     atomic.Pointer[error] // see Bad
	reading reading
}

// Open opens the tables of the folders. The errors name folders that cannot be read; the tables of the others serve.
func Open(paths Paths) (t *Tables, bad []error) {
	t = &Tables{paths: paths, tell: func(error) {}}
	t.reading.requests = make(chan request, mostRequests)
	t.syzygy, bad = syzygy.Open(paths.Syzygy, 0)
	gaviotas, errs := gaviota.Open(paths.Gaviota, paths.GaviotaCache<<20)
	t.gaviota = gaviotas
	_, _, t.pieces = t.syzygy.Found()
	_, most := t.gaviota.Found()
	t.pieces = max(t.pieces, most)
	return t, append(bad, errs...)
}

// Tell sets what is called with the error of each bad file, once, when a probe finds it. It is called before the first
// probe.
func (t *Tables) Tell(tell func(error)) { t.tell = tell }

// Bad is the error of the first bad file that a probe has found; nil: none.
func (t *Tables) Bad() error {
	if err := t.bad.Load(); err != nil {
		return *err
	}
	return nil
}

// headerPieces bounds the tables that OpenHeaders opens: there are 290 files of Syzygy tables of up to five pieces, and
// a process may often have no more than 1,024 files open.
const headerPieces = 5

// OpenHeaders opens the tables of up to five pieces at once; larger ones are opened when they are first probed. The
// errors name the bad files.
func (t *Tables) OpenHeaders() (bad []error) {
	for _, err := range append(t.syzygy.OpenUpTo(headerPieces), t.gaviota.OpenAll()...) {
		if _, known := t.told.LoadOrStore(err.Error(), true); !known {
			bad = append(bad, err)
		}
	}
	return bad
}

// Found says how many tables of how many pieces were found.
func (t *Tables) Found() string {
	var found []string
	if t.paths.Syzygy != "" {
		wdl, dtz, pieces := t.syzygy.Found()
		found = append(found, fmt.Sprintf("%d Syzygy tables of values and %d of distances", wdl, dtz)+upTo(pieces))
	}
	if t.paths.Gaviota != "" {
		tables, pieces := t.gaviota.Found()
		found = append(found, fmt.Sprintf("%d Gaviota tables", tables)+upTo(pieces))
	}
	return "endgame tables: " + strings.Join(found, ", ")
}

func upTo(pieces int) string {
	if pieces == 0 {
		return ""
	}
	return fmt.Sprintf(", of up to %d pieces", pieces)
}

// trouble tells of an error that a bad file is the reason for, the first time that it comes.
func (t *Tables) trouble(err error) {
	if err == nil || errors.Is(err, tablefile.ErrNoTable) || errors.Is(err, tablefile.ErrNotCached) ||
		errors.Is(err, syzygy.ErrCastling) || errors.Is(err, gaviota.ErrCastling) {
		return
	}
	t.bad.CompareAndSwap(nil, &err)
	if _, known := t.told.LoadOrStore(err.Error(), true); !known {
		t.tell(err)
	}
}

// Close ends what is read in the background, and closes the files. No probe may run or follow.
func (t *Tables) Close() error {
	t.reading.end()
	return errors.Join(t.syzygy.Close(), t.gaviota.Close())
}

// WDL returns the value of a position by the Syzygy tables; see syzygy.Tables.WDL.
func (t *Tables) WDL(p *board.Position, probe syzygy.Probe) (syzygy.WDL, error) {
	return t.syzygy.WDL(p, probe)
}
