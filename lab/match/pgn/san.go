package pgn

import (
	"fmt"
	"strings"

	"tesla/board"
)

// SAN writes a legal move in standard algebraic notation (PGN standard, Edwards 1994), with + and #. Castling is O-O
// towards the h-file and O-O-O towards the a-file, in Chess960 too. A null move is --.
func SAN(p *board.Position, m board.Move) string {
	if m == board.NullMove {
		return nullMove
	}
	var b strings.Builder
	from, to := p.Absolute(m.From()), p.Absolute(m.To())
	switch promotion := p.Promotion(m); {
	case m.IsCastling():
		b.WriteString("O-O")
		if to.File() < from.File() {
			b.WriteString("-O")
		}
	case promotion != board.None || m.Moved() == board.Pawn:
		if m.IsCapture() {
			b.WriteByte('a' + byte(from.File()))
			b.WriteByte('x')
		}
		b.WriteString(to.String())
		if promotion != board.None {
			b.WriteString("=" + strings.ToUpper(promotion.String()))
		}
	default:
		b.WriteString(strings.ToUpper(m.Moved().String()))
		b.WriteString(disambiguation(p, m))
		if m.IsCapture() {
			b.WriteByte('x')
		}
		b.WriteString(to.String())
	}
	if p.GivesCheck(m) {
		next := p.After(m)
		if next.HasLegalMove() {
			b.WriteByte('+')
		} else {
			b.WriteByte('#')
		}
	}
	return b.String()
}

// disambiguation is the file, the rank or both of the origin of m: the shortest that tells m from other legal moves of
// the same kind of piece to the same square.
func disambiguation(p *board.Position, m board.Move) string {
	var list [board.MaxMoves]board.Move
	from := p.Absolute(m.From())
	others, sameFile, sameRank := false, false, false
	for _, o := range p.LegalMoves(list[:0]) {
		if o.From() == m.From() || o.To() != m.To() || o.Moved() != m.Moved() || o.IsCastling() ||
			p.Promotion(o) != board.None {
			continue
		}
		others = true
		sameFile = sameFile || o.From().File() == m.From().File()
		sameRank = sameRank || o.From().Rank() == m.From().Rank()
	}
	switch name := from.String(); {
	case !others:
		return ""
	case !sameFile:
		return name[:1]
	case !sameRank:
		return name[1:]
	default:
		return name
	}
}

// nullMove is a null move as ChessBase, Scid and this package write it.
const nullMove = "--"

// isNull reports whether a word is a null move, in one of the forms of various programs, perhaps with a mark behind it.
func isNull(word string) bool {
	switch strings.TrimRight(word, "!?") {
	case nullMove, "Z0", "null", "0000", "@@@@", "<>":
		return true
	}
	return false
}

// figures are the pieces and the sign of a capture as some programs print them. Two characters that choose how a figure
// looks go.
var figures = strings.NewReplacer("\ufe0e", "", "\ufe0f", "", "×", "x", "♔", "K", "♕", "Q", "♖", "R", "♗", "B", "♘", "N", "♙", "", "♚", "K", "♛", "Q", "♜", "R",
	"♝", "B", "♞", "N", "♟", "")

// signs are those that say nothing of which move it is.
var signs = strings.NewReplacer("x", "", ":", "", "-", "", "P", "")

// plain returns a move without marks of check, quality, evaluation and en passant, and with letters for figures.
func plain(move string) string {
	text := strings.TrimRightFunc(figures.Replace(move), isMark)
	return strings.TrimSuffix(strings.TrimSuffix(text, "ep"), "e.p")
}

// isMark tells the characters of marks that may stand behind a move.
func isMark(c rune) bool { return c >= 0x80 || strings.ContainsRune("+#!?=-/~.", c) }

// isCastling returns O-O or O-O-O where that is what a plain move means, and nothing for other moves.
func isCastling(move string) string {
	move = strings.ToUpper(strings.ReplaceAll(move, "0", "O"))
	if move == "O-O" || move == "O-O-O" {
		return move
	}
	return ""
}

// isUCI reports whether a plain move begins with two squares and has nothing or one letter after them.
func isUCI(move string) bool {
	square := func(i int) bool { return move[i] >= 'a' && move[i] <= 'h' && move[i+1] >= '1' && move[i+1] <= '8' }
	return (len(move) == 4 || len(move) == 5) && square(0) && square(2)
}

// ParseSAN reads a move as PGN files have it. It ignores marks of check, quality and evaluation, and accepts 0-0, e.p., a
// missing =, more disambiguation than needed, and moves in UCI form. Exactly one legal move must fit.
func ParseSAN(p *board.Position, s string) (board.Move, error) {
	var list [board.MaxMoves]board.Move
	if isNull(s) {
		return board.NullMove, fmt.Errorf("move %.40q is a null move, not a legal move here", s)
	}
	moves := p.LegalMoves(list[:0])
	text := plain(s)
	if isUCI(text) {
		return p.ParseMove(text)
	}
	if castling := isCastling(text); castling != "" {
		for _, m := range moves {
			if m.IsCastling() && (m.To().File() > m.From().File()) == (castling == "O-O") {
				return m, nil
			}
		}
		return board.NullMove, fmt.Errorf("move %.40q: castling is not legal here", s)
	}
	piece, promotion := board.Pawn, board.None
	if t := pieceOf(text, 0); t != board.None {
		piece, text = t, text[1:]
	}
	if t := pieceOf(strings.ToUpper(text), len(text)-1); t != board.None && piece == board.Pawn {
		promotion, text = t, strings.TrimRight(text[:len(text)-1], "=/")
	}
	text = signs.Replace(text)
	if len(text) < 2 || len(text) > 4 {
		return board.NullMove, fmt.Errorf("move %.40q is not algebraic notation", s)
	}
	to, origin := text[len(text)-2:], text[:len(text)-2]
	found, fits := board.NullMove, 0
	for _, m := range moves {
		moved, promoted := m.Moved(), p.Promotion(m)
		if promoted != board.None {
			moved = board.Pawn
		}
		if m.IsCastling() || moved != piece || promoted != promotion || p.Absolute(m.To()).String() != to {
			continue
		}
		from := p.Absolute(m.From()).String()
		if origin == "" || origin == from || origin == from[:1] || origin == from[1:] {
			found = m
			fits++
		}
	}
	switch fits {
	case 0:
		return board.NullMove, fmt.Errorf("move %.40q: no legal move fits", s)
	case 1:
		return found, nil
	default:
		return board.NullMove, fmt.Errorf("move %.40q: %d legal moves fit", s, fits)
	}
}

// pieceOf is the piece whose upper-case letter is text[i], None where there is none.
func pieceOf(text string, i int) board.PieceType {
	if i < 0 || i >= len(text) {
		return board.None
	}
	if n := strings.IndexByte("NBRQK", text[i]); n >= 0 {
		return board.Knight + board.PieceType(n)
	}
	return board.None
}

// parseMove is ParseSAN that takes null moves too, where the side to move is not in check.
func parseMove(p *board.Position, word string) (board.Move, error) {
	if !isNull(word) {
		return ParseSAN(p, word)
	}
	if p.InCheck() {
		return board.NullMove, fmt.Errorf("move %.40q: a null move in check", word)
	}
	return board.NullMove, nil
}
