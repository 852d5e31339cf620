package calibrate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/board"
)

var nan = math.NaN()

// TestAdd checks which samples of a node become changes, and which its first evaluation.
func TestAdd(t *testing.T) {
	proven := func(samples []bestfirst.Sample, i int) []bestfirst.Sample {
		samples[i].Proven = true
		return samples
	}
	best := trace(0.5)
	best[0].Nats = -1
	first := []First{{Search: 3, Nats: 1.5, Loss: 0.75}}
	for _, c := range []struct {
		name    string
		samples []bestfirst.Sample
		firsts  []First
		moved   [][len(Plies)]float64
	}{
		{"one sample", trace(0.5), first, [][3]float64{{nan, nan, nan}}},
		{"a prior above that of the first sibling", best, nil, [][3]float64{{nan, nan, nan}}},
		{"each number of plies", trace(0.5, 0.75, 0.25, 0, -0.25), first,
			[][3]float64{{0.25, -0.25, -0.75}, {-0.5, -0.75, nan}, {-0.25, -0.5, nan}, {-0.25, nan, nan}, {nan, nan, nan}}},
		{"no beginning", old(trace(0.5, 0.75)), nil, nil},
		{"proven at once", proven(trace(0.5, 0.75), 0), nil, nil},
		{"a win proven later", proven(trace(0.5, 0.75, 1.5, 1.5), 2), first, [][3]float64{{0.25, 0.5, nan}, {0.25, 0.25, nan}}},
		{"a loss proven later", proven(trace(0.5, -1.5), 1), first, [][3]float64{{-1.5, nan, nan}}},
		{"a node in the place of a reclaimed one", append(trace(0.5, 0.75), trace(0.5, 0)...), append(first, first...),
			[][3]float64{{0.25, nan, nan}, {nan, nan, nan}, {-0.5, nan, nan}, {nan, nan, nan}}},
		{"a node in the place of the reclaimed root", append(old(trace(0.5, 0.75)), trace(0.5, 0)...), first,
			[][3]float64{{-0.5, nan, nan}, {nan, nan, nan}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l Log
			l.add(3, c.samples)
			if !slices.Equal(l.Firsts, c.firsts) {
				t.Errorf("first evaluations %v, want %v", l.Firsts, c.firsts)
			}
			if len(l.Changes) != len(c.moved) {
				t.Fatalf("%d changes, want %d", len(l.Changes), len(c.moved))
			}
			for i, want := range c.moved {
				for k, plies := range Plies {
					if got := l.Changes[i].Moved[k]; got != want[k] && !(math.IsNaN(got) && math.IsNaN(want[k])) {
						t.Errorf("change %d moved %v in %d plies, want %v", i, got, plies, want[k])
					}
				}
			}
		})
	}
}

// TestAddCopies checks what a change keeps of its sample, and when it has a final value.
func TestAddCopies(t *testing.T) {
	var l Log
	l.add(3, trace(0.5, 0.25, 0, 0, 0, 0, 1.25))
	for i := range l.Changes {
		c := &l.Changes[i]
		if c.Search != 3 || c.N != float64(int(1)<<i) || c.Missing != float64(i) || c.Asked != float64(float32(0.05)) {
			t.Errorf("change %d: %+v", i, c)
		}
		near(t, "sigma", c.Sigma, sigma, 1e-6)
		want := nan // the last value has 64 evaluations: 32 times those of the first two
		if i < 2 {
			want = 1 - []float64{0.5, 0.25}[i]
		}
		near(t, "final", c.Final, want, 0)
	}
}

func TestClip(t *testing.T) {
	for q, want := range map[float64]float64{-1.5: -1, -1: -1, -0.25: -0.25, 0: 0, 1: 1, 1.001: 1} {
		near(t, "clip", clip(q), want, 0)
	}
}

