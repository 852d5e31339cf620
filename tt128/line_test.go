package tt128

import (
	"slices"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// positionsOf plays UCI moves from the start. It returns the moves, and the positions before each move and after the last.
func positionsOf(t *testing.T, moves ...string) ([]board.Position, []board.Move) {
	t.Helper()
	positions, line := []board.Position{board.StartPosition()}, []board.Move(nil)
	for _, text := range moves {
		at := positions[len(positions)-1]
		m, err := at.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		var next board.Position
		at.Make(m, &next)
		positions, line = append(positions, next), append(line, m)
	}
	return positions, line
}

func storeLine(table *Table, positions []board.Position, line []board.Move) {
	for i, m := range line {
		table.Store(positions[i].Key, i, NewDraft(12, 12, len(line)-i, m, true))
	}
}

func TestLine(t *testing.T) {
	table := newTable(t, 1)
	positions, line := positionsOf(t, "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1")
	storeLine(table, positions, line)
	_, other := positionsOf(t, "d2d4")
	for name, c := range map[string]struct {
		from  int
		known []board.Move
		limit int
		want  []board.Move
	}{
		"whole":                  {0, nil, 50, line},
		"limited":                {0, nil, 3, line[:3]},
		"no move wanted":         {0, nil, 0, nil},
		"after the last entry":   {7, nil, 50, nil},
		"from the middle":        {4, nil, 50, line[4:]},
		"known moves come first": {0, line[:2], 50, line},
		"known, then no entry":   {0, other, 50, other},
	} {
		if got := table.Line(&positions[c.from], c.known, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	// An entry without a move ends the line, as does an estimate without one; an estimate with a move continues it.
	table.Clear()
	storeLine(table, positions, line[:4])
	table.Store(positions[4].Key, 4, NewEstimate(12, 5, 3, line[4], false))
	table.Store(positions[5].Key, 5, NewDraft(12, Infinity, 3, board.NullMove, false))
	if got := table.Line(&positions[0], nil, 50); !slices.Equal(got, line[:5]) {
		t.Errorf("with an estimate: %v, want %v", got, line[:5])
	}
}

func TestLineEndsAtRepetition(t *testing.T) {
	table := newTable(t, 1)
	positions, line := positionsOf(t, "g1f3", "g8f6", "f3g1", "f6g8")
	storeLine(table, positions, line)
	if got := table.Line(&positions[0], nil, 500); !slices.Equal(got, line) {
		t.Errorf("Line = %v, want the four moves of the cycle", got)
	}
}

// TestForgedKeys stores, under the keys of a line, entries as a different position with the same key would write them.
func TestForgedKeys(t *testing.T) {
	positions, line := positionsOf(t, "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6")
	other := boardtest.Position(t, "4k3/8/8/3q4/8/8/3R4/4K3 w - - 0 1")
	capture, err := other.ParseMove("d2d5")
	if err != nil {
		t.Fatal(err)
	}
	forgeries := map[string]board.Move{
		"capture of another board": capture,
		"empty square":             board.NewMove(28, 36, board.Queen, board.None),
		"own piece as target":      board.NewMove(0, 8, board.Rook, board.Pawn),
		"wrong moved type":         board.NewMove(1, 18, board.Bishop, board.None),
		"wrong target type":        board.NewMove(1, 18, board.Knight, board.Rook),
		"castling without right":   board.NewMove(4, 20, board.King, board.King),
	}
	for name, forged := range forgeries {
		for at := range line {
			table := newTable(t, 1)
			storeLine(table, positions, line)
			// The collision: the same key, another position's move, a deep exact score.
			table.Store(positions[at].Key, at, NewDraft(900, 900, 60, forged, true))
			if positions[at].IsLegal(forged) {
				t.Fatalf("%s: %#x is legal at ply %d and forges nothing", name, forged, at)
			}
			if got := table.Line(&positions[0], nil, 50); !slices.Equal(got, line[:at]) {
				t.Errorf("%s at ply %d: Line = %v, want %v", name, at, got, line[:at])
			}
		}
	}
}
