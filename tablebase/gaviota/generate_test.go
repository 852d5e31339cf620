package gaviota_test

import (
	"fmt"
	"os"
	"path/filepath"

	"tesla/board"
	"tesla/tablebase/gaviota"
)

// names lists the tables, each after those that its promotions lead to.
var names = []string{"kqk", "krk", "kbk", "knk", "kpk"}

// kinds are the pieces of the names.
var kinds = map[string]board.PieceType{"kqk": board.Queen, "krk": board.Rook, "kbk": board.Bishop, "knk": board.Knight,
	"kpk": board.Pawn}

// generate writes all tables of three pieces to dir, compressed by each of the codecs. A value follows from the values of the
// positions after each move; values are computed again until none changes (value iteration, Bellman 1957). Values of positions
// that are not known to be won or lost are draws until then, so each win rests on a mate.
func generate(dir string, codecs ...gaviota.Codec) error {
	solved := map[board.PieceType]*solver{}
	for _, name := range names {
		s, err := newSolver(name, solved)
		if err != nil {
			return err
		}
		solved[kinds[name]] = s
		s.solve()
		codes, err := s.codes()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, c := range codecs {
			data, err := s.layout.Encode(codes, c)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.gtb.cp%d", name, c)), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// solver holds the positions of one table by side to move and index.
type solver struct {
	layout    *gaviota.Layout
	positions [2][]position
}

// position is a legal position.
type position struct {
	legal bool
	value gaviota.Value
	fixed bool            // by the rules alone
	known []gaviota.Value // of moves that leave the table
	next  []int32         // indices that moves lead to, with the other side to move
}

// newSolver lists the moves of each position. solved has the tables that promotions lead to.
func newSolver(name string, solved map[board.PieceType]*solver) (*solver, error) {
	l, err := gaviota.NewLayout(name)
	if err != nil {
		return nil, err
	}
	s := &solver{layout: l, positions: [2][]position{make([]position, l.Size()), make([]position, l.Size())}}
	for n := range 2 * 64 * 64 * 64 {
		p, ok := place(kinds[name], n>>18 == 1, board.Square(n>>12&63), board.Square(n>>6&63), board.Square(n&63))
		if !ok {
			continue
		}
		side, index := l.Locate(&p)
		if x := &s.positions[side][index]; !x.legal { // else it is the same by symmetry
			x.legal = true
			s.moves(x, &p, solved)
		}
	}
	return s, nil
}

// place puts two kings and a piece of White's on squares as White sees them; false where that is not legal.
func place(kind board.PieceType, black bool, white, bare, square board.Square) (p board.Position, ok bool) {
	if white == bare || white == square || bare == square || kind == board.Pawn && (square < 8 || square >= 56) {
		return p, false
	}
	p = board.Position{EnPassant: board.NoSquare, Black: black, Fullmove: 1}
	p.Ours, p.Theirs = white.Bitboard()|square.Bitboard(), bare.Bitboard()
	p.Kings = white.Bitboard() | bare.Bitboard()
	sets := [...]*board.Bitboard{board.Pawn: &p.Pawns, board.Knight: &p.Knights, board.Bishop: &p.Bishops,
		board.Rook: &p.Rooks, board.Queen: &p.Queens}
	*sets[kind] = square.Bitboard()
	if black {
		p.Ours, p.Theirs = p.Theirs.Flip(), p.Ours.Flip()
		p.Kings, *sets[kind] = p.Kings.Flip(), sets[kind].Flip()
	}
	king := (p.Kings & p.Theirs).First()
	return p, p.AttackersTo(king, p.Occupied())&p.Ours == 0
}

// moves lists where the moves of p lead.
func (s *solver) moves(x *position, p *board.Position, solved map[board.PieceType]*solver) {
	var list [board.MaxMoves]board.Move
	moves := p.LegalMoves(list[:0])
	if len(moves) == 0 {
		x.fixed = true
		if p.InCheck() {
			x.value.Result = gaviota.Loss
		}
	}
	for _, m := range moves {
		next := p.After(m)
		switch promotion := p.Promotion(m); {
		case m.IsCapture():
			x.known = append(x.known, gaviota.Value{}) // two kings draw
		case promotion != board.None:
			other := solved[promotion]
			side, index := other.layout.Locate(&next)
			x.known = append(x.known, other.positions[side][index].value)
		default:
			_, index := s.layout.Locate(&next)
			x.next = append(x.next, int32(index))
		}
	}
}

// solve computes values until none changes.
func (s *solver) solve() {
	for changed := true; changed; {
		changed = false
		for side := range s.positions {
			for i := range s.positions[side] {
				x := &s.positions[side][i]
				if !x.legal || x.fixed {
					continue
				}
				best := gaviota.Value{Result: gaviota.Loss, Plies: -1} // below any
				for _, v := range x.known {
					if v = v.Before(); best.Plies < 0 || v.Better(best) {
						best = v
					}
				}
				for _, index := range x.next {
					if v := s.positions[1-side][index].value.Before(); best.Plies < 0 || v.Better(best) {
						best = v
					}
				}
				if best != x.value {
					x.value, changed = best, true
				}
			}
		}
	}
}

// codes are the values as a file has them.
func (s *solver) codes() (codes [2][]byte, err error) {
	for side, positions := range s.positions {
		codes[side] = make([]byte, len(positions))
		for i := range positions {
			codes[side][i] = gaviota.Illegal
			if positions[i].legal {
				if codes[side][i], err = gaviota.Code(positions[i].value, side); err != nil {
					return codes, err
				}
			}
		}
	}
	return codes, nil
}