// TestSplit checks that the last fifth of the searches, not of the records, is held out.
func TestSplit(t *testing.T) {
	l := &Log{Searches: 11}
	for search := range l.Searches {
		for range search {
			l.Changes = append(l.Changes, Change{Search: search})
		}
		l.Firsts = append(l.Firsts, First{Search: search})
	}
	train, test := l.Split()
	for _, c := range train.Changes {
		if c.Search >= 8 {
			t.Errorf("a change of search %d of 11 is in the training part", c.Search)
		}
	}
	for _, f := range test.Firsts {
		if f.Search < 8 {
			t.Errorf("a first evaluation of search %d of 11 is held out", f.Search)
		}
	}
	got := [4]int{len(train.Changes), len(test.Changes), len(train.Firsts), len(test.Firsts)}
	if want := [4]int{28, 27, 8, 3}; got != want {
		t.Errorf("changes and first evaluations of the parts: %v, want %v", got, want)
	}
}

func TestPromotions(t *testing.T) {
	l := &Log{Changes: []Change{changed(1, 0.1), changed(1, 0.1, 0), changed(1, 0.1, 0.2, nan, 0.3), changed(1, 0, 0.1, 0.2, 0.3)}}
	if got := l.Promotions(); got != 6 {
		t.Errorf("%d promotions of known outcome, want 6", got)
	}
}

// TestOpening checks that a seed gives one opening of the right length, and that seeds give different ones.
func TestOpening(t *testing.T) {
	keys := map[uint64]bool{}
	for seed := range uint64(20) {
		g, again := opening(rand.New(rand.NewPCG(seed, 0))), opening(rand.New(rand.NewPCG(seed, 0)))
		if len(g.Moves) != openingPlies || g.Outcome() != board.Ongoing {
			t.Errorf("seed %d: %d moves, %v", seed, len(g.Moves), g.Outcome())
		}
		if !slices.Equal(g.Moves, again.Moves) {
			t.Errorf("seed %d gives %v and %v", seed, g.Moves, again.Moves)
		}
		keys[g.Pos.Key] = true
	}
	if len(keys) < 19 {
		t.Errorf("20 seeds give %d openings", len(keys))
	}
}

func TestCollect(t *testing.T) {
	backend := batcher.NewMock(batcher.Options{})
	defer backend.Close()
	var logs [3]*Log
	for i, seed := range []uint64{1, 1, 2} {
		var err error
		if logs[i], err = collect(context.Background(), backend, seed); err != nil {
			t.Fatal(err)
		}
	}
	l := logs[0]
	if !reflect.DeepEqual(l.Firsts, logs[1].Firsts) || len(l.Changes) != len(logs[1].Changes) {
		t.Error("two runs with one seed log different searches")
	}
	if reflect.DeepEqual(l.Firsts, logs[2].Firsts) {
		t.Error("two seeds log the same searches")
	}
	if l.Searches != 6 || l.Promotions() < 1000 || len(l.Firsts) < 2000 {
		t.Errorf("%d searches, %d promotions and %d first evaluations logged", l.Searches, l.Promotions(), len(l.Firsts))
	}
	seen := map[int]bool{}
	for i := range l.Changes {
		c := &l.Changes[i]
		seen[c.Search] = true
		if c.Sigma <= 0 || c.Sigma > 1 || c.N < 1 || c.N > 500 {
			t.Fatalf("change %d: sigma %v, %v evaluations", i, c.Sigma, c.N)
		}
		for k := range Plies {
			if math.Abs(c.Moved[k]) > 2 {
				t.Fatalf("change %d moved by %v", i, c.Moved)
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d of 6 searches have changes", len(seen))
	}
}

// failing is a backend whose device is lost after some batches.
type failing struct {
	batcher.Backend
	left int
}

var errLost = errors.New("device lost")

func (f *failing) Evaluate(items []*batcher.Item) error {
	if f.left--; f.left < 0 {
		return errLost
	}
	return f.Backend.Evaluate(items)
}

// TestCollectEnds checks that a log is either whole or an error.
func TestCollectEnds(t *testing.T) {
	mock := batcher.NewMock(batcher.Options{})
	defer mock.Close()
	ctx, cancel := context.WithCancel(context.Background())
	if l, err := collect(ctx, &failing{mock, 20}, 1); !errors.Is(err, errLost) || l != nil {
		t.Errorf("a lost device: %v, %v", l, err)
	}
	cancel()
	if l, err := collect(ctx, mock, 1); !errors.Is(err, context.Canceled) || l != nil {
		t.Errorf("canceled: %v, %v", l, err)
	}
}
