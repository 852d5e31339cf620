package match

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"tesla/board"
	"tesla/tablebase"
)

// tables are the endgame tables of a match. A nil one knows nothing. Games at a time may use it.
type tables struct{ *tablebase.Tables }

// checkTables reports folders that cannot be read or that have no tables.
func checkTables(path string) error {
	if path == "" {
		return nil
	}
	t, notes := tablebase.Open(tablebase.Paths{Syzygy: path})
	found := len(t.SyzygyFiles())
	if err := t.Close(); err != nil {
		return err
	}
	if len(notes) > 0 {
		return errors.New(strings.Join(notes, "; "))
	}
	if found == 0 {
		return fmt.Errorf("%s has no Syzygy tables", path)
	}
	return nil
}

// openTables opens the tables of the folders, nil for none. say is told of each bad table once.
func openTables(path string, say func(text string)) *tables {
	if path == "" {
		return nil
	}
	t, _ := tablebase.Open(tablebase.Paths{Syzygy: path}) // Validate has told the notes
	t.Tell(func(text string) { say(text + ": its positions are played on") })
	return &tables{t}
}

func (t *tables) close() error {
	if t == nil {
		return nil
	}
	return t.Close()
}

// id tells tables that end other games from these: how many files there are, and a hash of their names.
func (t *tables) id() string {
	if t == nil {
		return ""
	}
	names := t.SyzygyFiles()
	hash := sha256.Sum256([]byte(strings.Join(names, " ")))
	return fmt.Sprintf("%d files, %x", len(names), hash[:8])
}

// result is the result of a position, where tables know it. With a bad table the game goes on.
func (t *tables) result(p *board.Position) (s score, known bool) {
	if t == nil {
		return 0, false
	}
	result, known, _ := t.Outcome(p) // Tell says what is bad
	if p.Black {
		result = -result
	}
	return score(result), known
}
