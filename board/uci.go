package board

import (
	"errors"
	"fmt"
	"strings"
)

// UCI writes a legal move in absolute squares: "e2e4", "e7e8q". Castling is written as the two squares of the king,
// "e1g1", if the king is on the e-file and the rook in the corner. Otherwise, and always with chess960, it is written
// as the squares of king and rook.
func (p *Position) UCI(m Move, chess960 bool) string {
	if m == NullMove {
		return "0000"
	}
	from, to := m.From(), m.To()
	if m.IsCastling() && !chess960 && isClassical(from, to) {
		to, _ = castlingSquares(from, to)
	}
	s := p.Absolute(from).String() + p.Absolute(to).String()
	if t := p.Promotion(m); t != None {
		s += t.String()
	}
	return s
}

// isClassical reports whether king and rook castle from their files in standard chess.
func isClassical(king, rook Square) bool {
	return king.File() == 4 && (rook.File() == 0 || rook.File() == 7)
}

// NeedsChess960 reports whether the position has a castling right that standard chess does not have: the king is off the
// e-file, or the rook off its corner. An engine reads and writes such castling only in its mode UCI_Chess960.
func (p *Position) NeedsChess960() bool {
	for castling := p.Castling; castling != 0; {
		rook := castling.Pop()
		king := (p.Kings & p.Theirs).First()
		if rook.Rank() == 0 {
			king = p.King()
		}
		if !isClassical(king, rook) {
			return true
		}
	}
	return false
}

// ParseMove reads a UCI move and returns it if it is legal. Otherwise the error says why it is not. Castling may be
// written as the two squares of the king or as the squares of king and rook, in standard chess and in Chess960: in both a
// text has one meaning. A text that could be either a king's step or castling is the step, as Chess960 wants it, and in
// standard chess the king never castles by one square.
func (p *Position) ParseMove(s string) (Move, error) {
	m, err := p.parseMove(s)
	if err != nil {
		return NullMove, fmt.Errorf("move %.*q: %w", maxText, s, err)
	}
	return m, nil
}

// parseMove is ParseMove without the text in its errors.
func (p *Position) parseMove(s string) (Move, error) {
	if len(s) != 4 && len(s) != 5 {
		return NullMove, errors.New("want four or five letters such as e2e4 or e7e8q")
	}
	from, to := parseSquare(s[0:2]), parseSquare(s[2:4])
	if from == NoSquare || to == NoSquare {
		return NullMove, errors.New("want two squares from a1 to h8")
	}
	promotion := None
	if len(s) == 5 {
		promotion = PieceType(strings.IndexByte(pieceLetters, s[4]|0x20))
		if promotion < Knight || promotion > Queen {
			return NullMove, fmt.Errorf("a pawn cannot become %q", s[4])
		}
	}
	from, to = p.Absolute(from), p.Absolute(to)
	if m := p.findMove(from, to, promotion); m != NullMove {
		return m, nil
	}
	return NullMove, p.whyIllegal(from, to, promotion)
}

// parseSquare reads a square such as "e4". It returns NoSquare for any other text.
func parseSquare(s string) Square {
	if s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return NoSquare
	}
	return NewSquare(int(s[0]-'a'), int(s[1]-'1'))
}

// findMove returns the legal move from one square to another, or NullMove. It prefers a king's step to castling written
// as the two squares of the king.
func (p *Position) findMove(from, to Square, promotion PieceType) Move {
	var buffer [MaxMoves]Move
	castling := NullMove
	for _, m := range p.LegalMoves(buffer[:0]) {
		if m.From() != from || p.Promotion(m) != promotion {
			continue
		}
		if m.To() == to {
			return m
		}
		if m.IsCastling() {
			if kingTo, _ := castlingSquares(from, m.To()); kingTo == to {
				castling = m
			}
		}
	}
	return castling
}

// whyIllegal explains why no legal move fits.
func (p *Position) whyIllegal(from, to Square, promotion PieceType) error {
	t, ours := p.PieceAt(from)
	absolute := p.Absolute(from)
	switch {
	case t == None:
		return fmt.Errorf("no piece on %v", absolute)
	case !ours:
		return fmt.Errorf("the piece on %v is the opponent's", absolute)
	case promotion != None && (t != Pawn || to < 56):
		return errors.New("not a pawn's promotion")
	case promotion == None && t == Pawn && to >= 56 && p.findMove(from, to, Queen) != NullMove:
		return errors.New("the promotion piece is missing")
	case p.InCheck():
		return errors.New("not legal (the king is in check)")
	}
	return errors.New("not legal")
}
