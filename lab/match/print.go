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
