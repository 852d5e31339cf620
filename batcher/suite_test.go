package batcher

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tesla/board"
)

// openCPU opens the cpu backend, or skips the test where ONNX Runtime is not installed. TESLA_REQUIRE_ORT=1 makes
// its absence a failure.
func openCPU(t testing.TB, opts Options) Backend {
	t.Helper()
	b, _, err := Open("cpu", "", opts)
	if err != nil {
		if os.Getenv("TESLA_REQUIRE_ORT") == "1" {
			t.Fatalf("TESLA_REQUIRE_ORT=1: %v", err)
		}
		t.Skipf("no ONNX Runtime here: %v", err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// openBackend opens a backend that needs nothing installed.
func openBackend(t testing.TB, name string, opts Options) Backend {
	t.Helper()
	b, _, err := Open(name, "", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// eachBackend runs f over the mock, the cpu and the nnue backend, and behind their decorators.
func eachBackend(t *testing.T, f func(t *testing.T, b Backend)) {
	opts := Options{MaxBatch: 64}
	t.Run("mock", func(t *testing.T) { f(t, NewMock(opts)) })
	t.Run("cpu", func(t *testing.T) { f(t, openCPU(t, opts)) })
	t.Run("cpu, 3 threads", func(t *testing.T) { f(t, openCPU(t, Options{MaxBatch: 64, Threads: 3})) })
	t.Run("nnue", func(t *testing.T) { f(t, openBackend(t, "nnue", opts)) })
	t.Run("nnue, 3 threads", func(t *testing.T) { f(t, openBackend(t, "nnue", Options{MaxBatch: 64, Threads: 3})) })
	t.Run("nnue+cache", func(t *testing.T) { f(t, NewCache(openBackend(t, "nnue", opts), 1<<20)) })
	t.Run("mock+cache", func(t *testing.T) { f(t, NewCache(NewMock(opts), 1<<20)) })
	t.Run("cpu+cache", func(t *testing.T) { f(t, NewCache(openCPU(t, opts), 1<<20)) })
	t.Run("mock+guard", func(t *testing.T) { f(t, NewGuard(NewMock(opts), GuardOptions{})) })
	t.Run("nnue+guard", func(t *testing.T) { f(t, NewGuard(openBackend(t, "nnue", opts), GuardOptions{})) })
	t.Run("mock+split", func(t *testing.T) { f(t, NewSplit(NewMock(Options{MaxBatch: 7}), 64)) })
	t.Run("cpu+split", func(t *testing.T) { f(t, NewSplit(openCPU(t, Options{MaxBatch: 7}), 64)) })
}

func checkItem(it *Item) error {
	e := it.Eval
	if sum := float64(e.W) + float64(e.D) + float64(e.L); math.Abs(sum-1) > 1e-6 || min(e.W, e.D, e.L) < -1e-6 {
		return fmt.Errorf("W + D + L = %v of %+v", sum, e)
	}
	if math.Abs(float64(e.W-e.L-e.Q)) > 1e-6 || !(e.Sigma > 0) {
		return fmt.Errorf("Q or sigma of %+v", e)
	}
	if len(it.Policy) != len(it.Moves) {
		return fmt.Errorf("%d policies for %d moves", len(it.Policy), len(it.Moves))
	}
	var sum float64
	for _, p := range it.Policy {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("policy %v", p)
		}
		sum += float64(p)
	}
	if len(it.Moves) > 0 && math.Abs(sum-1) > 1e-5 {
		return fmt.Errorf("policy sums to %v", sum)
	}
	return nil
}

func TestProperties(t *testing.T) {
	eachBackend(t, func(t *testing.T, b Backend) {
		items := walk(60)
		if err := b.Evaluate(items); err != nil {
			t.Fatal(err)
		}
		for i, it := range items {
			if err := checkItem(it); err != nil {
				t.Errorf("item %d %s: %v", i, it.Position.FEN(false), err)
			}
		}
		if err := b.Evaluate(nil); err != nil {
			t.Errorf("empty batch: %v", err)
		}
		if err := b.Evaluate(walk(65)); err == nil {
			t.Error("a batch above MaxBatch is accepted")
		}
	})
}

// TestOrder asks the same positions in other orders and batch sizes: results follow their items.
func TestOrder(t *testing.T) {
	eachBackend(t, func(t *testing.T, b Backend) {
		want := walk(60)
		if err := b.Evaluate(want); err != nil {
			t.Fatal(err)
		}
		got := walk(60)
		slices.Reverse(got)
		for _, part := range [][]*Item{got[:1], got[1:4], got[4:37], got[37:]} {
			if err := b.Evaluate(part); err != nil {
				t.Fatal(err)
			}
		}
		slices.Reverse(got)
		for i := range want {
			if d := difference(want[i], got[i]); d > 1e-5 {
				t.Errorf("item %d differs by %v in another batch", i, d)
			}
		}
	})
}

// difference is the largest absolute difference between two items' results.
func difference(a, b *Item) float64 {
	d := max(math.Abs(float64(a.Eval.Q-b.Eval.Q)), math.Abs(float64(a.Eval.D-b.Eval.D)), math.Abs(float64(a.Eval.Sigma-b.Eval.Sigma)))
	for i := range a.Policy {
		d = max(d, math.Abs(float64(a.Policy[i]-b.Policy[i])))
	}
	return d
}

func TestPipeline(t *testing.T) {
	eachBackend(t, func(t *testing.T, b Backend) {
		p := NewPipeline(b, nil)
		defer p.Close()
		want := walk(300)
		next, done := 0, uint32(0)
		collect := func(batch *Batch) {
			if batch.Err != nil {
				t.Fatal(batch.Err)
			}
			for i := range batch.Items {
				it := &batch.Items[i]
				if it.Ref != done || it.Position != want[done].Position {
					t.Fatalf("item %d came back as %d", it.Ref, done)
				}
				if err := checkItem(it); err != nil {
					t.Error(err)
				}
				done++
			}
			p.Put(batch)
		}
		for next < len(want) {
			batch := p.Get()
			for range 1 + next%50 {
				if next == len(want) {
					break
				}
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
		for p.InFlight() > 0 {
			collect(p.Next())
		}
		if p.Next() != nil || p.Arrived() != nil {
			t.Error("an empty pipeline returns a batch")
		}
		if s := p.Stats(); done != 300 || s.Items != 300 || s.Batches == 0 || s.Fill <= 0 || s.Compute <= 0 {
			t.Errorf("%d items back, stats %+v", done, s)
		}
	})
}

func TestPipelineErrors(t *testing.T) {
	bad := fmt.Errorf("prepare failed")
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
	p.Close() // with a batch in flight
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

// Batches are evaluated side by side, and come back as they arrive or in order.
func TestPipelineStreams(t *testing.T) {
	g := &gated{Backend: NewMock(Options{MaxBatch: 4}), gates: map[uint32]chan bool{1: make(chan bool), 2: make(chan bool)}, entered: make(chan bool, 2)}
	p := NewPipeline(g, nil)
	defer p.Close()
	submit(p, 1, 2, 0)
	if p.Depth() != 4 || p.InFlight() != 3 {
		t.Fatalf("depth %d, %d in flight", p.Depth(), p.InFlight())
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

// Of what is cancelled only what has begun is evaluated; the pipeline goes on with the next Submit.
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
	items := walk(16)
	round := func() {
		b := p.Get()
		for _, want := range items {
			it := b.Add()
			it.Position = want.Position
			it.Moves = append(it.Moves, want.Moves...)
		}
		p.Submit(b)
		if p.InFlight() == 2 {
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

func TestCacheHitsEqualMisses(t *testing.T) {
	c := NewCache(NewMock(Options{}), 1<<18)
	items := walk(200)
	for round := range 3 {
		for i, it := range items {
			got := &Item{Position: it.Position, Moves: it.Moves}
			if err := c.Evaluate([]*Item{got}); err != nil {
				t.Fatal(err)
			}
			want := &Item{Position: it.Position, Moves: it.Moves}
			NewMock(Options{}).Evaluate([]*Item{want})
			if got.Eval != want.Eval || !slices.Equal(got.Policy, want.Policy) {
				t.Fatalf("round %d item %d: %+v, want %+v", round, i, got, want)
			}
		}
	}
	// The same position with fewer moves is another request.
	part := &Item{Position: items[0].Position, Moves: items[0].Moves[1:]}
	if err := c.Evaluate([]*Item{part}); err != nil || checkItem(part) != nil {
		t.Errorf("a part of the moves: %v, %v", err, checkItem(part))
	}
	if s := c.Stats(); s.Hits == 0 || s.Hits+s.Misses != 601 || s.Hits < 300 {
		t.Errorf("stats %+v", s)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, test := range []struct{ name, weights, library, want string }{
		{"nonesuch", "", "", `unknown backend "nonesuch"`},
		{"cpu", "/nonexistent.tesla", "", "reading net"},
		{"auto", "/nonexistent.tesla", "", "reading net"},
		{"cpu", "suite_test.go", "", "magic"},
		{"cpu", "../models/nnue.tesla", "", `magic is "TESLANNU"`},
		{"nnue", "/nonexistent.tesla", "", "reading net"},
		{"nnue", "suite_test.go", "", "magic"},
		{"nnue", "../models/eut-s.tesla", "", `magic is "TESLANET"`},
	} {
		_, _, err := Open(test.name, test.weights, Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Open(%q, %q) = %v, want an error with %q", test.name, test.weights, err, test.want)
		}
	}
}

func TestProbe(t *testing.T) {
	for _, s := range Probe() {
		t.Logf("%-9s %-5v %s", s.Name, s.OK, s.Text)
		if s.Text == "" {
			t.Errorf("%s: no text", s.Name)
		}
	}
}

func TestMeasure(t *testing.T) {
	rows, err := Measure(NewMock(Options{}), []int{1, 16}, 5*time.Millisecond)
	if err != nil || len(rows) != 2 || rows[1].EPSMean <= 0 || rows[1].EPSMedian <= 0 || rows[1].MSFirst <= 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	if got := Recommend([]Row{{Batch: 1, EPSMedian: 10}, {Batch: 8, EPSMedian: 96}, {Batch: 16, EPSMedian: 100}}); got.Batch != 8 {
		t.Errorf("batches of %d, want 8", got.Batch)
	}
	for each, free := range map[float64]int{0: 256, 1: 40, 40: laneStep, -1: 256} { // milliseconds an item, beside 40 a batch
		var rows []Row
		for n := 4; n <= 256; n *= 2 {
			rows = append(rows, Row{Batch: n, EPSMedian: 1000 * float64(n) / max(1, 40+each*float64(n))})
		}
		if got := freeOf(rows); got != free {
			t.Errorf("%v ms each, 40 a batch: %d are free, want %d", each, got, free)
		}
	}
	file := filepath.Join(t.TempDir(), "rates.svg")
	if err := Plot(rows, file); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "<svg") {
		t.Errorf("%v: %.80s", err, text)
	}
	if _, err := Measure(NewMock(Options{MaxBatch: 8}), []int{9}, 0); err == nil {
		t.Error("a size above MaxBatch is accepted")
	}
}

func BenchmarkMock(b *testing.B) {
	m, items := NewMock(Options{}), walk(256)
	b.ReportAllocs()
	for i := 0; i < b.N; i += len(items) {
		m.Evaluate(items)
	}
}

func BenchmarkPipelineMock(b *testing.B) {
	p := NewPipeline(NewMock(Options{MaxBatch: 64}), nil)
	defer p.Close()
	items := walk(64)
	for i := 0; i < b.N; i += len(items) {
		batch := p.Get()
		for _, want := range items {
			it := batch.Add()
			it.Position, it.Moves = want.Position, append(it.Moves, want.Moves...)
		}
		p.Submit(batch)
		if p.InFlight() > 1 {
			p.Put(p.Next())
		}
	}
}
