package bestfirst

import (
	"testing"
	"time"

	"tesla/search"
	"tesla/search/treesearch"
)

// lasts is the share of a soft budget of a second after which the clock ends a search of some evaluations. The clock is
// the test's.
func lasts(pr *promoter, evals int64) (share float64) {
	clock := treesearch.Clock{Budget: search.Budget{Soft: time.Second, Hard: time.Minute}, Evals: evals, Counted: evals}
	for pr.TimeUp(clock) == search.EndUnknown {
		share += 0.01
		clock.Spent = time.Duration(share * float64(time.Second))
	}
	return share
}

// A search on a clock ends between the least and the most share of its budget, the later the more its moves are in
// doubt.
func TestSatisfaction(t *testing.T) {
	after := func(fen, options string) float64 {
		s := open(t, newMock(t), Options{Tuning: tuned(options)})
		evals := run(s, gameOf(t, fen), search.Limits{Evals: 200}).Info.Evals
		return lasts(s.promoter, evals)
	}
	if fixed := after(startFEN, "satisfy=off"); fixed < 0.99 || fixed > 1.02 {
		t.Errorf("satisfy=off lasts %.2f budgets", fixed)
	}
	doubtful, sure := after(startFEN, ""), after("k7/8/1K6/8/8/8/8/2R4q w - - 0 1", "")
	if sure < leastShare || sure >= doubtful || doubtful > mostShare+0.02 {
		t.Errorf("a sure move lasts %.2f budgets, a doubtful one %.2f", sure, doubtful)
	}
}

// More evaluations a second make a search last longer, and a move without a rival is played at once.
func TestTimeUp(t *testing.T) {
	pr := grown(t, startFEN, 300, Options{})
	slow, fast := lasts(pr, 3), lasts(pr, 30000)
	if slow >= fast || slow < leastShare || fast > mostShare+0.02 {
		t.Errorf("a slow search lasts %.2f budgets, a fast one %.2f", slow, fast)
	}
	for i := range pr.roots[1:] {
		pr.roots[1+i].edge.settle(-search.MateScore, edgeProven)
	}
	if !pr.policy.(*ranking).forced() || lasts(pr, 300) != 0 {
		t.Error("the clock runs though all other moves lose")
	}
	if pr.roots[1].edge.settle(0, 0); pr.roots[1].edge.lost() || pr.policy.(*ranking).forced() {
		t.Error("a move counts as forced, but another does not lose")
	}
}

// What many evaluations are expected to gain grows with the doublings that they make: a move that is hardly tried does not promise
// its first gain for each of them. A few, beside a move's own, count in proportion.
func TestExpected(t *testing.T) {
	rk := grown(t, startFEN, 300, Options{}).policy.(*ranking)
	if many, twice := rk.expected(1e6), rk.expected(2e6); many <= 0 || twice > 1.15*many {
		t.Errorf("a million evaluations gain %v, two million %v", many, twice)
	}
	for i := range rk.roots {
		if r := &rk.roots[i]; r.edge.n < 16 {
			r.edge.settle(0, edgeProven)
		}
	}
	if few, twice := rk.expected(1), rk.expected(2); few <= 0 || twice < 1.9*few || twice > 2.1*few {
		t.Errorf("an evaluation gains %v, two %v", few, twice)
	}
}

// A move is played at once when all others are known to lose: here those but the king's capture of the queen are mated.
func TestForced(t *testing.T) {
	s := open(t, newMock(t), Options{})
	g := gameOf(t, "r2Qk1nr/pp6/n6p/b1BpN1pP/1qp1B1b1/1P2Pp2/R2P1PP1/4K2R b - - 5 30")
	r := run(s, g, search.Limits{Time: [2]time.Duration{time.Minute}, HasClock: true})
	if r.Info.Evals > 1000 || g.Pos.UCI(r.Best, false) != "e8d8" {
		t.Errorf("%s after %d evaluations", g.Pos.UCI(r.Best, false), r.Info.Evals)
	}
}

// The nominal depth counts doublings of the root's evaluations.
func TestDepth(t *testing.T) {
	pr := grown(t, middle, 300, Options{})
	for n, want := range map[uint32]int{1: 1, 2: 2, 3: 2, 4: 3, 1000: 10, 1024: 11} {
		pr.root().n = n
		if depth := pr.State().Depth; depth != want {
			t.Errorf("%d evaluations: depth %d, want %d", n, depth, want)
		}
	}
}
