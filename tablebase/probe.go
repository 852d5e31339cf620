package tablebase

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"tesla/board"
	"tesla/gaviota"
	"tesla/syzygy"
	"tesla/tablefile"
)

// Result is what tables know of a position, for the side to move.
type Result struct {
	WDL  syzygy.WDL `json:"wdl"`          // without a Syzygy table the fifty-move rule is not considered
	DTZ  *int       `json:"dtz"`          // plies; nil: there is no Syzygy table
	DTM  *int       `json:"dtm"`          // plies, negative: the side to move is mated; nil: there is no Gaviota table
	Best string     `json:"best"`         // in UCI form; empty: there is no legal move, or it is not known
	PV   []string   `json:"pv,omitempty"` // the moves to mate, as far as there are Gaviota tables
}

// probe is one probe of a position.
type probe struct {
	tables *Tables
	Result
}

// Probe says what the tables know of a position. It reads what the caches lack. It is an error if no table has the position.
func (t *Tables) Probe(p *board.Position) (Result, error) {
	x := probe{tables: t}
	byDTZ, err := x.addSyzygy(p)
	lacking := err
	if err != nil && (!errors.Is(err, tablefile.ErrNoTable) || t.paths.Gaviota == "") {
		return Result{}, err
	}
	byDTM, err := x.addGaviota(p)
	if err != nil && (!errors.Is(err, tablefile.ErrNoTable) || lacking != nil) {
		return Result{}, err
	}
	x.Best = cmp.Or(byDTM, byDTZ)
	return x.Result, nil
}

// addSyzygy sets the value and DTZ, and returns the best move by DTZ.
func (x *probe) addSyzygy(p *board.Position) (best string, err error) {
	if x.WDL, err = x.tables.syzygy.WDL(p, true); err != nil {
		return "", err
	}
	dtz, err := x.tables.syzygy.DTZ(p, true)
	if err != nil {
		return "", err
	}
	x.DTZ = &dtz
	moves, err := x.tables.syzygy.Rank(p)
	if err == nil && len(moves) > 0 {
		best = p.UCI(moves[0].Move, false)
	}
	return best, err
}

// addGaviota sets DTM and the PV, and the value where Syzygy tables do not say it. It returns the best move by DTM: of
// a drawn position only where Syzygy tables do not say one, of another only where the fifty-move rule lets the PV end
// in mate.
func (x *probe) addGaviota(p *board.Position) (best string, err error) {
	v, err := x.tables.gaviota.DTM(p, true)
	if err != nil {
		return "", err
	}
	wdl := [...]syzygy.WDL{syzygy.Loss, syzygy.Draw, syzygy.Win}[v.Result-gaviota.Loss]
	both := x.DTZ != nil
	if !both {
		x.WDL = wdl
	} else if cmp.Compare(x.WDL, syzygy.Draw) != int(v.Result) {
		return "", fmt.Errorf("tables contradict each other: Syzygy says %s, Gaviota says %s", x.WDL, wdl)
	}
	dtm := int(v.Result) * v.Plies
	x.DTM = &dtm
	if both && v.Result == gaviota.Draw {
		return "", nil
	}
	line, drawn, err := x.tables.line(p, v)
	if err != nil || len(line) == 0 || both && drawn {
		return "", err
	}
	if v.Result != gaviota.Draw {
		at := *p
		for _, m := range line {
			x.PV = append(x.PV, at.UCI(m, false))
			var next board.Position
			at.Make(m, &next)
			at = next
		}
	}
	return p.UCI(line[0], false), nil
}

// line returns the moves of best play to mate, one move only where the position is a draw. It ends early where a table
// lacks. drawn tells that the fifty-move rule ends the game before the mate.
func (t *Tables) line(p *board.Position, v gaviota.Value) (line []board.Move, drawn bool, err error) {
	for at := *p; v.Result == gaviota.Draw && len(line) == 0 || v.Plies > 0; {
		m, err := t.keeps(&at, v)
		if err != nil || m == board.NullMove {
			return line, drawn, err
		}
		line = append(line, m)
		var next board.Position
		at.Make(m, &next)
		at, v = next, gaviota.Value{Result: -v.Result, Plies: max(v.Plies-1, 0)}
		drawn = drawn || v.Plies > 0 && at.Halfmove >= 100
	}
	return line, drawn, nil
}

// keeps returns a move that keeps the value of a position, NullMove where no table shows one.
func (t *Tables) keeps(p *board.Position, v gaviota.Value) (board.Move, error) {
	for _, m := range p.LegalMoves(nil) {
		var next board.Position
		p.Make(m, &next)
		after, err := t.gaviota.DTM(&next, true)
		if err != nil && !errors.Is(err, tablefile.ErrNoTable) {
			return board.NullMove, err
		}
		if err == nil && after.Before() == v {
			return m, nil
		}
	}
	return board.NullMove, nil
}

// String is the result on one line, and the PV on a second one.
func (r Result) String() string {
	text := r.WDL.String()
	if r.DTZ != nil {
		text += fmt.Sprintf(", %s to a capture or pawn move", plies(*r.DTZ))
	}
	if r.DTM != nil {
		switch r.WDL {
		case syzygy.Win, syzygy.CursedWin:
			text += ", mate in " + plies(*r.DTM)
		case syzygy.Loss, syzygy.BlessedLoss:
			text += ", mated in " + plies(-*r.DTM)
		}
	}
	text += ", best " + cmp.Or(r.Best, "none")
	if len(r.PV) > 0 {
		text += "\npv " + strings.Join(r.PV, " ")
	}
	return text
}

func plies(n int) string {
	if n == 1 {
		return "1 ply"
	}
	return fmt.Sprint(n, " plies")
}
