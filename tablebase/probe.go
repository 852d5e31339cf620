package tablebase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"tesla/board"
	"tesla/tablebase/gaviota"
	"tesla/tablebase/syzygy"
	"tesla/tablebase/tablefile"
)

// Result is what tables know of a position, for the side to move. The fifty-move rule counts, with the counter as it is.
type Result struct {
	WDL  *syzygy.WDL `json:"wdl"`          // nil: tables leave open whether a win comes in time
	DTZ  *int        `json:"dtz"`          // plies; 0: a draw, or mate; nil: there is no Syzygy table
	DTM  *int        `json:"dtm"`          // plies, negative: the side to move is mated; nil: there is no Gaviota table
	Best string      `json:"best"`         // in UCI form; empty: there is no legal move, or it is not known
	PV   []string    `json:"pv,omitempty"` // the moves to mate that come in time, as far as there are Gaviota tables

	clock     uint8 // of halfmoves
	checkmate bool
}

// probe is one probe of a position.
type probe struct {
	tables *Tables
	Result
}

// Probe says what the tables know of a position. It reads what the caches lack. It is an error if no table has the position.
func (t *Tables) Probe(p *board.Position) (Result, error) {
	x := probe{tables: t, Result: Result{clock: p.Halfmove, checkmate: p.InCheck() && !p.HasLegalMove()}}
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

// setWDL sets the value of a position whose win comes in time or not: cursed or blessed where it does not.
func (x *probe) setWDL(v syzygy.WDL, when timing) {
	if v == syzygy.Win || v == syzygy.Loss {
		switch when {
		case unsure:
			x.WDL = nil
			return
		case late:
			v /= 2
		}
	}
	x.WDL = &v
}

// addSyzygy sets the value and DTZ, and returns the best move by DTZ.
func (x *probe) addSyzygy(p *board.Position) (best string, err error) {
	v, err := x.tables.syzygy.WDL(p, syzygy.Hard)
	if err != nil {
		return "", err
	}
	dtz, err := x.tables.syzygy.DTZ(p, syzygy.Hard)
	if err != nil {
		return "", err
	}
	when := timeOf(p.Halfmove, max(dtz, -dtz))
	if x.checkmate {
		dtz, when = 0, inTime
	}
	x.DTZ = &dtz
	x.setWDL(v, when)
	moves, err := x.tables.syzygy.Rank(p)
	if err == nil && len(moves) > 0 {
		best = p.UCI(moves[0].Move, false)
	}
	return best, err
}

// shownProbes is how many probes a command makes at most to try moves out. It takes a second or two.
const shownProbes = 1_000_000

// addGaviota sets DTM and the PV, and the value where Syzygy tables do not say it. It returns the best move by DTM: of a
// position that is not won or lost in time only where Syzygy tables do not say one.
func (x *probe) addGaviota(p *board.Position) (best string, err error) {
	v, err := x.tables.gaviota.DTM(p, gaviota.Hard)
	if err != nil {
		return "", err
	}
	wdl := [...]syzygy.WDL{syzygy.Loss, syzygy.Draw, syzygy.Win}[v.Result-gaviota.Loss]
	m := x.tables.mates(context.Background(), false, shownProbes)
	both, when := x.DTZ != nil, m.timing(p, v)
	if x.checkmate {
		when = inTime
	}
	if x.WDL == nil {
		x.setWDL(wdl, when)
	} else if cmp.Compare(*x.WDL, syzygy.Draw) != int(v.Result) {
		return "", fmt.Errorf("contradiction of tables: Syzygy says %s, Gaviota says %s", *x.WDL, wdl)
	}
	dtm := int(v.Result) * v.Plies
	x.DTM = &dtm
	if both && (v.Result == gaviota.Draw || when != inTime) {
		return "", nil
	}
	line, err := m.line(p, v)
	if err != nil || len(line) == 0 {
		return "", err
	}
	at := *p
	for _, move := range line {
		if v.Result == gaviota.Draw || when != inTime {
			break
		}
		x.PV = append(x.PV, at.UCI(move, false))
		at = at.After(move)
	}
	return p.UCI(line[0], false), nil
}

// String is the result on one line, and the PV on a second one.
func (r Result) String() string {
	if r.checkmate {
		return "loss, checkmate"
	}
	text := r.value()
	if r.DTZ != nil && *r.DTZ != 0 {
		text += fmt.Sprintf(", %s to a capture or pawn move", plies(*r.DTZ))
	}
	if r.DTM != nil && *r.DTM > 0 {
		text += ", mate in " + plies(*r.DTM)
	} else if r.DTM != nil && *r.DTM < 0 {
		text += ", mated in " + plies(*r.DTM)
	}
	if text += ", best " + cmp.Or(r.Best, "none"); len(r.PV) > 0 {
		text += "\npv " + strings.Join(r.PV, " ")
	}
	return text
}

// value is the value in words, with the counter where the fifty-move rule matters.
func (r Result) value() string {
	var text string
	switch decided := r.WDL == nil || *r.WDL != syzygy.Draw; {
	case !decided:
		return syzygy.Draw.String()
	case r.WDL == nil && (r.DTZ != nil && *r.DTZ > 0 || r.DTZ == nil && *r.DTM > 0):
		text = "win or cursed win"
	case r.WDL == nil:
		text = "loss or blessed loss"
	default:
		if text = r.WDL.String(); *r.WDL == syzygy.Win || *r.WDL == syzygy.Loss {
			return text
		}
	}
	return fmt.Sprintf("%s by the fifty-move rule, whose counter is at %d", text, r.clock)
}

// plies is a distance in words, without its sign.
func plies(n int) string {
	if n = max(n, -n); n == 1 {
		return "1 ply"
	}
	return fmt.Sprint(n, " plies")
}
