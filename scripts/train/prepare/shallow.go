package main

import (
	"math"

	"tesla/board"
	"tesla/nnue"
	"tesla/search"
)

// shallowTemperature is the temperature, in q, of the softmax over the values after each move. It is about the q that a
// nat of policy is worth, see Loss of bestfirst.Fit.
const shallowTemperature = 0.07

// shallow evaluates positions by a quiescence search on a value net of package nnue.
type shallow struct {
	worker *nnue.Worker
	next   board.Position
	values []float64
}

// score returns the value of a position for the side to move, in centipawns.
func (s *shallow) score(p *board.Position) int16 {
	return int16(search.QToCP(float64(s.worker.Evaluate(p, nil, nil).Q)))
}

// shares appends a softmax of the values after each move, scaled so that the best move has 255.
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
