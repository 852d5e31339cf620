package tt128

import (
	"slices"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// positionsOf plays UCI moves from the start: the positions before each move and
// after the last, and the moves.
func positionsOf(t *testing.T, moves ...string) ([]board.Position, []board.Move) {
	t.Helper()
	positions, line := []board.Position{board.StartPosition()}, []board.Move(nil)
	for _, text := range moves {
		at := positions[len(positions)-1]
		m, err := at.ParseMove(text, false)
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

func TestPV(t *testing.T) {
	table := newTable(t, 1)
	positions, line := positionsOf(t, "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1")
	storeLine(table, positions, line)
	if got := table.PV(&positions[0], 50); !slices.Equal(got, line) {
		t.Errorf("PV = %v, want %v", got, line)
	}
	if got := table.PV(&positions[0], 3); !slices.Equal(got, line[:3]) {
		t.Errorf("PV of at most 3 = %v, want %v", got, line[:3])
	}
	if got := table.PV(&positions[0], 0); got != nil {
		t.Errorf("PV of at most 0 = %v", got)
	}
	if got := table.PV(&positions[7], 50); got != nil {
		t.Errorf("PV behind the line = %v", got)
	}
	// An entry off the PV ends the line.
	table.Clear()
	storeLine(table, positions, line[:4])
	table.Store(positions[4].Key, 4, NewDraft(12, Infinity, 3, line[4], false))
	if got := table.PV(&positions[0], 50); !slices.Equal(got, line[:4]) {
		t.Errorf("PV = %v, want %v", got, line[:4])
	}
	if e, ok := table.Lookup(&positions[0], 0); !ok || e.Move() != line[0] {
		t.Error("Lookup misses a sound PV entry")
	}
}

func TestPVEndsAtRepetition(t *testing.T) {
	table := newTable(t, 1)
	positions, line := positionsOf(t, "g1f3", "g8f6", "f3g1", "f6g8")
	storeLine(table, positions, line)
	if got := table.PV(&positions[0], 500); !slices.Equal(got, line) {
		t.Errorf("PV = %v, want the four moves of the cycle", got)
	}
	if _, ok := table.Lookup(&positions[0], 0); !ok {
		t.Error("Lookup misses a PV entry whose line repeats")
	}
}

// TestForgedKeys stores, under the keys of a line, entries as a different
// position with the same key would write them.
func TestForgedKeys(t *testing.T) {
	positions, line := positionsOf(t, "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6")
	other := boardtest.Position(t, "4k3/8/8/3q4/8/8/3R4/4K3 w - - 0 1")
	capture, err := other.ParseMove("d2d5", false)
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
			// The collision: same key, another position's move, a deep exact score.
			table.Store(positions[at].Key, at, NewDraft(900, 900, 60, forged, true))
			if positions[at].IsLegal(forged) {
				t.Fatalf("%s: %#x is legal at ply %d and forges nothing", name, forged, at)
			}
			if got := table.PV(&positions[0], 50); !slices.Equal(got, line[:at]) {
				t.Errorf("%s at ply %d: PV = %v, want %v", name, at, got, line[:at])
			}
			for ply := range line {
				// From the forged entry upwards the line breaks; below it all is sound.
				e, ok := table.Lookup(&positions[ply], ply)
				if want := ply > at; ok != want || ok && e.Move() != line[ply] {
					t.Errorf("%s at ply %d: Lookup at ply %d hits: %v", name, at, ply, ok)
				}
			}
			if err := table.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestLookupWithoutLine(t *testing.T) {
	table := newTable(t, 1)
	start := board.StartPosition()
	if _, ok := table.Lookup(&start, 0); ok {
		t.Error("Lookup hits in an empty table")
	}
	table.Store(start.Key, 0, NewDraft(3, 3, 4, board.NullMove, true))
	if e, ok := table.Lookup(&start, 0); !ok || e.Lower() != 3 {
		t.Error("Lookup misses a PV entry without a move")
	}
	// Off the PV the move is the caller's to check.
	table.Store(start.Key, 0, NewEstimate(8, 2, 40, board.NewMove(28, 36, board.Queen, board.None), false))
	if e, ok := table.Lookup(&start, 0); !ok || e.Midpoint() != 8 {
		t.Error("Lookup misses an entry off the PV")
	}
}
