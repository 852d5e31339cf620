package batcher

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// faulty is a mock with a fault for each call; nil means none.
type faulty struct {
	Backend
	faults []func(items []*Item) error
	calls  atomic.Int64
}

func (f *faulty) Evaluate(items []*Item) error {
	call := int(f.calls.Add(1))
	if err := f.Backend.Evaluate(items); err != nil {
		return err
	}
	if call <= len(f.faults) && f.faults[call-1] != nil {
		return f.faults[call-1](items)
	}
	return nil
}

// guarded is a guard of a faulty backend, with a mock as spare. told collects what the guard tells; clock is its clock.
func guarded(t *testing.T, clock *time.Time, faults ...func([]*Item) error) (*Guard, *faulty, *[]string) {
	told := &[]string{}
	f := &faulty{Backend: NewMock(Options{MaxBatch: 16}), faults: faults}
	g := NewGuard(f, GuardOptions{Deadline: 100 * time.Millisecond, now: func() time.Time { return *clock },
		Spare: func() (Backend, error) { return NewMock(Options{MaxBatch: 16}), nil },
		Tell:  func(text string) { *told = append(*told, text) }})
	return g, f, told
}

func nanValue(items []*Item) error {
	items[len(items)-1].Eval.Q = float32(math.NaN())
	return nil
}

func nanPolicy(items []*Item) error {
	items[0].Policy[0] = float32(math.NaN())
	return nil
}

func fails([]*Item) error { return errors.New("out of memory") }

