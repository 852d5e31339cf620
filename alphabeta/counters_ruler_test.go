//go:build ruler

package alphabeta

import (
	"strings"
	"testing"

	"tesla/board/boardtest"
	"tesla/search"
)

// TestCounters checks that every node of a search is counted once by how it ended, and that the counts agree.
func TestCounters(t *testing.T) {
	p := boardtest.Position(t, "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10")
	th := NewThread(net(t), table(t), Mode{})
	th.Deepen(&p, 10, 0, nil)
	c, ends, late := th.counters.by, int64(0), int64(0)
	for name, n := range c {
		if strings.HasPrefix(name, "end-") {
			ends += n
		}
		if strings.HasPrefix(name, "late") && name != "late-plies" {
			late += n
		}
	}
	if c["nodes"] < 1000 || ends != c["nodes"] {
		t.Errorf("%d nodes, %d ends", c["nodes"], ends)
	}
	for _, pair := range [][2]string{{"cut-first", "end-cut"}, {"end-cut", "cut-moves"}, {"held", "again"}, {"hits", "probes"}} {
		if c[pair[0]] == 0 || c[pair[0]] > c[pair[1]] {
			t.Errorf("%s %d, %s %d", pair[0], c[pair[0]], pair[1], c[pair[1]])
		}
	}
	if high := c["high1"] + c["high2"] + c["high3"] + c["high4"] + c["high5"] + c["high6"]; high != c["again"] {
		t.Errorf("%d reduced moves failed high, %d were searched again, of %d", high, c["again"], late)
	}
	told := ""
	th.counters.report(func(i search.Info) { told = i.Text })
	if !strings.HasPrefix(told, "ruler again=") {
		t.Errorf("told %q", told)
	}
}
