package tablebase

import (
	"errors"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase/syzygy"
	"tesla/tablebase/tablefile"
)

// Label is what Syzygy tables know of a position of a game, for games that are labelled by tables.
type Label struct {
	Score  int        // for the side to move; of a decided position search.TableWinIn of DTZ or its negative
	Best   board.Move // by DTZ; NullMove: there is no legal move
	Result int        // for the side to move: 1 a win, 0 a draw, -1 a loss
}

// Outcome is the result of a position for the side to move with best play, 1, 0 or -1, under the fifty-move rule with
// the counter as it is. It is not known where no Syzygy table has the position, where somebody may still castle, and
// where the distance, which may be one ply too short, decides between a win and a draw. An error is that of a bad table.
// It reads what the cache lacks.
func (t *Tables) Outcome(p *board.Position) (result int, known bool, err error) {
	defer func() { t.trouble(err) }()
	v, err := t.syzygy.WDL(p, syzygy.Hard)
	if err != nil || v > syzygy.Loss && v < syzygy.Win || p.Halfmove == 0 {
		known, err = unknown(err)
		return int(v) / int(syzygy.Win), known, err
	}
	result, _, known, err = t.decided(p, v)
	return result, known, err
}

// Label is what the tables know of a position, see Outcome.
func (t *Tables) Label(p *board.Position) (l Label, known bool, err error) {
	v, err := t.syzygy.WDL(p, syzygy.Hard)
	if err != nil {
		known, err = unknown(err)
		return l, known, err
	}
	if v == syzygy.Loss || v == syzygy.Win {
		result, plies, known, err := t.decided(p, v)
		if !known {
			return l, false, err
		}
		l.Result, l.Score = result, result*search.TableWinIn(plies)
	}
	moves, err := t.syzygy.Rank(p)
	if err != nil {
		_, err = unknown(err)
		return Label{}, false, err
	}
	if len(moves) > 0 {
		l.Best = moves[0].Move
	}
	return l, true, nil
}

// decided is the outcome of a position whose value is a win or a loss, which the counter may have made a draw, and the
// plies to the next capture or pawn move.
func (t *Tables) decided(p *board.Position, v syzygy.WDL) (result, plies int, known bool, err error) {
	dtz, err := t.syzygy.DTZ(p, syzygy.Hard)
	if err != nil {
		known, err = unknown(err)
		return 0, 0, known, err
	}
	result, plies = 1, dtz
	if v == syzygy.Loss {
		result, plies = -1, -dtz
	}
	switch timeOf(p.Halfmove, plies) {
	case inTime:
		return result, plies, true, nil
	case unsure:
		return 0, 0, false, nil
	}
	return 0, 0, true, nil
}

// unknown reports whether a probe gave a value, and drops an error that says that no table has the position.
func unknown(err error) (known bool, bad error) {
	if errors.Is(err, tablefile.ErrNoTable) || errors.Is(err, syzygy.ErrCastling) {
		return false, nil
	}
	return err == nil, err
}
