package batcher

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestAutoNet opens auto on net files: their kind decides.
func TestAutoNet(t *testing.T) {
	b, notes, err := Open("auto", "../models/nnue.tesla", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.Info().Name != "nnue" || !strings.HasPrefix(b.Info().Library, "kernels ") || len(notes) > 1 {
		t.Errorf("%+v, %q", b.Info(), notes)
	}
	if _, _, err := Open("auto", "../models/doc.go", Options{}); err == nil {
		t.Error("auto opens a file that is no net")
	}
}

func TestStrongest(t *testing.T) {
	a, b := NewMock(Options{}), NewSplit(NewMock(Options{MaxBatch: 8}), 64)
	best, notes, err := strongest([]candidate{{Backend: b, elo: 0}, {Backend: a, elo: 5000}})
	if err != nil || best != a || len(notes) != 1 {
		t.Errorf("%v, %q, %v", best, notes, err)
	}
	t.Log(notes)
	fast, slow := candidate{eps: 8000}, candidate{eps: 1000, elo: 100}
	if d := fast.rating() - slow.rating(); math.Abs(d-(3*eloPerDoubling-100)) > 1e-9 {
		t.Errorf("three doublings against 100 Elo: %v", d)
	}
}

func TestNNUERaw(t *testing.T) {
	rows, err := Measure(openBackend(t, "nnue", Options{}), []int{1, 16}, 5*time.Millisecond)
	if err != nil || len(rows) != 2 || rows[1].EPSMean <= 0 || rows[1].RawEPS <= 0 {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestNNUEAllocations(t *testing.T) {
	b, items := openBackend(t, "nnue", Options{Threads: 2}), walk(64)
	if err := b.Evaluate(items); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(5, func() { b.Evaluate(items) }); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}
