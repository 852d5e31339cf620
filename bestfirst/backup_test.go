package bestfirst

import (
	"fmt"
	"math"
	"testing"

	"tesla/search"
)

// What a node is worth to its parent is the mean of its own value and its moves' by evaluations, less the further one
// lies below the best; with width=0 its best move's.
func TestAverage(t *testing.T) {
	for _, width := range []float64{0, 0.3} {
		s := open(t, newMock(t), Options{Tuning: tuned(fmt.Sprintf("share=off evidence=0 width=%v", width)), BatchSize: 1})
		run(s, gameOf(t, "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8"), search.Limits{Evals: 2000})
		seen := 0
		for i := range s.promoter.tree.Nodes.Items[:s.promoter.tree.Nodes.Top()] {
			n := &s.promoter.tree.Nodes.Items[i]
			if n.flags&nodeUsed == 0 || n.flags&nodeProven != 0 || n.n < 8 {
				continue
			}
			if n.n >= 1<<rareLevel { // what came last is not in the mean yet
				s.promoter.policy.refresh(n, nil)
			}
			best, proven := -2.0, false
			for k := range int(n.tried) {
				e := s.promoter.tree.edge(n, k)
				best, proven = max(best, float64(qOf[uint16(e.value)])), proven || e.has(edgeProven)
			}
			if proven {
				continue
			}
			all, sum := 1.0, float64(n.base)
			for k := range int(n.tried) {
				e := s.promoter.tree.edge(n, k)
				q := float64(qOf[uint16(e.value)])
				x := (best - q) / 0.3
				w := float64(e.n) / (1 + x + x*x/2)
				all, sum = all+w, sum+w*q
			}
			want := sum / all
			if width == 0 {
				want = float64(n.q)
			}
			if got := float64(qOf[uint16(n.value)]); math.Abs(got-want) > 1e-3 {
				t.Fatalf("width=%v: a node of %d evaluations is worth %v, want %v", width, n.n, got, want)
			}
			seen++
		}
		if seen < 20 {
			t.Fatalf("%d nodes seen", seen)
		}
	}
}
