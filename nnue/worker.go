package nnue

import "tesla/board"

// Worker evaluates positions in any order, with memory of its own. It belongs to one goroutine and allocates nothing
// after NewWorker. Its evaluation of a position does not depend on the positions before.
type Worker struct {
	line
	policy policyNet
}

// NewWorker returns a worker for n.
func NewWorker(n *Net) *Worker {
	w := &Worker{line: newLine(n, quietPlies+1)}
	w.policy.init(n)
	return w
}

// Evaluate is the Eval of p, its value after a quiescence search, and writes to policy[:len(moves)] the probabilities of
// moves, at most board.MaxMoves, which are legal in p.
func (w *Worker) Evaluate(p *board.Position, moves []board.Move, policy []float32) Eval {
	x := w.begin(p)
	w.policy.evaluate(p, moves, policy)
	return evalOf(w.quiet(0, -infinite, infinite), x)
}

// EvaluateStatic is Evaluate without the quiescence search.
func (w *Worker) EvaluateStatic(p *board.Position, moves []board.Move, policy []float32) Eval {
	x := w.begin(p)
	w.policy.evaluate(p, moves, policy)
	return evalOf(centipawns(x[0]), x)
}

// Logits writes the policy's logits of moves, legal in p, to logits[:len(moves)].
func (w *Worker) Logits(p *board.Position, moves []board.Move, logits []float32) {
	if len(moves) > 0 {
		w.policy.logits(p, moves, logits[:len(moves)])
	}
}

// begin makes p the root and returns its heads.
func (w *Worker) begin(p *board.Position) [heads]float32 {
	w.stack.Reset(p)
	w.pos[0] = *p
	return w.stack.heads(&w.pos[0])
}
