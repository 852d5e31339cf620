package nnue

import (
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// benchNet has the size of a net for play.
func benchNet(b *testing.B) *Net { return randomNet(b, testHeader(512, 4), 1) }

// siblings returns positions in an order like that of a best-first search: children of one position, then of the next.
func siblings(b *testing.B, n int) (all []board.Position) {
	for _, p := range samples(b, n) {
		moves := p.LegalMoves(nil)
		for _, m := range moves[:min(6, len(moves))] {
			next := p.After(m)
			all = append(all, next)
		}
	}
	return all
}

func benchmarkEvaluate(b *testing.B, evaluate func(w *Worker, p *board.Position, moves []board.Move, policy []float32)) {
	w, positions := NewWorker(benchNet(b)), siblings(b, 60)
	moves := make([][]board.Move, len(positions))
	for i := range positions {
		moves[i] = positions[i].LegalMoves(nil)
	}
	policy := make([]float32, board.MaxMoves)
	b.ResetTimer()
	for i := range b.N {
		k := i % len(positions)
		evaluate(w, &positions[k], moves[k], policy)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	benchmarkEvaluate(b, func(w *Worker, p *board.Position, moves []board.Move, policy []float32) { w.Evaluate(p, moves, policy) })
}

func BenchmarkEvaluateStatic(b *testing.B) {
	benchmarkEvaluate(b, func(w *Worker, p *board.Position, moves []board.Move, policy []float32) {
		w.EvaluateStatic(p, moves, policy)
	})
}

func BenchmarkPolicy(b *testing.B) {
	benchmarkEvaluate(b, func(w *Worker, p *board.Position, moves []board.Move, policy []float32) { w.Logits(p, moves, policy) })
}

// BenchmarkIncremental makes a move, takes the value and takes the move back.
func BenchmarkIncremental(b *testing.B) {
	p := boardtest.Position(b, starts[0])
	s := NewStack(benchNet(b), 2)
	s.Reset(&p)
	s.Value(&p)
	moves := p.LegalMoves(nil)
	var next board.Position
	for i := 0; b.Loop(); i++ {
		m := moves[i%len(moves)]
		s.Push(&p, m)
		p.Make(m, &next)
		s.Value(&next)
		s.Pop()
	}
}

// BenchmarkKernels times each kernel at the size of a net for play: the update of a capture, the policy's hidden layer
// for 32 pieces, the rows of 32 moves, the activation of an accumulator, and the last layers of the value net.
func BenchmarkKernels(b *testing.B) {
	n := benchNet(b)
	v, p := &n.value, &n.policy
	var rows [64]uint32
	for i := range rows {
		rows[i] = uint32(i * 37)
	}
	sums, hidden, dots := aligned[int16](n.H), aligned[uint8](n.P), make([]int32, 32)
	var out [heads]float32
	for _, k := range available {
		for _, part := range []struct {
			name string
			run  func()
		}{
			{"update", func() { k.update(&sums[0], &v.bias[0], &v.ft[0], n.H, &rows[0], 1, 2) }},
			{"hidden", func() { k.hidden(&hidden[0], &p.bias[0], &p.ft[0], n.P, &rows[0], 32) }},
			{"dots", func() { k.dots(&dots[0], &hidden[0], &p.rows1[0], n.P, &rows[0], 32) }},
			{"activate", func() { k.activate(&hidden[0], &v.bias[0], n.H) }},
			{"head", func() { k.head(&out[0], &dots[0], &v.tails[0]) }},
		} {
			b.Run(k.name+"/"+part.name, func(b *testing.B) {
				for range b.N {
					part.run()
				}
			})
		}
	}
}
