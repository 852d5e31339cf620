package bestfirst

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/internal/slow"
	"tesla/search"
	"tesla/search/treesearch"
)

// The words that make the baseline the plain search of AlphaZero, and those that give it all that the best-first search has.
const (
	plainPUCT = "correct=0 share=off deviation=0"
	fairPUCT  = "correct=0.4 share=on deviation=0.4"
)

// baseline is options of the baseline with some words changed.
func baseline(deepened bool, words string) Options {
	o := DefaultPUCT(deepened)
	if err := search.SetOptions(&o, words); err != nil {
		panic(err)
	}
	return Options{PUCT: &o}
}

func TestPUCT(t *testing.T) {
	for name, words := range map[string]string{"plain": plainPUCT, "fair": fairPUCT} {
		t.Run(name, func(t *testing.T) {
			slow.Test(t) // the other search runs the same goroutines
			runSuite(t, func(t testing.TB, b batcher.Backend, s setup) *tested {
				o := baseline(len(s.Leaves) > 0, words)
				o.BatchSize, o.Leaves = s.BatchSize, s.Leaves
				o.PUCT.Share = o.PUCT.Share && !s.Alone
				return &tested{Searcher: open(t, b, o)}
			})
		})
	}
}

func TestPUCTTables(t *testing.T) {
	slow.Test(t)
	tableSuite(t, func(t testing.TB, b batcher.Backend, s setup) *tested {
		o := baseline(false, "")
		o.BatchSize, o.Tables = s.BatchSize, s.Tables
		return &tested{Searcher: open(t, b, o)}
	})
}

// The edge that is chosen has the highest bound of the formula, the value of a node is the mean of its own and its edges', and the
// deviation that of their values.
func TestPUCTFormula(t *testing.T) {
	for _, words := range []string{plainPUCT, fairPUCT, "cpuct=2.5 cpuctfactor=0 fpu=0.5 temperature=1"} {
		o := baseline(false, words)
		pr := grown(t, middle, 5000, o)
		seen := 0
		for i := range pr.tree.Nodes.Items[:pr.tree.Nodes.Top()] {
			n := &pr.tree.Nodes.Items[i]
			if n.flags&nodeUsed == 0 || n.flags&nodeProven != 0 || n.tried < 2 || uint32(i) == pr.tree.root {
				continue
			}
			visits, own := float64(n.n), float64(n.n)
			var sum, squares, tried float64
			for k := range int(n.tried) {
				e := pr.tree.edge(n, k)
				q, deviation := float64(qOf[uint16(e.value)]), codeSigma(e.sigmaCode())
				own -= float64(e.n)
				sum += float64(e.n) * q
				squares += float64(e.n) * (q*q + deviation*deviation)
				tried += float64(e.prior) / 65535
			}
			own = max(1, own)
			all, base := visits, float64(n.base)
			if all < own { // reached by other lines, too
				continue
			}
			q := (sum + own*base) / all
			if math.Abs(q-float64(n.q)) > 1e-3 {
				t.Fatalf("%s: node %d has the mean %v, want %v", words, i, n.q, q)
			}
			if want := (squares+own*base*base)/all - q*q; math.Abs(want-float64(n.second)) > 1e-3 {
				t.Fatalf("%s: node %d has the variance %v, want %v", words, i, n.second, want)
			}
			c := o.PUCT.CPuct + o.PUCT.CPuctFactor*math.Log((visits+19652)/19652)
			deviation := math.Sqrt((visits*float64(n.second) + deviationPrior*0.13*0.13) / (visits + deviationPrior))
			c *= 1 - o.PUCT.Deviation + o.PUCT.Deviation*deviation/0.13
			best, want := math.Inf(-1), -1
			for k := range min(int(n.tried)+1, n.made()) {
				e := pr.tree.edge(n, k)
				v := q - o.PUCT.FPU*math.Sqrt(tried)
				if e.has(edgeValued) {
					v = float64(qOf[uint16(e.value)])
				}
				if e.decided() != 0 {
					continue
				}
				if v += c * float64(e.prior) / 65535 * math.Sqrt(max(1, visits-1)) / float64(1+e.n); v > best+1e-6 {
					best, want = v, k
				}
			}
			if got := pr.policy.choose(n, 1); got != want {
				t.Fatalf("%s: node %d: edge %d is chosen, want %d", words, i, got, want)
			}
			seen++
		}
		if seen < 100 {
			t.Errorf("%s: %d nodes seen", words, seen)
		}
	}
}

