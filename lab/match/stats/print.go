package stats

import (
	"fmt"
	"io"
)

// Print writes the result of a match as text: from the first player's side, or of more than two players every pairing
// and the table.
func (t *Table) Print(out io.Writer) {
	if len(t.Players) > 2 {
		for i := range t.Pairings {
			p := &t.Pairings[i]
			fmt.Fprintf(out, "%s - %s: %s\n", p.First, p.Second, p.line())
		}
		fmt.Fprint(out, t)
		for i := range t.Players {
			p := &t.Players[i]
			if p.Ponder != (Pondering{}) {
				fmt.Fprintf(out, "Ponder hits of %s: %s\n", p.Name, p.Ponder)
			}
			printConduct(out, p.Name, p.Plays, p.Incidents, p.Reports)
		}
		return
	}
	r := t.First()
	fmt.Fprint(out, r.Text())
	for i, side := range []string{"a", "b"} {
		printConduct(out, side, r.Plays[i], r.Incidents[i], r.Reports[i])
	}
	if o := r.Overhead; o.Moves > 0 { // workers of a fleet do not measure it
		fmt.Fprintf(out, "Between moves: %.0f us, at most %.0f us in 99 of 100, %.0f us in all\n", o.P50, o.P99, o.Max)
	}
}

// printConduct tells what a player played with, and what happened without losing a game.
func printConduct(out io.Writer, player, plays string, incidents Incidents, reports []string) {
	if plays != "" {
		fmt.Fprintf(out, "Player %s: %s\n", player, plays)
	}
	if incidents != (Incidents{}) {
		fmt.Fprintf(out, "Incidents of %s: %s\n", player, incidents)
	}
	for _, text := range reports {
		fmt.Fprintf(out, "  %s\n", text)
	}
}

func (r *Result) line() string {
	s := fmt.Sprintf("games %d: +%d -%d =%d, pairs %v, Elo %s, LOS %.3f, crashes %d, timeouts %d, illegal %d",
		r.Games, r.Wins, r.Losses, r.Draws, r.Ptnml, r.eloText(), r.LOS, r.Crashes, r.Timeouts, r.Illegal)
	if r.Tables > 0 {
		s += fmt.Sprintf(", ended by tables %d", r.Tables)
	}
	return s
}
