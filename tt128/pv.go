package tt128

import "tesla/board"

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
	if fits := t.walk(p, maxLine, nil); !fits {
		return 0, false
	}
	return e, true
}

// PV is the principal variation from p, as far as the table has it and at most
// limit moves: the moves of PV entries while they are legal, ending behind the
// move that repeats a position of the line. It is nil when p has no PV entry.
func (t *Table) PV(p *board.Position, limit int) []board.Move {
	var line []board.Move
	t.walk(p, limit, func(m board.Move) { line = append(line, m) })
	return line
}

// walk follows PV entries from p for at most limit moves, calls visit (may be
// nil) with each legal one, and reports whether all moves met were legal.
func (t *Table) walk(p *board.Position, limit int, visit func(board.Move)) bool {
	seen := make([]uint64, 0, maxLine+1)
	at := *p
	for range limit {
		e, ok := t.Probe(at.Key, 0)
		if !ok || !e.PV() || e.Move() == board.NullMove {
			return true
		}
		if !at.IsLegal(e.Move()) {
			return false
		}
		if visit != nil {
			visit(e.Move())
		}
		seen = append(seen, at.Key)
		var next board.Position
		at.Make(e.Move(), &next)
		at = next
		for _, key := range seen {
			if key == at.Key {
				return true
			}
		}
	}
	return true
}
