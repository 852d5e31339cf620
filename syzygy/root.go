package syzygy

import (
	"cmp"
	"fmt"
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
		var next board.Position
		p.Make(m, &next)
		d, err := prober{t, true}.dtzAfter(p, m, &next)
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

// Result is what the tables know of a position.
type Result struct {
	WDL  WDL    `json:"wdl"`
	DTZ  int    `json:"dtz"`
	DTM  *int   `json:"dtm"`  // moves to mate; nil, because these tables do not hold it
	Best string `json:"best"` // the best move in UCI form; empty: there is no legal move
}

// Probe returns the value, the distance and the best move of p. Errors are those of Tables.WDL.
func (t *Tables) Probe(p *board.Position) (r Result, err error) {
	if r.WDL, err = t.WDL(p, true); err != nil {
		return r, err
	}
	if r.DTZ, err = t.DTZ(p, true); err != nil {
		return r, err
	}
	moves, err := t.Rank(p)
	if err == nil && len(moves) > 0 {
		r.Best = p.UCI(moves[0].Move, false)
	}
	return r, err
}

// String is the result on one line.
func (r Result) String() string {
	return fmt.Sprintf("%s, %d plies to a capture or pawn move, best %s", r.WDL, r.DTZ, cmp.Or(r.Best, "none"))
}

// String is the value in words.
func (v WDL) String() string {
	if v < Loss || v > Win {
		return "unknown"
	}
	return [...]string{"loss", "blessed loss", "draw", "cursed win", "win"}[v-Loss]
}
