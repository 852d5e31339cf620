package tablebase

import (
	"context"
	"errors"

	"tesla/board"
	"tesla/tablebase/gaviota"
	"tesla/tablebase/tablefile"
)

// The fifty-move rule and distances. A position is drawn by the rule when the halfmove clock is at limit and it is not
// mate. Syzygy tables say how soon the winner can capture or move a pawn, to a ply or two. Gaviota tables do not: where a
// mate comes after the clock's end, moves have to be tried out.
const limit = 100

// timing reports whether a win comes in time by the fifty-move rule.
type timing int8

const (
	late   timing = iota - 1 // the rule draws the game first
	unsure                   // the tables leave it open
	inTime
)

// timeOf is the timing of a win with a distance to the next capture or pawn move, by Syzygy tables. Beyond a clock of 0
// the distance may be one ply too short.
func timeOf(clock uint8, plies int) timing {
	switch end := int(clock) + plies; {
	case end < limit || end == limit && clock == 0:
		return inTime
	case end == limit:
		return unsure
	}
	return late
}

// mates finds out which mates of Gaviota tables come in time. It is used by one goroutine.
type mates struct {
	*gaviota.Tables
	ctx     context.Context // ends what is tried out
	forever bool            // there is no fifty-move rule
	left    int             // the number of probes that may still be made to try moves out
	tried   map[uint64]tried
}

// tried is what is known of a position: the mate comes in time at clocks up to yes, and not from no on.
type tried struct{ yes, no uint8 }

// proofProbes is how many probes a search makes at most to try moves out. It takes about a tenth of a second.
const proofProbes = 50_000

func (t *Tables) mates(ctx context.Context, forever bool, probes int) *mates {
	return &mates{t.gaviota, ctx, forever, probes, map[uint64]tried{}}
}

// timing reports whether the mate of a value comes in time against every defence.
func (m *mates) timing(p *board.Position, v gaviota.Value) timing {
	switch {
	case m.holds(p, v):
		return inTime
	case bare(p):
		return late
	}
	return unsure
}

// bare reports whether no capture or pawn move keeps a win: a lone king plays against one piece or two minor ones. There the
// distance to mate says all.
func bare(p *board.Position) bool {
	if p.Pawns != 0 || p.Ours != p.Ours&p.Kings && p.Theirs != p.Theirs&p.Kings {
		return false
	}
	pieces := (p.Occupied() &^ p.Kings).Count()
	return pieces == 1 || pieces == 2 && p.Rooks|p.Queens == 0
}

// holds reports whether moves that keep the distance to mate, against every defence, mate before the fifty-move rule ends
// the game. false may mean that too many would have to be tried.
func (m *mates) holds(p *board.Position, v gaviota.Value) bool {
	switch clock := p.Halfmove; {
	case m.forever || int(clock)+v.Plies <= limit:
		return true
	case clock >= limit || m.left <= 0 || bare(p):
		return false
	default:
		known, found := m.tried[p.Key]
		if !found {
			known.no = limit
		}
		if found && clock <= known.yes || clock >= known.no {
			return found && clock <= known.yes
		}
		holds := m.tries(p, v)
		if holds {
			known.yes = max(known.yes, clock)
		} else if m.left > 0 && m.ctx.Err() == nil {
			known.no = min(known.no, clock)
		}
		m.tried[p.Key] = known
		return holds
	}
}

// tries is holds by the moves of a position: one of the winner's, or all of the other side's.
func (m *mates) tries(p *board.Position, v gaviota.Value) bool {
	for _, move := range p.LegalMoves(nil) {
		next := p.After(move)
		m.left--
		after, err := m.DTM(&next, gaviota.Hard)
		if v.Result == gaviota.Loss && (err != nil || m.ctx.Err() != nil || !m.holds(&next, after)) {
			return false
		}
		if v.Result == gaviota.Win && err == nil && after.Before() == v && m.holds(&next, after) {
			return true
		}
	}
	return v.Result == gaviota.Loss
}

// line returns the moves of best play to a mate that holds, one move only where the position is a draw. It ends early
// where a table lacks.
func (m *mates) line(p *board.Position, v gaviota.Value) (line []board.Move, err error) {
	for at := *p; v.Result == gaviota.Draw && len(line) == 0 || v.Plies > 0; {
		move, next, err := m.keeps(&at, v)
		if err != nil || move == board.NullMove {
			return line, err
		}
		line = append(line, move)
		at, v = next, gaviota.Value{Result: -v.Result, Plies: max(v.Plies-1, 0)}
	}
	return line, nil
}

// keeps returns a move that keeps the value of a position, where it can in time, and the position after it: NullMove where
// no table shows one.
func (m *mates) keeps(p *board.Position, v gaviota.Value) (move board.Move, after board.Position, err error) {
	for _, x := range p.LegalMoves(nil) {
		next := p.After(x)
		value, err := m.DTM(&next, gaviota.Hard)
		if err != nil && !errors.Is(err, tablefile.ErrNoTable) {
			return board.NullMove, next, err
		}
		if err != nil || value.Before() != v {
			continue
		}
		if v.Result != gaviota.Win || m.holds(&next, value) {
			return x, next, nil
		}
		if move == board.NullMove {
			move, after = x, next
		}
	}
	return move, after, nil
}
