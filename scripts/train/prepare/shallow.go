package main

import (
	"math"

	"tesla/board"
	"tesla/nnue"
	"tesla/search"
)

// shallowTemperature is of the choice among moves by what quiescence finds after them, q units: about what a net's policy loses per
// nat, see bestfirst.Fit.
const shallowTemperature = 0.07

// shallow looks at positions with the net for processors: a value after quiescence.
type shallow struct {
	worker *nnue.Worker
	next   board.Position
	values []float64
}

// score is a position's, in centipawns for the side to move.
func (s *shallow) score(p *board.Position) int16 {
	return int16(search.QToCP(float64(s.worker.Evaluate(p, nil, nil).Q)))
}

// shares appends the probability of each move, of 255 for the best: a softmax of what is found after it.
func (s *shallow) shares(to []uint8, p *board.Position, moves []board.Move) []uint8 {
	s.values = s.values[:0]
	best := -1.0
	for _, m := range moves {
		p.Make(m, &s.next)
		q := 0.0
		switch {
		case s.next.HasLegalMove():
			q = -float64(s.worker.Evaluate(&s.next, nil, nil).Q)
		case s.next.InCheck():
			q = 1
		}
		s.values, best = append(s.values, q), max(best, q)
	}
	for _, q := range s.values {
		to = append(to, uint8(math.Round(255*math.Exp((q-best)/shallowTemperature))))
	}
	return to
}
