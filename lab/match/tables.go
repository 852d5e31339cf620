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
type tables struct {
	*tablebase.Tables
	path string
}

// openTables opens the tables of TB, and reports folders that cannot be read or that have no tables. The folders are
// listed once: tables of the same path that are open stay so.
func (a *Adjudication) openTables() error {
	if a.tables != nil && a.tables.path == a.TB {
		return nil
	}
	a.tables = nil
	if a.TB == "" {
		return nil
	}
	t, bad := tablebase.Open(tablebase.Paths{Syzygy: a.TB})
	if len(bad) > 0 {
		return errors.Join(append(bad, t.Close())...)
	}
	if len(t.SyzygyFiles()) == 0 {
		return errors.Join(fmt.Errorf("%s: no Syzygy tables", a.TB), t.Close())
	}
	a.tables = &tables{t, a.TB}
	return nil
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
func (t *tables) result(p *board.Position) (text string, known bool) {
	if t == nil {
		return "", false
	}
	result, known, _ := t.Outcome(p) // Tell says what is bad
	if p.Black {
		result = -result
	}
	return [...]string{blackWins, drawn, whiteWins}[result+1], known
}
