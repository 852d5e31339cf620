package treesearch

import (
	"tesla/board"
	"tesla/search"
)

// mostSolved bounds the search for the end of a mating line, in positions: some 20 ms.
const mostSolved = 5000

// endMate finds the moves that a mating line lacks where nodes of it were reclaimed, or had no memory. p is the position
// at which the line begins.
func endMate(p board.Position, i *search.Info) {
	plies := 2*i.Score.Mate - 1
	if i.Score.Mate < 0 {
		plies = -2 * i.Score.Mate
	}
	if i.Score.Mate == 0 || len(i.PV) >= plies {
		return
	}
	for _, m := range i.PV {
		p = p.After(m)
	}
	s := solver{left: mostSolved}
	if left := plies - len(i.PV); left&1 == 1 {
		i.PV = append(i.PV, s.mates(&p, left)...)
	} else if end, ok := s.mated(&p, left); ok {
		i.PV = append(i.PV, end...)
	}
}

// solver searches all lines for a mate. left is how many positions it may still look at.
type solver struct{ left int }

// mates is a line by which the side to move mates within an odd number of plies, whatever the other side does; nil where
// none is found.
func (s *solver) mates(p *board.Position, plies int) []board.Move {
	if p.Halfmove >= 100 {
		return nil
	}
	moves := p.LegalMoves(nil)
	for _, checks := range []bool{true, false} {
		for _, m := range moves {
			if p.GivesCheck(m) != checks || !checks && plies == 1 {
				continue
			}
			next := p.After(m)
			if end, ok := s.mated(&next, plies-1); ok {
				return append([]board.Move{m}, end...)
			}
		}
	}
	return nil
}

// mated is the longest line of the side to move until it is mated, within an even number of plies; false where it is
// not mated.
func (s *solver) mated(p *board.Position, plies int) (longest []board.Move, ok bool) {
	if s.left--; s.left < 0 || p.Halfmove >= 100 && p.HasLegalMove() {
		return nil, false
	}
	moves := p.LegalMoves(nil)
	if len(moves) == 0 {
		return nil, p.InCheck()
	}
	if plies == 0 {
		return nil, false
	}
	for _, m := range moves {
		next := p.After(m)
		end := s.mates(&next, plies-1)
		if end == nil {
			return nil, false
		}
		if len(end) >= len(longest) {
			longest = append([]board.Move{m}, end...)
		}
	}
	return longest, true
}
