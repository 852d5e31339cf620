package alphabeta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
	"tesla/tt128"
)

// Workers that finish in any order narrow the bounds to the trust, around the true value, in a number of searches that
// grows with the logarithm of the error of the guess.
func TestMTDFConverges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	th := threadAt(t, Mode{}, middleGame)
	for range 300 {
		threads, trust := 1+rnd.IntN(4), []int{0, 4, 32}[rnd.IntN(3)]
		d := newMTDF(threads, Options{Step: 16, Trust: trust})
		c := &d.central
		var workers []*worker
		for range threads { // one thread serves for all, since no search runs
			workers = append(workers, &worker{Thread: th, central: c})
		}
		value, guess := rnd.IntN(4001)-2000, rnd.IntN(4001)-2000
		c.begin(9, guess, nil)
		free := slices.Clone(workers)
		var busy []*worker
		searches := 0
		for {
			for len(free) > 0 && c.take(free[0]) {
				if b := int64(free[0].beta); b <= c.lower.Load() || b > c.upper.Load() {
					t.Fatalf("beta %d is outside the bounds %d and %d", b, c.lower.Load(), c.upper.Load())
				}
				busy, free = append(busy, free[0]), free[1:]
			}
			if c.iteration.Load() == 0 || len(busy) == 0 {
				break
			}
			i := rnd.IntN(len(busy))
			w := busy[i]
			busy, free = slices.Delete(busy, i, i+1), append(free, w)
			if w.stale() {
				c.put(w, noValue)
				continue
			}
			searches++
			var found int // fail-soft: a bound between beta and the value
			if value >= w.beta {
				found = w.beta + rnd.IntN(value-w.beta+1)
			} else {
				found = value + rnd.IntN(w.beta-value)
			}
			c.put(w, found)
		}
		lower, upper := int(c.lower.Load()), int(c.upper.Load())
		if c.iteration.Load() != 0 || lower > value || upper < value || upper-lower > trust {
			t.Fatalf("value %d, guess %d, %d threads, trust %d: ends at %d to %d", value, guess, threads, trust, lower, upper)
		}
		if searches > 60*threads {
			t.Errorf("value %d, guess %d, %d threads: %d searches", value, guess, threads, searches)
		}
		if c.take(workers[0]) {
			t.Error("a beta is given after the iteration")
		}
	}
}

