package alphabeta

import (
	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

const (
	// quietPlies bounds a quiescence search; lines of captures are rarely longer.
	quietPlies = 24
	// evasionPlies is the part of it, from its root on, in which checks are answered by all evasions. Below, a check is
	// not noticed.
	evasionPlies = 6
	// deltaMargin is what a capture may win beyond its victim, in centipawns; one that cannot reach alpha so is left out.
	deltaMargin = 148
)

// quiesce is the value, within (alpha, beta) and fail-soft outside, of the position at ply when the side to move may
// stand pat, promote to a queen, or make captures that lose nothing by static exchange. In check it has to move.
func (t *Thread) quiesce(ply, depth, alpha, beta int) int {
	p := &t.pos[ply]
	t.frames[ply].length = 0
	if t.over() {
		return 0
	}
	if p.InsufficientMaterial() || ply > 0 && t.drawn(ply) {
		return 0
	}
	if ply >= maxPly || t.parts.Verify {
		return t.stack.Value(p)
	}
	pv, before := beta-alpha > 1, alpha
	evade := depth < evasionPlies && p.InCheck()
	entry, found := t.table.Probe(p.Key, ply)
	if found && !pv {
		if v, ok := entry.CutsAt(alpha, beta, 0); ok {
			return v
		}
	}
	best, stand := search.MatedIn(ply), infinite
	begin := len(t.moves)
	var k picker
	if evade {
		table := entry.Move()
		if !p.IsLegal(table) {
			table = board.NullMove
		}
		k = t.pick(p, ply, table)
	} else {
		stand = t.static(ply)
		best = stand
		if found {
			best = t.better(entry, stand)
		}
		if best >= beta || depth == quietPlies {
			return best
		}
		alpha = max(alpha, best)
		k = t.pickCaptures(p, entry.Move())
	}
	choice := board.NullMove
	for {
		m, score, ok := k.next()
		if !ok || evade && score < 0 && best > -decided && m.IsCapture() {
			break
		}
		if !evade {
			if most := stand + p.Gain(m) + deltaMargin; most <= alpha {
				best = max(best, most)
				continue
			}
			if !p.SEE(m, 0) {
				continue
			}
		}
		t.push(ply, m)
		v := -t.quiesce(ply+1, depth+1, -beta, -alpha)
		t.stack.Pop()
		if t.stopped {
			break
		}
		if v > best {
			best, choice = v, m
			if v > alpha {
				alpha = v
				if pv {
					t.extendPV(ply, m)
				}
			}
			if v >= beta {
				break
			}
		}
	}
	t.moves = t.moves[:begin]
	if !t.stopped {
		lower, upper := tt128.Window(best, before, beta)
		t.table.Store(p.Key, ply, tt128.NewDraft(lower, upper, 0, choice, false))
	}
	return best
}

// better is a static value improved by what the table knows.
func (t *Thread) better(e tt128.Entry, static int) int {
	if e.Kind() == tt128.Estimate {
		return static
	}
	if lower := e.Lower(); lower > static && lower < decided {
		return lower
	}
	if upper := e.Upper(); upper < static && upper > -decided {
		return upper
	}
	return static
}
