package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/notnil/chess"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// Rules are what is held against the library.
type Rules struct {
	Moves func(p *board.Position) []board.Move
	SAN   func(p *board.Position, m board.Move) string
	End   func(g *board.Game) board.Outcome
	Count func(p *board.Position, depth int) uint64
}

// Tesla are the rules that the program plays by.
func Tesla() Rules {
	return Rules{
		Moves: func(p *board.Position) []board.Move { return p.LegalMoves(nil) },
		SAN:   pgn.SAN,
		End:   (*board.Game).Outcome,
		Count: board.Perft,
	}
}

// Difference is a question that the two answer otherwise.
type Difference struct {
	What   string `json:"what"`
	FEN    string `json:"fen"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

// String is the difference in a line.
func (d Difference) String() string {
	return fmt.Sprintf("%s in %s: here %s, by the other program %s", d.What, d.FEN, d.Ours, d.Theirs)
}

// Standard reports whether a position is one of standard chess: kings and rooks that may castle stand where they began.
func Standard(p *board.Position) bool {
	const corners = board.Bitboard(0x81_00_00_00_00_00_00_81)
	for _, side := range []board.Bitboard{0xff, 0xff << 56} {
		if e := board.Bitboard(0x10_00_00_00_00_00_00_10); p.Castling&side != 0 && p.Kings&side&e == 0 {
			return false
		}
	}
	return p.Castling&^corners == 0
}

// theirs is a position as the library reads it.
func theirs(p *board.Position) (*chess.Game, error) {
	read, err := chess.FEN(p.FEN(false))
	if err != nil {
		return nil, fmt.Errorf("oracle: %s: %w", p.FEN(false), err)
	}
	return chess.NewGame(read), nil
}

// moves are the legal moves of both, in order, each with its text: "e2e4 e4".
func (r Rules) moves(p *board.Position, other *chess.Position) (ours, others []string) {
	for _, m := range r.Moves(p) {
		ours = append(ours, p.UCI(m, false)+" "+r.SAN(p, m))
	}
	for _, m := range other.ValidMoves() {
		others = append(others, m.String()+" "+chess.AlgebraicNotation{}.Encode(other, m))
	}
	slices.Sort(ours)
	slices.Sort(others)
	return ours, others
}

// Position compares the legal moves of a position and their texts.
func (r Rules) Position(p *board.Position) ([]Difference, error) {
	game, err := theirs(p)
	if err != nil {
		return nil, err
	}
	return r.compare(p, game.Position()), nil
}

// compare is Position with the library's reading at hand.
func (r Rules) compare(p *board.Position, other *chess.Position) []Difference {
	ours, others := r.moves(p, other)
	without := func(all, some []string) string {
		left := slices.DeleteFunc(slices.Clone(all), func(m string) bool { return slices.Contains(some, m) })
		if len(left) == 0 {
			return "nothing else"
		}
		return strings.Join(left, ", ")
	}
	if slices.Equal(ours, others) {
		return nil
	}
	return []Difference{{"moves", p.FEN(false), without(ours, others), without(others, ours)}}
}

// Perft compares the counts below a position, and returns the library's. A difference names the position nearest to the
// leaves where the moves differ, or where the same moves are counted otherwise.
func (r Rules) Perft(p *board.Position, depth int) (uint64, []Difference, error) {
	game, err := theirs(p)
	if err != nil {
		return 0, nil, err
	}
	want := perft(game.Position(), depth)
	if r.Count(p, depth) == want {
		return want, nil, nil
	}
	return want, r.narrow(p, game.Position(), depth), nil
}

// narrow goes down to where a count that differs comes from.
func (r Rules) narrow(p *board.Position, other *chess.Position, depth int) []Difference {
	if found := r.compare(p, other); len(found) > 0 {
		return found
	}
	for _, m := range r.Moves(p) {
		after, text := p.After(m), p.UCI(m, false)
		i := slices.IndexFunc(other.ValidMoves(), func(o *chess.Move) bool { return o.String() == text })
		if next := other.Update(other.ValidMoves()[i]); depth > 1 && r.Count(&after, depth-1) != perft(next, depth-1) {
			return r.narrow(&after, next, depth-1)
		}
	}
	return []Difference{{fmt.Sprintf("perft %d", depth), p.FEN(false), fmt.Sprint(r.Count(p, depth)), fmt.Sprint(perft(other, depth))}}
}

// perft is the library's count.
func perft(p *chess.Position, depth int) (n uint64) {
	if depth <= 0 {
		return 1
	}
	moves := p.ValidMoves()
	if depth == 1 {
		return uint64(len(moves))
	}
	for _, m := range moves {
		n += perft(p.Update(m), depth-1)
	}
	return n
}