func TestMTDFBetas(t *testing.T) {
	for name, c := range map[string]struct {
		threads, lower, upper, guess, trend, step int
		busy, want                                []int
	}{
		"one thread, at the guess":     {1, -infinite, infinite, 30, 0, 16, nil, []int{30}},
		"three threads, around it":     {3, -infinite, infinite, 30, 0, 16, nil, []int{30, 46, 14}},
		"above a lower bound":          {2, 40, infinite, 40, 1, 32, nil, []int{72, 104}},
		"below an upper bound":         {2, -infinite, 40, 40, -1, 32, nil, []int{8, -24}},
		"evenly between near bounds":   {3, 0, 40, 40, 1, 16, nil, []int{10, 20, 30}},
		"a busy one is left out":       {2, -infinite, infinite, 30, 0, 16, []int{30}, []int{46, 14}},
		"all others are busy":          {1, 10, 11, 11, 1, 16, []int{11}, []int{11}},
		"no beta outside the bounds":   {2, 90, 200, 90, 1, 30, nil, []int{120, 150}},
		"bounds that are next to each": {2, 5, 6, 5, 1, 16, nil, []int{6}},
	} {
		k := central{threads: c.threads, guess: c.guess, trend: c.trend, step: c.step, busy: c.busy}
		k.lower.Store(int64(c.lower))
		k.upper.Store(int64(c.upper))
		k.generate()
		got, want := slices.Clone(k.betas), slices.Clone(c.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// guesses notes what a driver is told of each depth.
type guesses struct {
	*mtdf
	told []int
}

func (d *guesses) iterate(x *running, depth, guess int) (Line, bool) {
	d.told = append(d.told, guess)
	return d.mtdf.iterate(x, depth, guess)
}

// The first depth begins at the static value of the root, the next ones at the value of the depth before.
func TestMTDFFirstGuess(t *testing.T) {
	o := Options{Step: 16, Trust: 16}
	d := &guesses{mtdf: newMTDF(1, o)}
	s, err := newSearcher(d, net(t), table(t), 1, o)
	if err != nil {
		t.Fatal(err)
	}
	const fen = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1" // far from even
	p, scores := boardtest.Position(t, fen), map[int]int{}
	_, err = s.Search(t.Context(), board.NewGame(p), search.Limits{Depth: 3}, func(i search.Info) { scores[i.Depth] = i.Score.CP })
	if err != nil {
		t.Fatal(err)
	}
	th := threadAt(t, Mode{}, fen)
	static, _ := th.stack.ValueAndDraws(&th.pos[0])
	if want := []int{static, scores[1], scores[2]}; !slices.Equal(d.told, want) || max(static, -static) < 50 {
		t.Errorf("guesses %v, want %v", d.told, want)
	}
}

// The step doubles while bounds move in one direction. A search that verifies trusts nothing.
func TestMTDFStepAndTrust(t *testing.T) {
	c := central{firstStep: 16, step: 16}
	for i, m := range []struct{ direction, step int }{{1, 16}, {1, 32}, {1, 64}, {-1, 16}, {-1, 32}, {1, 16}} {
		if c.move(m.direction, 10*i); c.step != m.step || c.guess != 10*i || c.trend != m.direction {
			t.Errorf("bound %d: step %d, want %d; guess %d, trend %d", i, c.step, m.step, c.guess, c.trend)
		}
	}
	if o := (Options{Mode: Mode{Verify: true}, Trust: 32}); newMTDF(1, o).central.trust != 0 {
		t.Error("in Verify mode bounds are trusted")
	}
}

// What is searched is stale when a bound has passed it, or the iteration is over; a late result changes nothing.
func TestMTDFStale(t *testing.T) {
	d, th := newMTDF(3, Options{Step: 16}), threadAt(t, Mode{}, middleGame)
	c := &d.central
	c.begin(4, 0, nil)
	var w [3]*worker
	for i := range w {
		w[i] = &worker{Thread: th, central: c}
		if !c.take(w[i]) {
			t.Fatal("no beta")
		}
	}
	slices.SortFunc(w[:], func(a, b *worker) int { return a.beta - b.beta })
	th.rootLine = []board.Move{moveOf(t, &th.pos[0], "a2a3")}
	c.put(w[1], w[1].beta)
	if !w[0].stale() || w[2].stale() {
		t.Errorf("after a lower bound of %d: beta %d stale %t, beta %d stale %t", w[1].beta, w[0].beta, w[0].stale(), w[2].beta, w[2].stale())
	}
	if c.line.Score != w[1].beta || len(c.line.PV) == 0 || c.line.PV[0] != th.rootLine[0] {
		t.Errorf("the line of the bound is %+v", c.line)
	}
	lower, upper := c.lower.Load(), c.upper.Load()
	c.put(w[0], w[0].beta) // a worse lower bound
	c.put(w[2], noValue)
	if c.lower.Load() != lower || c.upper.Load() != upper || len(c.busy) != 0 {
		t.Errorf("bounds %d to %d, %d busy", c.lower.Load(), c.upper.Load(), len(c.busy))
	}
	c.begin(5, 0, nil)
	if c.put(w[2], w[2].beta+500); c.lower.Load() != int64(leastScore) {
		t.Error("a result of the iteration before counts")
	}
	if !w[2].stale() {
		t.Error("a search of the iteration before is not stale")
	}
}

// What a best-first search before this one estimated of the root is the first guess.
func TestMTDFGuessOfEstimate(t *testing.T) {
	d, tb := &guesses{mtdf: newMTDF(1, Options{Step: 16})}, table(t)
	s, err := newSearcher(d, net(t), tb, 1, Options{Step: 16})
	if err != nil {
		t.Fatal(err)
	}
	p := boardtest.Position(t, middleGame)
	tb.Store(p.Key, 0, tt128.NewEstimate(123, 20, tt128.EffortOf(1000), board.NullMove, true))
	if _, err := s.Search(t.Context(), board.NewGame(p), search.Limits{Depth: 1}, nil); err != nil || d.told[0] != 123 {
		t.Errorf("%v; guesses %v, want 123", err, d.told)
	}
}
