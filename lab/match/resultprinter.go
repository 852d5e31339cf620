package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"tesla/internal/cores"
	"tesla/lab/match/stats"
)

// ResultPrinter prints the outcome of a match.
type ResultPrinter struct {
	Config   *Config
	Out, Err io.Writer
	JSON     bool
}

// head is the players as they name themselves, and the conditions.
func (m *matchRun) head() *stats.Head {
	c := m.config
	h := &stats.Head{Total: m.schedule.total(), Openings: c.Openings.File, Concurrency: len(m.shared.slots), Machine: machine(), Commit: c.Commit}
	for i := range c.Players {
		p := &c.Players[i]
		plays, _ := m.shared.identity(i)
		h.Players = append(h.Players, stats.Entrant{Name: m.names[i], Condition: c.condition(p).String(), Plays: plays, Settings: p.Settings()})
	}
	return h
}

// machine says what the match is played on.
func machine() string {
	return fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, len(cores.Allowed()))
}

// Print prints what Play returned, and returns the error for the exit code. The result of a match that did not come to its
// end is marked as not final. It goes to Err where Out cannot be written, so that it is not lost.
func (t ResultPrinter) Print(ctx context.Context, table *stats.Table, played error) error {
	games, total := 0, t.Config.Games*len(table.Pairings)
	for i := range table.Pairings {
		games += table.Pairings[i].Games
	}
	interrupted := played != nil && ctx.Err() != nil
	if games == 0 && played != nil && !interrupted {
		return played
	}
	var text strings.Builder
	if t.JSON {
		if err := json.NewEncoder(&text).Encode(TableJSON(table, played, t.Config.Commit)); err != nil {
			return errors.Join(played, fmt.Errorf("writing JSON: %w", err))
		}
	} else {
		if played != nil {
			fmt.Fprintf(&text, "Not final: %d of %d games\n", games, total)
		}
		table.Print(&text)
	}
	_, err := io.WriteString(t.Out, text.String())
	if err != nil {
		_, _ = io.WriteString(t.Err, text.String())
	}
	if interrupted {
		played = fmt.Errorf("match: interrupted after %d of %d games: %s", games, total, played.Error())
	} else if played != nil {
		played = fmt.Errorf("%w (after %d of %d games)", played, games, total)
	}
	return errors.Join(played, err)
}