// A batch that fails is answered by the spare, and the backend is asked again after a while.
func TestGuard(t *testing.T) {
	want := Walk(16)
	if err := NewMock(Options{}).Evaluate(want); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fault  func([]*Item) error
		reason string
	}{"error": {fails, "out of memory"}, "value": {nanValue, "NaN"}, "policy": {nanPolicy, "NaN"}} {
		t.Run(name, func(t *testing.T) {
			clock := time.Now()
			g, f, told := guarded(t, &clock, nil, c.fault, c.fault)
			ask := func(calls int64) {
				t.Helper()
				items := Walk(16)
				if err := g.Evaluate(items); err != nil {
					t.Fatal(err)
				}
				for i, it := range items {
					if it.Eval != want[i].Eval || !slices.Equal(it.Policy, want[i].Policy) {
						t.Fatalf("item %d is %+v, the spare says %+v", i, it.Eval, want[i].Eval)
					}
				}
				if f.calls.Load() != calls {
					t.Fatalf("%d calls of the backend, want %d", f.calls.Load(), calls)
				}
			}
			ask(1)
			ask(2) // fails
			ask(2) // the spare, at once
			clock = clock.Add(leastRetry)
			ask(3) // fails again: twice the pause
			clock = clock.Add(leastRetry)
			ask(3)
			clock = clock.Add(leastRetry)
			ask(4)
			ask(5)
			if len(*told) != 2 || !strings.Contains((*told)[0], c.reason) || !strings.Contains((*told)[1], "again") {
				t.Errorf("told %q", *told)
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// streams is a backend that takes n batches at a time.
type streams struct {
	Backend
	n int
}

func (s streams) Info() Info {
	info := s.Backend.Info()
	info.Streams = s.n
	return info
}

// Batches that are pending while another fails neither lengthen the pause nor end it.
func TestGuardPending(t *testing.T) {
	var begun sync.WaitGroup
	begun.Add(3)
	failed := make(chan bool)
	late := func(err error) func([]*Item) error {
		return func([]*Item) error {
			begun.Done()
			<-failed
			return err
		}
	}
	f := &faulty{Backend: NewMock(Options{MaxBatch: 16}), faults: []func([]*Item) error{
		func(items []*Item) error {
			begun.Done()
			begun.Wait()
			return fails(items)
		}, late(errors.New("late")), late(nil),
	}}
	var told []string
	g := NewGuard(streams{f, 3}, GuardOptions{Spare: func() (Backend, error) { return NewMock(Options{MaxBatch: 16}), nil },
		Tell: func(text string) {
			if told = append(told, text); len(told) == 1 {
				close(failed)
			}
		}})
	var done sync.WaitGroup
	for range 3 {
		done.Go(func() {
			if err := g.Evaluate(Walk(4)); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if len(told) != 1 || g.pause != leastRetry {
		t.Errorf("told %q, a pause of %v, want one failure and %v", told, g.pause, leastRetry)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// A batch that hangs is given up, the backend holds nothing of the caller's, and it is used again once it has answered.
func TestGuardHang(t *testing.T) {
	clock, release, returned := time.Now(), make(chan bool), make(chan bool)
	g, f, told := guarded(t, &clock, func(items []*Item) error {
		<-release
		for _, it := range items {
			it.Eval.Q, it.Policy[0] = 7, 7
		}
		close(returned)
		return nil
	})
	items := Walk(16)
	start := time.Now()
	if err := g.Evaluate(items); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 90*time.Millisecond || took > 5*time.Second {
		t.Errorf("given up after %v", took)
	}
	clock = clock.Add(mostRetry)
	if err := g.Evaluate(Walk(16)); err != nil || f.calls.Load() != 1 {
		t.Errorf("%v, %d calls of a backend that hangs", err, f.calls.Load())
	}
	close(release)
	<-returned
	for i, it := range items {
		if err := it.Check(); err != nil {
			t.Errorf("item %d: %v", i, err)
		}
	}
	for end := time.Now().Add(time.Minute); f.calls.Load() == 1 && time.Now().Before(end); {
		clock = clock.Add(mostRetry)
		if err := g.Evaluate(Walk(16)); err != nil {
			t.Fatal(err)
		}
	}
	if f.calls.Load() < 2 || len(*told) != 2 {
		t.Errorf("%d calls after it answered; told %q", f.calls.Load(), *told)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// Three streams hang: their batches and later ones go to the spare, and one notice reaches the user.
func TestGuardStreams(t *testing.T) {
	told := make(chan string, 16)
	gate := make(chan bool)
	g := NewGuard(&gated{Backend: NewMock(Options{MaxBatch: 16}), gates: map[uint32]chan bool{0: gate}, entered: make(chan bool, 1000)}, GuardOptions{
		Deadline: 50 * time.Millisecond, Spare: func() (Backend, error) { return NewMock(Options{}), nil }, Tell: func(text string) { told <- text }})
	var wait sync.WaitGroup
	for range 3 * 20 {
		wait.Go(func() {
			items := Walk(8)
			if err := g.Evaluate(items); err != nil {
				t.Error(err)
			}
			for _, it := range items {
				if err := it.Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	close(gate)
	if len(told) != 1 || !strings.Contains(<-told, "takes over") {
		t.Errorf("%d notices", len(told))
	}
	if err := g.Close(); err != nil && !errors.Is(err, ErrHung) { // unless the goroutines have seen the gate open
		t.Error(err)
	}
}

// Without a spare the caller gets the error. A guard whose backend hangs can be closed.
func TestGuardAlone(t *testing.T) {
	f := &faulty{Backend: NewMock(Options{MaxBatch: 16}), faults: []func([]*Item) error{fails, nil, func([]*Item) error { select {} }}}
	g := NewGuard(f, GuardOptions{Deadline: 20 * time.Millisecond})
	if err := g.Evaluate(Walk(16)); err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Error(err)
	}
	if err := g.Evaluate(Walk(16)); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := g.Evaluate(Walk(16)); !errors.Is(err, ErrHung) {
			t.Error(err)
		}
	}
	if err := g.Close(); !errors.Is(err, ErrHung) {
		t.Error(err)
	}
	g = NewGuard(&faulty{Backend: NewMock(Options{}), faults: []func([]*Item) error{fails}},
		GuardOptions{Spare: func() (Backend, error) { return nil, errors.New("no library") }})
	if err := g.Evaluate(Walk(16)); err == nil || !strings.Contains(err.Error(), "no library") || !strings.Contains(err.Error(), "out of memory") {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestGuardAllocates(t *testing.T) {
	g := NewGuard(NewMock(Options{}), GuardOptions{})
	defer g.Close()
	items := Walk(64)
	if n := testing.AllocsPerRun(50, func() {
		if err := g.Evaluate(items); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}
