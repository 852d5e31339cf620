package tt128

import (
	"slices"

	"tesla/board"
)

// maxLine bounds the walk of Lookup, in plies.
const maxLine = MaxDraft

// Lookup is Probe for the position, with PV entries verified: the line of a PV
// entry is walked on the board, and when a move on it does not fit the board
// (another position with the same key wrote it) the entry is a miss. Entries off
// the principal variation are returned as they are, their move unchecked.
func (t *Table) Lookup(p *board.Position, ply int) (Entry, bool) {
	e, ok := t.Probe(p.Key, ply)
	if !ok || !e.PV() || e.Move() == board.NullMove {
		return e, ok
	}
	if fits := t.walk(p, nil, false, maxLine, nil); !fits {
		return 0, false
	}
	return e, true
}

// PV is the principal variation from p, as far as the table has it and at most
// limit moves: the moves of PV entries while they are legal, ending behind the
// move that repeats a position of the line. It is nil when p has no PV entry.
func (t *Table) PV(p *board.Position, limit int) []board.Move {
	var line []board.Move
	t.walk(p, nil, false, limit, func(m board.Move) { line = append(line, m) })
	return line
}

// Line is a line from p of at most limit moves that begins with known, legal moves, and goes on with the moves of any
// entries, as PV does with those of PV entries.
func (t *Table) Line(p *board.Position, known []board.Move, limit int) []board.Move {
	var line []board.Move
	t.walk(p, known, true, limit, func(m board.Move) { line = append(line, m) })
	return line
}

// walk plays known from p, then follows entries, of any kind or of the PV alone, for at most limit moves in all. It calls
// visit (may be nil) with each legal move, and reports whether all moves met were legal.
func (t *Table) walk(p *board.Position, known []board.Move, any bool, limit int, visit func(board.Move)) bool {
	seen := make([]uint64, 0, maxLine+1)
	at := *p
	for i := range limit {
		var m board.Move
		if i < len(known) {
			m = known[i]
		} else {
			e, ok := t.Probe(at.Key, 0)
			if m = e.Move(); !ok || !any && !e.PV() || m == board.NullMove {
				return true
			}
		}
		if !at.IsLegal(m) {
			return false
		}
		if visit != nil {
			visit(m)
		}
		seen = append(seen, at.Key)
		var next board.Position
		at.Make(m, &next)
		at = next
		if slices.Contains(seen, at.Key) {
			return true
		}
	}
	return true
}
