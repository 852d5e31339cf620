package tablebase

import (
	"errors"
	"fmt"
	"sync/atomic"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase/syzygy"
	"tesla/tablebase/tablefile"
)

// Rules say where a search uses the tables. They mean what Stockfish's options of these names mean.
type Rules struct {
	Pieces     int  // SyzygyProbeLimit: the most pieces of a position that is probed, kings included
	Depth      int  // SyzygyProbeDepth: the least depth at which alpha-beta probes positions of that many pieces, plies
	FiftyMoves bool // Syzygy50MoveRule: a win that takes more than fifty moves is a draw
}

// Mode is how a search probes the tables in its tree.
type Mode int32

const (
	Off  Mode = iota // not at all
	Soft             // it never waits for the disk: for searches that somebody waits for
	Hard             // it waits, so that a search without a clock gives the same result each time
)

// Prober is the tables as one searcher uses them. Any number of goroutines may use it, but for Begin.
type Prober struct {
	tables *Tables
	rules  Rules
	root   int // the most pieces of a position whose moves are ranked
	mode   atomic.Int32
	hits   int64 // of the tables, at Begin
}

// Prober is the tables by some rules. It is nil where there are no tables that the rules admit.
func (t *Tables) Prober(r Rules) *Prober {
	if r.Pieces == 0 || t.pieces == 0 {
		return nil
	}
	root := r.Pieces
	if r.Pieces > t.pieces { // there are none of that many pieces: the largest ones are probed at any depth
		r.Pieces, r.Depth = t.pieces, 0
	}
	return &Prober{tables: t, rules: r, root: root}
}

// Begin begins a search, in which the tables are probed by the mode. No search may run.
func (b *Prober) Begin(m Mode) {
	b.Switch(m)
	b.hits = b.tables.hits.Load()
}

// Switch changes the mode.
func (b *Prober) Switch(m Mode) { b.mode.Store(int32(m)) }

// Hits is the number of positions that were found in the tables since Begin.
func (b *Prober) Hits() int64 { return b.tables.hits.Load() - b.hits }

// Covers reports whether the tables may know the value of a position in the tree of a search: it has few enough pieces
// and no castling rights. Syzygy tables of values count from the last capture or pawn move, so with the fifty-move rule only
// positions after such a move are probed.
func (b *Prober) Covers(p *board.Position) bool {
	return (p.Halfmove == 0 || !b.rules.FiftyMoves) && p.Castling == 0 && p.Occupied().Count() <= b.rules.Pieces &&
		Mode(b.mode.Load()) != Off
}

// CoversAt is Covers for a node of alpha-beta with a depth left.
func (b *Prober) CoversAt(p *board.Position, depth int) bool {
	return b.Covers(p) && (depth >= b.rules.Depth || p.Occupied().Count() < b.rules.Pieces)
}

// Errors of Score: a search which must not wait for the disk would have to, or no table knows the position.
var (
	ErrNotCached = tablefile.ErrNotCached
	ErrNoTable   = tablefile.ErrNoTable
)

// Score is the score of a position that is covered, for the side to move, on the scale of package search. After an error
// other than ErrNotCached the tables do not know the position.
func (b *Prober) Score(p *board.Position) (cp int, err error) {
	if Mode(b.mode.Load()) == Hard {
		return b.score(p, syzygy.Hard)
	}
	return b.score(p, syzygy.Soft)
}

func (b *Prober) score(p *board.Position, probe syzygy.Probe) (cp int, err error) {
	v, err := b.tables.WDL(p, probe)
	if cp = b.scoreOf(v); errors.Is(err, ErrNoTable) && b.tables.paths.Gaviota != "" {
		cp, err = b.scoreByMate(p, probe)
	}
	if err != nil {
		b.tables.trouble(err)
		return 0, err
	}
	b.tables.hits.Add(1)
	return cp, nil
}

// scoreByMate is the score by Gaviota tables. They leave it open where the fifty-move rule may come before the mate.
func (b *Prober) scoreByMate(p *board.Position, probe tablefile.Probe) (cp int, err error) {
	v, err := b.tables.gaviota.DTM(p, probe)
	if err == nil && b.rules.FiftyMoves && int(p.Halfmove)+v.Plies > limit {
		err = fmt.Errorf("%w that knows whether %d plies to mate are too many", ErrNoTable, v.Plies)
	}
	return int(v.Result) * search.TableScore, err
}

// scoreOf is the score of a value. A draw by the fifty-move rule alone is a little better or worse than another.
func (b *Prober) scoreOf(v syzygy.WDL) int {
	switch {
	case v == syzygy.Win || v == syzygy.CursedWin && !b.rules.FiftyMoves:
		return search.TableScore
	case v == syzygy.Loss || v == syzygy.BlessedLoss && !b.rules.FiftyMoves:
		return -search.TableScore
	}
	return int(v)
}

// Request has what the tables lack of a position read in the background, unless too much is to be read already.
func (b *Prober) Request(p *board.Position) { b.tables.reading.ask(request{by: b, position: *p}) }

// Ask has a position probed in the background. The answer, with the number ref, is sent to answers, which must have
// room for it: a reader does not wait. It returns false where too much is to be read already.
func (b *Prober) Ask(p *board.Position, ref uint32, answers chan<- Answer) bool {
	return b.tables.reading.ask(request{b, *p, ref, answers})
}
