package board

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ParseFEN reads a six-field FEN (Edwards, PGN standard 1994), with castling rights as in FEN, X-FEN or Shredder-FEN.
// It accepts only positions in which chess can be played. The error names the field at fault: board, side to move,
// castling, en passant, halfmove clock or move number. An en passant square is dropped if no en passant capture is
// legal. Move number 0 is read as 1.
func ParseFEN(s string) (Position, error) {
	fields := strings.Fields(s)
	if len(fields) != 6 {
		return Position{}, fmt.Errorf("FEN %q: %d fields, want 6 (board, side to move, castling, en passant, halfmove clock, move number)", s, len(fields))
	}
	return parseFields(s, fields)
}

// ReadFEN reads a FEN as other programs write it: the counters may be missing. repairs say what was read otherwise than
// it was written, each in a short sentence.
func ReadFEN(text string) (p Position, repairs []string, err error) {
	if fields := strings.Fields(text); len(fields) == 4 {
		text = strings.Join(append(fields, "0", "1"), " ")
	}
	p, err = ParseFEN(text)
	return p, nil, err
}

// ParseEPD reads an EPD of four fields, ignoring its operations, or a FEN of six fields.
func ParseEPD(line string) (Position, error) {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return Position{}, fmt.Errorf("EPD %q: %d fields, want at least 4 (board, side to move, castling, en passant)", line, len(fields))
	}
	clocks := []string{"0", "1"}
	if len(fields) == 6 && isNumber(fields[4]) && isNumber(fields[5]) {
		clocks = fields[4:6]
	}
	return parseFields(line, append(fields[:4:4], clocks...))
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// ReadEPD reads positions, one a line as ParseEPD reads it. It skips empty lines. The error names the line.
func ReadEPD(in io.Reader) ([]Position, error) {
	var positions []Position
	r := bufio.NewReader(in)
	for number := 1; ; number++ {
		text, err := r.ReadString('\n')
		if text = strings.TrimSpace(text); text != "" {
			p, err := ParseEPD(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			positions = append(positions, p)
		}
		if errors.Is(err, io.EOF) {
			return positions, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// parseFields builds a position from six fields. text is their source, for errors.
func parseFields(text string, fields []string) (Position, error) {
	p, err := buildPosition(fields)
	if err != nil {
		return Position{}, fmt.Errorf("FEN %q: %w", text, err)
	}
	return p, nil
}

// buildPosition reads the fields one after the other. It works in white's view until it has read the side to move.
func buildPosition(fields []string) (p Position, err error) {
	p.EnPassant = NoSquare
	if err = p.readBoard(fields[0]); err != nil {
		return p, fmt.Errorf("board: %w", err)
	}
	switch fields[1] {
	case "w":
	case "b":
		p.flip()
	default:
		return p, fmt.Errorf("side to move: %q, want w or b", fields[1])
	}
	if err = p.checkKings(); err != nil {
		return p, fmt.Errorf("board: %w", err)
	}
	if err = p.readCastling(fields[2]); err != nil {
		return p, fmt.Errorf("castling: %w", err)
	}
	if err = p.readEnPassant(fields[3]); err != nil {
		return p, fmt.Errorf("en passant: %w", err)
	}
	half, err := readNumber(fields[4], 255)
	if err != nil {
		return p, fmt.Errorf("halfmove clock: %w", err)
	}
	full, err := readNumber(fields[5], 65535)
	if err != nil {
		return p, fmt.Errorf("move number: %w", err)
	}
	p.Halfmove, p.Fullmove = uint8(half), uint16(max(full, 1))
	p.Key = p.computeKey()
	return p, nil
}

// readNumber reads a number of digits only, from 0 to limit.
func readNumber(s string, limit int) (int, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number from 0 up", s)
	}
	if n > uint64(limit) {
		return 0, fmt.Errorf("%d is above %d", n, limit)
	}
	return int(n), nil
}

// readBoard places the pieces, with white as ours, and checks their numbers.
func (p *Position) readBoard(field string) error {
	ranks := strings.Split(field, "/")
	if len(ranks) != 8 {
		return fmt.Errorf("%d ranks, want 8", len(ranks))
	}
	for i, text := range ranks {
		if err := p.readRank(text, 7-i); err != nil {
			return fmt.Errorf("rank %d %q: %w", 8-i, text, err)
		}
	}
	if p.Pawns&(rank1|rank8) != 0 {
		return fmt.Errorf("pawn on %v", (p.Pawns & (rank1 | rank8)).First())
	}
	return errors.Join(p.checkMaterial("white", p.Ours), p.checkMaterial("black", p.Theirs))
}

// readRank places the pieces of one rank.
func (p *Position) readRank(text string, rank int) error {
	file, digit := 0, false
	for _, c := range text {
		if c >= '1' && c <= '8' {
			if digit {
				return errors.New("two numbers in a row")
			}
			digit = true
			file += int(c - '0')
			continue
		}
		digit = false
		t := PieceType(strings.IndexRune(pieceLetters, c|0x20))
		if c < 'A' || c > 'z' || t < Pawn || t > King {
			return fmt.Errorf("unknown piece %q", c)
		}
		if file > 7 {
			return errors.New("more than 8 squares")
		}
		bit := NewSquare(file, rank).Bitboard()
		p.boards()[1+t] |= bit
		if c < 'a' {
			p.Ours |= bit
		} else {
			p.Theirs |= bit
		}
		file++
	}
	if file != 8 {
		return fmt.Errorf("%d squares, want 8", file)
	}
	return nil
}

// checkMaterial tells whether the pieces of one colour can have come from the sixteen of the start position.
func (p *Position) checkMaterial(colour string, side Bitboard) error {
	if n := (p.Kings & side).Count(); n != 1 {
		return fmt.Errorf("%s has %d kings, want 1", colour, n)
	}
	if n := side.Count(); n > 16 {
		return fmt.Errorf("%s has %d pieces, at most 16 are possible", colour, n)
	}
	pawns := (p.Pawns & side).Count()
	if pawns > 8 {
		return fmt.Errorf("%s has %d pawns, at most 8 are possible", colour, pawns)
	}
	bishops := p.Bishops & side
	extra := max((p.Knights&side).Count()-2, 0) + max((p.Rooks&side).Count()-2, 0) + max((p.Queens&side).Count()-1, 0) +
		max((bishops&darkSquares).Count()-1, 0) + max((bishops&^darkSquares).Count()-1, 0)
	if extra+pawns > 8 {
		return fmt.Errorf("%s has %d promoted pieces and %d pawns, at most 8 together are possible", colour, extra, pawns)
	}
	return nil
}

// checkKings rejects positions in which a king could be taken, and those whose checks cannot come from one move.
func (p *Position) checkKings() error {
	mover, other := "white", "black"
	if p.Black {
		mover, other = other, mover
	}
	theirKing := (p.Kings & p.Theirs).First()
	if KingAttacks(theirKing)&p.Kings != 0 {
		return errors.New("the kings stand side by side")
	}
	if p.AttackersTo(theirKing, p.Occupied())&p.Ours != 0 {
		return fmt.Errorf("%s is in check, but it is %s's turn", other, mover)
	}
	checkers := p.Checkers()
	if checkers.Count() > 2 {
		return fmt.Errorf("%d pieces give check at once, at most 2 can", checkers.Count())
	}
	if (checkers & (p.Knights | p.Pawns)).several() {
		return errors.New("two pieces that do not move in lines give check at once")
	}
	return nil
}

// readCastling reads castling rights in any order: KQkq stand for the outermost rook (X-FEN), file letters for the rook
// on that file (Shredder-FEN).
func (p *Position) readCastling(field string) error {
	if field == "-" {
		return nil
	}
	for _, c := range field {
		lower := c | 0x20
		black := c == lower
		back, side := rank1, p.Ours
		if black != p.Black {
			back, side = rank8, p.Theirs
		}
		king := (p.Kings & side & back).First()
		rooks := p.Rooks & side & back
		var rook Bitboard
		switch {
		case c > 'z' || lower < 'a' || lower > 'z':
		case lower == 'k':
			if king != NoSquare {
				rook = rooks &^ (king.Bitboard()<<1 - 1)
				for rook.several() {
					rook &= rook - 1
				}
			}
		case lower == 'q':
			if king != NoSquare {
				rook = rooks & (king.Bitboard() - 1)
				rook &= -rook
			}
		case lower <= 'h':
			rook = rooks & (fileA << (lower - 'a'))
		}
		if err := p.addCastling(c, king, rook); err != nil {
			return err
		}
	}
	return nil
}

// addCastling checks the castling right of a king and a rook, and adds it. c is its letter.
func (p *Position) addCastling(c rune, king Square, rook Bitboard) error {
	switch {
	case !strings.ContainsRune("KQABCDEFGHkqabcdefgh", c):
		return fmt.Errorf("unknown letter %q", c)
	case king == NoSquare:
		return fmt.Errorf("%q: the king is not on its back rank", c)
	case king.File() == 0 || king.File() == 7:
		return fmt.Errorf("%q: a king on %v cannot have castling rights", c, p.Absolute(king))
	case rook == 0:
		return fmt.Errorf("%q: no rook there to castle with", c)
	case p.Castling&rook != 0:
		return fmt.Errorf("%q: the same right twice", c)
	}
	back := rank1 << (king & 56)
	wing := back & (king.Bitboard() - 1)
	if rook > king.Bitboard() {
		wing = back &^ (king.Bitboard()<<1 - 1)
	}
	if p.Castling&wing != 0 {
		return fmt.Errorf("%q: two rights on one side of the king", c)
	}
	p.Castling |= rook
	return nil
}

// readEnPassant checks the square against the board and keeps it if a capture there is legal.
func (p *Position) readEnPassant(field string) error {
	if field == "-" {
		return nil
	}
	if len(field) != 2 || field[0] < 'a' || field[0] > 'h' || field[1] < '1' || field[1] > '8' {
		return fmt.Errorf("%q is not a square", field)
	}
	absolute := NewSquare(int(field[0]-'a'), int(field[1]-'1'))
	ep := p.Absolute(absolute)
	if ep.Rank() != 5 {
		return fmt.Errorf("%v is not behind a pawn that has just advanced two squares", absolute)
	}
	pawn, origin := ep.Bitboard()>>8, ep.Bitboard()<<8
	if p.Pawns&p.Theirs&pawn == 0 {
		return fmt.Errorf("no pawn in front of %v has just advanced two squares", absolute)
	}
	if (ep.Bitboard()|origin)&p.Occupied() != 0 {
		return fmt.Errorf("the squares behind the pawn in front of %v are not empty", absolute)
	}
	// The double step cannot have caused a check unless it uncovers the checker, or the pawn itself gives check.
	before := p.Occupied() ^ pawn | origin
	if p.AttackersTo(p.King(), before)&p.Theirs&^pawn != 0 {
		return fmt.Errorf("the king was in check already before a pawn could pass %v", absolute)
	}
	if p.enPassantCapturers(ep) != 0 {
		p.EnPassant = ep
	}
	return nil
}

// FEN writes the position. Castling rights are KQkq, with file letters only where a rook is not the outermost one
// (X-FEN). With chess960 they are always file letters (Shredder-FEN). The en passant square is written only if a
// capture is legal.
func (p *Position) FEN(chess960 bool) string {
	var b strings.Builder
	q := *p
	side := " w "
	if q.Black {
		q.flip()
		side = " b "
	}
	for rank := 7; rank >= 0; rank-- {
		empty := 0
		for file := 0; file < 8; file++ {
			t, white := q.PieceAt(NewSquare(file, rank))
			if t == None {
				empty++
				continue
			}
			if empty > 0 {
				b.WriteByte('0' + byte(empty))
				empty = 0
			}
			c := pieceLetters[t]
			if white {
				c -= 0x20
			}
			b.WriteByte(c)
		}
		if empty > 0 {
			b.WriteByte('0' + byte(empty))
		}
		if rank > 0 {
			b.WriteByte('/')
		}
	}
	b.WriteString(side)
	b.WriteString(q.castlingField(chess960))
	fmt.Fprintf(&b, " %v %d %d", p.Absolute(p.EnPassant), p.Halfmove, p.Fullmove)
	return b.String()
}

// castlingField writes the castling rights of a position in white's view.
func (p *Position) castlingField(chess960 bool) string {
	var field []byte
	for _, side := range []struct{ pieces, back, flip Bitboard }{{p.Ours, rank1, 0}, {p.Theirs, rank8, 0x20}} {
		king := p.Kings & side.pieces
		for rights := p.Castling & side.back; rights != 0; {
			rook := Bitboard(1) << 63
			for rights&rook == 0 {
				rook >>= 1
			}
			rights ^= rook
			outer, letter := side.back&(rook-1), byte('Q')
			if rook > king {
				outer, letter = side.back&^(rook<<1-1), 'K'
			}
			if chess960 || outer&p.Rooks&side.pieces != 0 {
				letter = 'A' + byte(rook.First().File())
			}
			field = append(field, letter|byte(side.flip))
		}
	}
	if field == nil {
		return "-"
	}
	return string(field)
}
