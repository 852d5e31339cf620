package replay

import (
	"math/rand/v2"
	"testing"
	"time"

	"tesla/search/alphabeta"
)

// task is a task of nodes, then forks.
func task(lead int64, forks ...*alphabeta.Fork) alphabeta.Task {
	t := alphabeta.Task{Lead: lead}
	for _, f := range forks {
		t.Parts = append(t.Parts, alphabeta.Part{Fork: f})
	}
	return t
}

// fork is a fork of moves without forks of their own.
func fork(cut bool, left int, work ...int64) *alphabeta.Fork {
	f := &alphabeta.Fork{Cut: cut, Left: left, Depth: 5}
	for _, w := range work {
		f.Moves = append(f.Moves, task(w))
	}
	return f
}

// Trees whose times are known. A node takes a microsecond.
func TestKnownTrees(t *testing.T) {
	fan := fork(false, 0, 100, 100, 100, 100)
	nested := &alphabeta.Fork{Depth: 8, Moves: []alphabeta.Task{task(10, fork(false, 0, 100, 100)), task(110)}}
	for name, c := range map[string]struct {
		tree       alphabeta.Task
		processors int
		message    time.Duration
		want       [3]int64 // microseconds with Greedy, Offers, Joins
	}{
		"a chain":             {task(500), 8, 0, [3]int64{500, 500, 500}},
		"a fan":               {task(0, fan), 4, 0, [3]int64{100, 100, 100}},
		"too few":             {task(50, fan), 3, 0, [3]int64{250, 250, 250}},
		"messages":            {task(0, fan), 4, 2000, [3]int64{102, 104, 104}}, // tied: back to the owner, too
		"one after the other": {task(0, fan, fan), 2, 0, [3]int64{400, 400, 400}},
		"an early cut":        {task(0, fork(true, 20, 10, 100)), 2, 0, [3]int64{100 + 0, 100 + unwindNodes, 100 + unwindNodes}},
		"the cut is soon":     {task(0, fork(true, 0, 100, 10)), 2, 0, [3]int64{10, 10 + unwindNodes, 10 + unwindNodes}},
		"help the helper":     {task(0, nested), 3, 0, [3]int64{110, 110, 110}},
		"help from above":     {task(0, &alphabeta.Fork{Depth: 8, Moves: []alphabeta.Task{task(50), task(100, fan)}}), 2, 0, [3]int64{300, 300, 300}},
		"offered by a helper": {task(0, &alphabeta.Fork{Depth: 8, Moves: []alphabeta.Task{task(150), task(0, fork(false, 0, 100, 100))}}), 3, 0, [3]int64{150, 150, 150}},
	} {
		for s, want := range c.want {
			got := Run(&c.tree, Machine{c.processors, time.Microsecond, c.message, Scheduler(s)})
			if got.Time != time.Duration(want)*time.Microsecond {
				t.Errorf("%s, scheduler %d: %v, want %d µs", name, s, got.Time, want)
			}
		}
	}
}

// Moves behind a cut are a waste, whether they end before the cut or not. Each takes the mean of the later moves that
// did not cut at nodes of its kind and depth, here of 30 and 50; where there is none, what the first move took.
func TestWaste(t *testing.T) {
	cut := fork(true, 2, 10, 100)
	tree := task(0, cut)
	got := Run(&tree, Machine{2, time.Microsecond, 0, Greedy})
	if got.Wasted != 20*time.Microsecond || got.Busy != 130*time.Microsecond {
		t.Errorf("%+v", got)
	}
	other := fork(false, 0, 1000, 30, 50)
	tree = task(0, cut, other)
	if got = Run(&tree, Machine{2, time.Microsecond, 0, Greedy}); got.Wasted != 80*time.Microsecond {
		t.Errorf("%+v after 30 and 50", got)
	}
	if other.Kind = alphabeta.CutNode; Run(&tree, Machine{2, time.Microsecond, 0, Greedy}).Wasted != 20*time.Microsecond {
		t.Error("moves of another kind of node count")
	}
}

// random is a tree of some depth.
func random(rng *rand.Rand, depth int) alphabeta.Task {
	t := alphabeta.Task{Lead: 1 + rng.Int64N(40)}
	for range rng.IntN(3) {
		if depth == 0 {
			break
		}
		f := &alphabeta.Fork{Depth: depth, Cut: rng.IntN(2) == 0}
		for range 1 + rng.IntN(6) {
			f.Moves = append(f.Moves, random(rng, depth-1))
		}
		if f.Cut {
			f.Left = rng.IntN(5)
		}
		t.Parts = append(t.Parts, alphabeta.Part{Fork: f, After: rng.Int64N(9)})
	}
	return t
}

// One processor takes the time of the work, and very many that of the critical path. Where nothing cuts, no number of
// processors is faster than the path or the share of the work, and greedy ones keep to the bound of Graham (1966).
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 56))
	for i := range 60 {
		tree := random(rng, 3)
		work, path := time.Duration(Work(&tree)), time.Duration(Path(&tree))
		for s := Greedy; s <= Joins; s++ {
			one := Run(&tree, Machine{1, 1, 1000, s})
			if one.Time != work || one.Busy != work || one.Messages != 0 || one.Wasted != 0 {
				t.Fatalf("tree %d, scheduler %d: %+v with one processor, the work is %d", i, s, one, work)
			}
			for _, n := range []int{2, 7} {
				got := Run(&tree, Machine{n, 1, 3, s})
				if again := Run(&tree, Machine{n, 1, 3, s}); again != got || got.Busy > time.Duration(n)*got.Time {
					t.Fatalf("tree %d, scheduler %d: %+v, then %+v", i, s, got, again)
				}
			}
		}
		if got := Run(&tree, Machine{5000, 1, 0, Greedy}); got.Time != path {
			t.Fatalf("tree %d: %d with very many processors, the path is %d", i, got.Time, path)
		}
	}
}