// Of more lines than moves with an evaluation those that have one are shown.
func TestPUCTLines(t *testing.T) {
	s := open(t, newMock(t), baseline(false, ""))
	shown := map[int]search.Info{}
	if _, err := s.Search(context.Background(), gameOf(t, startFEN), search.Limits{Evals: 1, MultiPV: 20}, func(i search.Info) { shown[i.MultiPV] = i }); err != nil ||
		len(shown) != 1 || shown[1].Score.CP < -1000 {
		t.Errorf("after the root's evaluation: %+v, %v", shown, err)
	}
	r, err := s.Search(context.Background(), gameOf(t, startFEN), search.Limits{Evals: 40, MultiPV: 20}, func(i search.Info) {
		if i.MultiPV == 1 {
			clear(shown)
		}
		shown[i.MultiPV] = i
	})
	valued := 0
	for _, m := range s.promoter.RootMoves(0) {
		if m.Valued {
			valued++
		}
	}
	if err != nil || valued < 2 || valued == 20 || len(shown) != valued || shown[1].PV[0] != r.Best {
		t.Fatalf("%d lines of %d moves with a value: %v", len(shown), valued, err)
	}
	for k := 1; k <= valued; k++ {
		if cp := shown[k].Score.CP; cp < -1000 {
			t.Errorf("line %d: %d centipawns", k, cp)
		}
	}
}

// The move played is the one of the best value among those with enough evaluations.
func TestPUCTChoice(t *testing.T) {
	differ := false
	for _, fen := range []string{startFEN, middle} {
		o := baseline(false, "")
		s := open(t, newMock(t), o)
		for evals := int64(100); evals <= 1000; evals += 50 {
			run(s, gameOf(t, fen), search.Limits{Evals: evals})
			order := s.promoter.policy.playOrder()
			most := slices.MaxFunc(order, func(a, b rootMove) int { return int(a.edge.n) - int(b.edge.n) })
			for _, r := range order[1:] {
				if float64(r.edge.n) >= o.PUCT.Choice*float64(most.edge.n) && r.q > order[0].q {
					t.Errorf("%s: %+v is played, %+v is better", fen, order[0], r)
				}
			}
			if float64(order[0].edge.n) < o.PUCT.Choice*float64(most.edge.n) {
				t.Errorf("%s: %+v is played, the most evaluations are %d", fen, order[0], most.edge.n)
			}
			differ = differ || order[0].edge != most.edge
		}
	}
	if !differ {
		t.Error("every best move has the most evaluations: nothing was tested")
	}
}

// The clock ends a search early when no other move can overtake the one to be played, and late while a better one lacks
// evaluations.
func TestPUCTTimeUp(t *testing.T) {
	pr := grown(t, startFEN, 300, baseline(false, ""))
	at := func(evals int64, spent float64) treesearch.Clock {
		return treesearch.Clock{Budget: search.Budget{Soft: time.Second, Hard: 3 * time.Second}, Evals: evals, Counted: evals,
			Spent: time.Duration(spent * float64(time.Second))}
	}
	order := slices.Clone(pr.policy.playOrder())
	set := func(e *edge, n uint32, q float32) {
		e.n = n
		e.settle(int(valueOf(q)), 0)
	}
	set(order[0].edge, 900, 0.3)
	set(order[1].edge, 100, 0.1)
	for _, r := range order[2:] {
		set(r.edge, 1, 0)
	}
	for _, c := range []struct {
		evals int64
		spent float64
		lucky bool // a move with few evaluations has a better value
		want  search.End
	}{
		{1000, 0.9, false, search.EndSatisfied}, // 100 evaluations are left, the lead is 800
		{1000, 0.5, false, search.EndUnknown},   // 1,000 are left
		{1000, 1, false, search.EndTime},        // the soft budget
		{1000, 1, true, search.EndUnknown},      //
		{1000, 2, true, search.EndTime},         // most of it
		{leastEvals - 1, 0.9, false, search.EndUnknown},
	} {
		if set(order[2].edge, 1, 0); c.lucky {
			set(order[2].edge, 1, 0.9)
		}
		if got := pr.TimeUp(at(c.evals, c.spent)); got != c.want {
			t.Errorf("%d evaluations, %v seconds, lucky %v: time is up: %v, want %v", c.evals, c.spent, c.lucky, got, c.want)
		}
	}
}
