package stats

import (
	"fmt"
	"strings"
)

// Head says who plays a match, and how.
type Head struct {
	Players     []Entrant `json:"players"`
	Total       int       `json:"total"` // games of the whole match
	Openings    string    `json:"openings"`
	Concurrency int       `json:"concurrency"` // 0: not known
	Machine     string    `json:"machine"`
	Commit      string    `json:"commit"`
}

// Entrant is a player of a Head.
type Entrant struct {
	Name      string `json:"name"`
	Condition string `json:"condition"`          // what limits its moves
	Plays     string `json:"plays,omitempty"`    // what it says of itself, its threads and its hash; empty: not known
	Settings  string `json:"settings,omitempty"` // that it was given, see player.Player.Settings
}

// String has a line for each player, and one for the match.
func (h *Head) String() string {
	var b strings.Builder
	for i := range h.Players {
		p := &h.Players[i]
		fmt.Fprintf(&b, "%s: %s", p.Name, p.Condition)
		for _, text := range []string{p.Plays, p.Settings} {
			if text != "" {
				b.WriteString(", " + text)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d games, openings %s", h.Total, h.Openings)
	if h.Concurrency > 0 {
		fmt.Fprintf(&b, ", concurrency %d", h.Concurrency)
	}
	fmt.Fprintf(&b, "; commit %s, %s\n", h.Commit, h.Machine)
	return b.String()
}
