package tt128

import (
	"slices"

	"tesla/board"
)

// Line is a line from p of at most limit moves. It begins with known, which are legal moves, and goes on with the moves
// of the entries. It ends before a move that does not fit the board (another position with the same key stored it), and
// after the move that repeats a position of the line.
func (t *Table) Line(p *board.Position, known []board.Move, limit int) []board.Move {
	var line []board.Move
	seen := make([]uint64, 0, MaxDraft+1)
	at := *p
	for i := range limit {
		var m board.Move
		if i < len(known) {
			m = known[i]
		} else {
			e, _ := t.Probe(at.Key, 0)
			m = e.Move()
		}
		if m == board.NullMove || !at.IsLegal(m) {
			break
		}
		line = append(line, m)
		seen = append(seen, at.Key)
		var next board.Position
		at.Make(m, &next)
		at = next
		if slices.Contains(seen, at.Key) {
			break
		}
	}
	return line
}
