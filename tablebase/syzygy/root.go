package syzygy

import (
	"cmp"
	"slices"

	"tesla/board"
)

// RootMove is a move of a position, and the distance that it keeps.
type RootMove struct {
	Move board.Move
	DTZ  int // of the position that the move is made in, if it is made; see Tables.DTZ
}

// Rank returns the legal moves of p, the best first: wins before cursed wins, draws, blessed losses and losses; among wins
// the shortest distance to a capture or pawn move, among losses the longest. Errors are those of Tables.WDL.
func (t *Tables) Rank(p *board.Position) ([]RootMove, error) {
	if p.Castling != 0 {
		return nil, ErrCastling
	}
	var ranked []RootMove
	for _, m := range p.LegalMoves(nil) {
		next := p.After(m)
		d, err := prober{t, Hard}.dtzAfter(p, m, &next)
		if err != nil {
			return nil, err
		}
		ranked = append(ranked, RootMove{m, d})
	}
	slices.SortStableFunc(ranked, func(a, b RootMove) int { return cmp.Compare(rank(b.DTZ), rank(a.DTZ)) })
	return ranked, nil
}

// rank grows with the value of a distance for the side to move.
func rank(dtz int) int {
	const far = 1 << 20
	switch {
	case dtz > 100: // a cursed win
		return far - dtz
	case dtz > 0:
		return 2*far - dtz
	case dtz < -100: // a blessed loss
		return -far - dtz
	case dtz < 0:
		return -2*far - dtz
	}
	return 0
}

// String is the value in words.
func (v WDL) String() string {
	if v < Loss || v > Win {
		return "unknown"
	}
	return [...]string{"loss", "blessed loss", "draw", "cursed win", "win"}[v-Loss]
}
