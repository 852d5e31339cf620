package batcher_test

import (
	"slices"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/batcher/batchertest"
	"tesla/models"
)

// openNNUE opens the built-in CPU net.
func openNNUE(t testing.TB, opts batcher.Options) batcher.Backend {
	t.Helper()
	net, err := models.DefaultNNUE()
	if err != nil {
		t.Fatal(err)
	}
	b, err := batcher.NewNNUE(net, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// Every backend that needs no library, alone and behind each decorator, passes the suite.
func TestSuite(t *testing.T) {
	full := batcher.Options{MaxBatch: batchertest.MaxBatch}
	mock := func(t *testing.T) batcher.Backend { return batcher.NewMock(full) }
	nnue := func(t *testing.T) batcher.Backend { return openNNUE(t, full) }
	for name, open := range map[string]func(t *testing.T) batcher.Backend{
		"mock": mock,
		"nnue": nnue,
		"nnue, 3 threads": func(t *testing.T) batcher.Backend {
			return openNNUE(t, batcher.Options{MaxBatch: batchertest.MaxBatch, Threads: 3})
		},
		"mock+cache": func(t *testing.T) batcher.Backend { return batcher.NewCache(mock(t), 1<<20) },
		"nnue+cache": func(t *testing.T) batcher.Backend { return batcher.NewCache(nnue(t), 1<<20) },
		"mock+guard": func(t *testing.T) batcher.Backend { return batcher.NewGuard(mock(t), batcher.GuardOptions{}) },
		"nnue+guard": func(t *testing.T) batcher.Backend { return batcher.NewGuard(nnue(t), batcher.GuardOptions{}) },
	} {
		t.Run(name, func(t *testing.T) { batchertest.Run(t, open) })
	}
}

func TestNNUERaw(t *testing.T) {
	rows, err := batcher.Measure(openNNUE(t, batcher.Options{}), []int{1, 16}, 5*time.Millisecond, nil)
	if err != nil || len(rows) != 2 || rows[1].EPSMean <= 0 || rows[1].RawEPS <= 0 {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestNNUEAllocations(t *testing.T) {
	b, items := openNNUE(t, batcher.Options{Threads: 2}), batcher.Walk(64)
	if err := b.Evaluate(items); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(5, func() { b.Evaluate(items) }); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

// A static value is the net's own: a search of captures changes some values and no policy.
func TestNNUEStatic(t *testing.T) {
	b := openNNUE(t, batcher.Options{}).(batcher.Static)
	quiet, static := batcher.Walk(64), batcher.Walk(64)
	if err := b.Evaluate(quiet); err != nil {
		t.Fatal(err)
	}
	if err := b.EvaluateStatic(static); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i := range quiet {
		if quiet[i].Eval.Q != static[i].Eval.Q {
			changed++
		}
		quiet[i].Eval = static[i].Eval
		if d := quiet[i].Difference(static[i]); d != 0 {
			t.Errorf("item %d: the policy differs by %v", i, d)
		}
	}
	if changed == 0 {
		t.Error("no value of 64 changes by a search of captures")
	}
}

// Values without policies, and policies alone, are those of Evaluate, bit for bit, also from a cache.
func TestLazy(t *testing.T) {
	nnue := openNNUE(t, batcher.Options{})
	for name, b := range map[string]batcher.Backend{
		"nnue": nnue, "mock": batcher.NewMock(batcher.Options{}), "nnue+cache": batcher.NewCache(nnue, 1<<20),
	} {
		lazy, want, got := batcher.LazyOf(b), batcher.Walk(64), batcher.Walk(64)
		fill := lazy.Policies()
		for round := range 2 {
			if err := lazy.EvaluateValues(got); err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				if err := b.Evaluate(want); err != nil { // a cache has values of these alone
					t.Fatal(err)
				}
			}
			for i, it := range got {
				if fill(it); it.Eval != want[i].Eval || !slices.Equal(it.Policy, want[i].Policy) {
					t.Fatalf("%s, round %d: item %d is %+v, want %+v", name, round, i, it, want[i])
				}
			}
		}
	}
	cache := batcher.NewCache(nnue, 1<<20)
	for range 2 {
		if err := batcher.LazyOf(cache).EvaluateValues(batcher.Walk(64)); err != nil {
			t.Fatal(err)
		}
	}
	if s := cache.Stats(); s.Hits < 64 {
		t.Errorf("%+v: values are not remembered", s)
	}
	if batcher.LazyOf(batcher.NewCache(struct{ batcher.Backend }{nnue}, 1<<20)) != nil {
		t.Error("a cache leaves out policies that its backend cannot")
	}
}
