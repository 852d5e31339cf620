package match

import (
	"fmt"
	"io"

	"tesla/lab/match/stats"
)

// Print writes the result of games that were read, and the games that do not count.
func (g *Games) Print(out io.Writer, r *stats.Result) {
	fmt.Fprintf(out, "%s - %s\n%s", g.Names[0], g.Names[1], r.Text())
	for _, n := range []struct {
		count int
		what  string
	}{{g.Unpaired, "without a partner"}, {g.Others, "of other players, not counted"}, {len(g.Skipped), "skipped"}} {
		if n.count > 0 {
			fmt.Fprintf(out, "Games %s: %d\n", n.what, n.count)
		}
	}
	for _, s := range g.Skipped {
		fmt.Fprintf(out, "  %s\n", s)
	}
}

// JSON is the object that tesla match --stats --json prints of games that were read.
func (g *Games) JSON(r stats.Result, commit string) any {
	return struct {
		stats.Result
		A        string `json:"a"`
		B        string `json:"b"`
		Unpaired int    `json:"unpaired"` // games without a partner
		Skipped  int    `json:"skipped"`  // games without a result
		Others   int    `json:"others"`   // games of players that do not count
		Commit   string `json:"commit"`
	}{r, g.Names[0], g.Names[1], g.Unpaired, len(g.Skipped), g.Others, commit}
}

// TableJSON is the object that tesla match --json prints: the result from the first player's side, who played and how, and with
// more than two players the ratings and all pairings. The error is that of Play: with one, the result is not final.
func TableJSON(t *stats.Table, played error, commit string) any {
	r := struct {
		stats.Result
		Match       *stats.Head     `json:"match,omitempty"`
		Players     []stats.Rating  `json:"players,omitempty"`
		Pairings    []stats.Pairing `json:"pairings,omitempty"`
		Interrupted bool            `json:"interrupted,omitempty"` // the result is not final
		Error       string          `json:"error,omitempty"`       // why
		Commit      string          `json:"commit"`
	}{Result: t.First(), Match: t.Head, Interrupted: played != nil, Commit: commit}
	if played != nil {
		r.Error = played.Error()
	}
	if len(t.Players) > 2 {
		r.Players, r.Pairings = t.Players, t.Pairings
	}
	return r
}
