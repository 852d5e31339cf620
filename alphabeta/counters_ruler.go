//go:build ruler

package alphabeta

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tesla/search"
)

// counters count what happens in a search, by the names that scripts/alphabeta/ruler reads. They are never cleared.
type counters struct{ by map[string]int64 }

func (c *counters) add(name string, n int64) {
	if c.by == nil {
		c.by = map[string]int64{}
	}
	c.by[name] += n
}

// node counts a node of the search, quiet one of the quiescence search.
func (c *counters) node()  { c.add("nodes", 1) }
func (c *counters) quiet() { c.add("quiet", 1) }

// end counts how a node ended before its moves were searched, or by them.
func (c *counters) end(how string) { c.add("end-"+how, 1) }

// leave counts how the moves of a node ended, and how many were tried.
func (c *counters) leave(n *node) {
	switch {
	case n.best >= n.beta:
		c.end("cut")
		c.add("cut-moves", int64(n.tried))
		if n.tried == 1 {
			c.add("cut-first", 1)
		}
	case n.best <= n.asked:
		c.end("low")
		c.add("low-moves", int64(n.tried))
	default:
		c.end("exact")
	}
}

// probe counts a probe of the table in the search.
func (c *counters) probe(found bool) {
	c.add("probes", 1)
	if found {
		c.add("hits", 1)
	}
}

// extend counts a move that is searched deeper, or less deep where by is negative.
func (c *counters) extend(by int) {
	if by != 0 {
		c.add(fmt.Sprintf("extended%+d", by), 1)
	}
}

// late counts a move after the first, which was searched less deep by some plies at first, and whether it exceeded alpha.
func (c *counters) late(by int, high bool) {
	by = max(-1, min(by, 6))
	c.add(fmt.Sprintf("late%d", by), 1)
	c.add("late-plies", int64(by))
	if high {
		c.add(fmt.Sprintf("high%d", by), 1)
	}
}

// again counts a reduced move that exceeded alpha and was searched again, and whether it did so then.
func (c *counters) again(held bool) {
	c.add("again", 1)
	if held {
		c.add("held", 1)
	}
}

// report tells all counts as one line. to may be nil.
func (c *counters) report(to func(search.Info)) {
	if to == nil {
		return
	}
	var line strings.Builder
	line.WriteString("ruler")
	for _, name := range slices.Sorted(maps.Keys(c.by)) {
		fmt.Fprintf(&line, " %s=%d", name, c.by[name])
	}
	to(search.Info{Text: line.String()})
}
