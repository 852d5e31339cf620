package nnue

import "tesla/board"

// Worker evaluates positions in any order. It belongs to one goroutine and allocates nothing after NewWorker. The
// evaluation of a position does not depend on the positions before.
type Worker struct {
	line
	policy *Policy
}

// NewWorker returns a worker for n.
func NewWorker(n *Net) *Worker {
	return &Worker{newLine(n, max(quietPlies, evasionPlies)+1), NewPolicy(n)}
}

// Evaluate returns the Eval of p, with the value after a quiescence search. It writes the probabilities of moves to
// policy[:len(moves)]; the moves are legal in p, and at most board.MaxMoves.
func (w *Worker) Evaluate(p *board.Position, moves []board.Move, policy []float32) Eval {
	w.policy.Evaluate(p, moves, policy)
	return w.EvaluateValue(p)
}

// EvaluateValue does the same as Evaluate, but without the policy.
func (w *Worker) EvaluateValue(p *board.Position) Eval {
	x := w.begin(p)
	return evalOf(w.quiet(0, centipawns(x[0]), -infinite, infinite), x)
}

// EvaluateStatic does the same as Evaluate, but without the quiescence search.
func (w *Worker) EvaluateStatic(p *board.Position, moves []board.Move, policy []float32) Eval {
	x := w.begin(p)
	w.policy.Evaluate(p, moves, policy)
	return evalOf(centipawns(x[0]), x)
}

// begin makes p the root and returns the logits of its heads.
func (w *Worker) begin(p *board.Position) [heads]float32 {
	w.stack.Reset(p)
	w.pos[0] = *p
	return w.stack.heads(&w.pos[0])
}
