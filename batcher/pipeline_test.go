package batcher

import (
	"errors"
	"slices"
	"testing"

	"tesla/board"
)

func TestPipelineErrors(t *testing.T) {
	bad := errors.New("prepare failed")
	p := NewPipeline(NewMock(Options{MaxBatch: 4}), nil, func(b *Batch) error {
		if b.Items[0].Ref == 1 {
			return bad
		}
		return nil
	})
	for i := range uint32(3) {
		b := p.Get()
		b.Add().Ref = i
		p.Submit(b)
	}
	for i := range 3 {
		if b := p.Next(); (b.Err != nil) != (i == 1) {
			t.Errorf("batch %d: %v", i, b.Err)
		}
	}
	b := p.Get()
	for range 4 {
		b.Add()
	}
	if b.Add() != nil {
		t.Error("a full batch takes a fifth item")
	}
	p.Submit(b)
	p.Close() // with a pending batch
}

// gated is a mock of three streams; a batch whose first Ref is not zero waits for its gate.
type gated struct {
	Backend
	gates   map[uint32]chan bool
	entered chan bool
}

func (g *gated) Info() Info {
	info := g.Backend.Info()
	info.Streams = 3
	return info
}

func (g *gated) Evaluate(items []*Item) error {
	if gate := g.gates[items[0].Ref]; gate != nil {
		g.entered <- true
		<-gate
	}
	return g.Backend.Evaluate(items)
}

// submit submits a batch of one item for each Ref.
func submit(p *Pipeline, refs ...uint32) {
	for _, ref := range refs {
		b := p.Get()
		it := b.Add()
		it.Position, it.Ref = board.StartPosition(), ref
		p.Submit(b)
	}
}

// Batches are evaluated concurrently, and come back as they are done or in order.
func TestPipelineStreams(t *testing.T) {
	g := &gated{Backend: NewMock(Options{MaxBatch: 4}), gates: map[uint32]chan bool{1: make(chan bool), 2: make(chan bool)}, entered: make(chan bool, 2)}
	p := NewPipeline(g, nil)
	defer p.Close()
	submit(p, 1, 2, 0)
	if p.Depth() != 4 || p.Pending() != 3 {
		t.Fatalf("depth %d, %d pending", p.Depth(), p.Pending())
	}
	<-g.entered
	<-g.entered
	order := []uint32{p.Arrived().Items[0].Ref}
	close(g.gates[2])
	close(g.gates[1])
	order = append(order, p.Next().Items[0].Ref, p.Arrived().Items[0].Ref)
	if !slices.Equal(order, []uint32{0, 1, 2}) {
		t.Errorf("batches came back as %v", order)
	}
	if s := p.Stats(); s.Batches != 3 || s.Net != s.Compute || s.Compute > s.Elapsed || s.Queue <= 0 || s.Wait <= 0 {
		t.Errorf("%+v", s)
	}
}

// After Cancel only the batch that has begun is evaluated. The pipeline goes on with the next Submit.
func TestPipelineCancel(t *testing.T) {
	preparing, release := make(chan bool), make(chan bool)
	p := NewPipeline(NewMock(Options{MaxBatch: 4}), nil, func(b *Batch) error {
		if b.Items[0].Ref == 1 {
			close(preparing)
			<-release
		}
		return nil
	})
	defer p.Close()
	submit(p, 1, 2)
	<-preparing
	p.Cancel()
	close(release)
	for range 2 {
		if b := p.Next(); !errors.Is(b.Err, ErrCancelled) {
			t.Errorf("batch %d: %v", b.Items[0].Ref, b.Err)
		}
	}
	submit(p, 3)
	if b := p.Next(); b.Err != nil {
		t.Error(b.Err)
	}
	if s := p.Stats(); s.Batches != 1 {
		t.Errorf("%d batches evaluated, want one", s.Batches)
	}
}

func TestPipelineAllocations(t *testing.T) {
	p := NewPipeline(NewMock(Options{MaxBatch: 16}), nil)
	defer p.Close()
	items := Walk(16)
	round := func() {
		b := p.Get()
		for _, want := range items {
			it := b.Add()
			it.Position = want.Position
			it.Moves = append(it.Moves, want.Moves...)
		}
		p.Submit(b)
		if p.Pending() == 2 {
			p.Put(p.Next())
		}
	}
	round()
	round()
	round()
	if n := testing.AllocsPerRun(50, round); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

func BenchmarkMock(b *testing.B) {
	m, items := NewMock(Options{}), Walk(256)
	b.ReportAllocs()
	for i := 0; i < b.N; i += len(items) {
		m.Evaluate(items)
	}
}

func BenchmarkPipelineMock(b *testing.B) {
	p := NewPipeline(NewMock(Options{MaxBatch: 64}), nil)
	defer p.Close()
	items := Walk(64)
	for i := 0; i < b.N; i += len(items) {
		batch := p.Get()
		for _, want := range items {
			it := batch.Add()
			it.Position, it.Moves = want.Position, append(it.Moves, want.Moves...)
		}
		p.Submit(batch)
		if p.Pending() > 1 {
			p.Put(p.Next())
		}
	}
}
