// Package batchertest holds the tests that every backend must pass.
package batchertest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tesla/batcher"
)

// MaxBatch is the MaxBatch that a backend under test must have.
const MaxBatch = 64

// Run runs all tests. open opens a backend with MaxBatch, which the test does not close.
func Run(t *testing.T, open func(t *testing.T) batcher.Backend) {
	t.Run("properties", func(t *testing.T) { properties(t, open(t)) })
	t.Run("order", func(t *testing.T) { order(t, open(t)) })
	t.Run("pipeline", func(t *testing.T) { pipeline(t, open(t)) })
}

// exact is an error unless the probabilities of an item have a sum of one, as far as float32 goes. Backends promise
// more than batcher.Item.Check asks of a net.
func exact(it *batcher.Item) error {
	if err := it.Check(); err != nil {
		return err
	}
	e := it.Eval
	if sum := float64(e.W) + float64(e.D) + float64(e.L); math.Abs(sum-1) > 1e-6 || min(e.W, e.D, e.L) < -1e-6 {
		return fmt.Errorf("the sum W + D + L of %+v is %v", e, sum)
	}
	if math.Abs(float64(e.W-e.L-e.Q)) > 1e-6 {
		return fmt.Errorf("the score of %+v is not W - L", e)
	}
	var sum float64
	for _, p := range it.Policy {
		if p < 0 || p > 1 {
			return fmt.Errorf("probability %v of a move", p)
		}
		sum += float64(p)
	}
	if len(it.Moves) > 0 && math.Abs(sum-1) > 1e-5 {
		return fmt.Errorf("the policy sums to %v", sum)
	}
	return nil
}

// properties checks what package batcher promises of every evaluation, and the limits of a batch.
func properties(t *testing.T, b batcher.Backend) {
	items := batcher.Walk(60)
	if err := b.Evaluate(items); err != nil {
		t.Fatal(err)
	}
	for i, it := range items {
		if err := exact(it); err != nil {
			t.Errorf("item %d %s: %v", i, it.Position.FEN(false), err)
		}
	}
	if err := b.Evaluate(nil); err != nil {
		t.Errorf("empty batch: %v", err)
	}
	if err := b.Evaluate(batcher.Walk(MaxBatch + 1)); err == nil {
		t.Error("a batch above MaxBatch is accepted")
	}
}

// order asks for the same positions in another order and in batches of other sizes: results follow their items.
func order(t *testing.T, b batcher.Backend) {
	want := batcher.Walk(60)
	if err := b.Evaluate(want); err != nil {
		t.Fatal(err)
	}
	got := batcher.Walk(60)
	slices.Reverse(got)
	for _, part := range [][]*batcher.Item{got[:1], got[1:4], got[4:37], got[37:]} {
		if err := b.Evaluate(part); err != nil {
			t.Fatal(err)
		}
	}
	slices.Reverse(got)
	for i := range want {
		if d := want[i].Difference(got[i]); d > 1e-5 {
			t.Errorf("item %d differs by %v in another batch", i, d)
		}
	}
}

// pipeline sends 300 positions through a pipeline, in batches of many sizes: they come back evaluated and in order.
func pipeline(t *testing.T, b batcher.Backend) {
	p := batcher.NewPipeline(b, nil)
	defer p.Close()
	want := batcher.Walk(300)
	next, done := 0, uint32(0)
	collect := func(batch *batcher.Batch) {
		if batch.Err != nil {
			t.Fatal(batch.Err)
		}
		for i := range batch.Items {
			it := &batch.Items[i]
			if it.Ref != done || it.Position != want[done].Position {
				t.Fatalf("item %d came back as %d", it.Ref, done)
			}
			if err := exact(it); err != nil {
				t.Error(err)
			}
			done++
		}
		p.Put(batch)
	}
	for next < len(want) {
		batch := p.Get()
		for range min(1+next%50, len(want)-next) {
			it := batch.Add()
			it.Position, it.Ref = want[next].Position, uint32(next)
			it.Moves = append(it.Moves, want[next].Moves...)
			next++
		}
		p.Submit(batch)
		if next%3 == 0 {
			collect(p.Next())
		}
	}
	for p.Pending() > 0 {
		collect(p.Next())
	}
	if p.Next() != nil || p.Arrived() != nil {
		t.Error("an empty pipeline returns a batch")
	}
	if s := p.Stats(); done != 300 || s.Items != 300 || s.Batches == 0 || s.Fill <= 0 || s.Compute <= 0 {
		t.Errorf("%d items back, stats %+v", done, s)
	}
}
