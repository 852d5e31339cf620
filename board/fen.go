package board

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// byteOrderMark is what some editors write before the text of a file.
const byteOrderMark = "\ufeff"

// maxText is how much of a bad text an error quotes, in characters.
const maxText = 120

// ReadFEN reads a FEN (Edwards, PGN standard 1994), with castling rights as in FEN, X-FEN or Shredder-FEN. It reads what
// other programs read: fields may be missing from the end, a castling right without its king or rook and an impossible
// en passant square are dropped, and counters out of range are set to the nearest possible value. Each repair is a
// sentence that says what was changed. Two changes need no word: an en passant square where no capture is legal is
// dropped, for the standard asks for such squares, and missing counters are 0 and 1, as in EPD.
//
// A text that does not describe a position in which chess can be played is an error. It names the field at fault: board,
// side to move, castling, en passant, halfmove clock or move number.
func ReadFEN(text string) (p Position, repairs []string, err error) {
	fields, rest := splitFEN(text)
	if rest != "" {
		problem := "is left over after the fields"
		switch len(fields) {
		case 4:
			problem = "is not a halfmove clock"
		case 5:
			problem = "is not a move number"
		}
		return p, nil, fmt.Errorf("FEN %.*q: %.*q %s", maxText, text, maxText, rest, problem)
	}
	return readFields("FEN", text, fields)
}

// ParseFEN is ReadFEN without the repairs.
func ParseFEN(text string) (Position, error) {
	p, _, err := ReadFEN(text)
	return p, err
}

// splitFEN returns the fields of a position, at most six, and the text after them, which is that of EPD operations. The
// counters end where no number follows, and all fields end at a semicolon. A number in the place of the castling or the
// en passant field shows that the field was left out.
func splitFEN(text string) (fields []string, rest string) {
	rest = strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark))
	for len(fields) < 6 && rest != "" && rest[0] != ';' {
		end := strings.IndexFunc(rest, func(c rune) bool { return c == ';' || unicode.IsSpace(c) })
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		number := isNumber(word)
		if len(fields) >= 4 && !number && !isDash(word) {
			break
		}
		for number && (len(fields) == 2 || len(fields) == 3) {
			fields = append(fields, "")
		}
		fields, rest = append(fields, word), strings.TrimSpace(rest[end:])
	}
	return fields, rest
}

func isNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isDash reports whether a field stands for nothing. Word processors make other dashes of a hyphen.
func isDash(field string) bool { return strings.Trim(field, "-–—−_") == "" }

// fenReader builds a position and collects what it repaired on the way.
type fenReader struct {
	Position
	repairs []string
}

func (r *fenReader) repaired(format string, args ...any) {
	r.repairs = append(r.repairs, fmt.Sprintf(format, args...))
}

// readFields builds a position from at most six fields. text is their source and kind its name, for errors.
func readFields(kind, text string, fields []string) (Position, []string, error) {
	r := fenReader{Position: Position{EnPassant: NoSquare}}
	if err := r.read(fields); err != nil {
		return Position{}, nil, fmt.Errorf("%s %.*q: %w", kind, maxText, text, err)
	}
	return r.Position, r.repairs, nil
}

// read reads the fields one after the other. It works in white's view until it has read the side to move.
func (r *fenReader) read(fields []string) error {
	if len(fields) == 0 {
		return errors.New("no board is given")
	}
	if err := r.readBoard(fields[0]); err != nil {
		return fmt.Errorf("board: %w", err)
	}
	given := len(fields)
	fields = append(slices.Clip(fields), make([]string, 6-given)...)
	if err := r.readSide(fields[1]); err != nil {
		return fmt.Errorf("side to move: %w", err)
	}
	if err := r.checkKings(); err != nil {
		return fmt.Errorf("board: %w", err)
	}
	if err := r.readCastling(fields[2]); err != nil {
		return fmt.Errorf("castling: %w", err)
	}
	if err := r.readEnPassant(fields[3]); err != nil {
		return fmt.Errorf("en passant: %w", err)
	}
	if err := r.readClocks(fields[4], fields[5]); err != nil {
		return err
	}
	r.Key = r.computeKey()
	return nil
}

func (r *fenReader) readSide(field string) error {
	switch field {
	case "w":
	case "b":
		r.flip()
	case "W":
		r.repaired("the side to move %q is read as w", field)
	case "B":
		r.repaired("the side to move %q is read as b", field)
		r.flip()
	case "":
		r.repaired("the side to move is missing, so white is to move")
	default:
		return fmt.Errorf("%.*q, want w or b", maxText, field)
	}
	return nil
}

// readClocks reads the halfmove clock and the move number. A missing one, or a dash, is the value of a new game.
func (r *fenReader) readClocks(halfmove, fullmove string) error {
	half, err := r.readCounter("halfmove clock", halfmove, 0, 0, math.MaxUint8)
	if err != nil {
		return err
	}
	// Some programs number moves from 0.
	full, err := r.readCounter("move number", fullmove, 1, 0, math.MaxUint16)
	if err != nil {
		return err
	}
	r.Halfmove, r.Fullmove = uint8(half), uint16(max(full, 1))
	return nil
}

// readCounter reads a whole number and moves it into the range from least to most.
func (r *fenReader) readCounter(name, field string, missing, least, most int) (int, error) {
	if isDash(field) {
		return missing, nil
	}
	if !isNumber(field) {
		return 0, fmt.Errorf("%s: %.*q is not a whole number", name, maxText, field)
	}
	n, err := strconv.Atoi(field) // out of range, it gives the nearest int
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if n < least || n > most {
		n = max(missing, min(n, most))
		r.repaired("the %s %.*s is read as %d", name, maxText, field, n)
	}
	return n, nil
}

// readBoard places the pieces, with white as ours, and checks their numbers.
func (p *Position) readBoard(field string) error {
	ranks := strings.Split(strings.TrimSuffix(field, "/"), "/")
	if len(ranks) != 8 {
		return fmt.Errorf("%d ranks, want 8", len(ranks))
	}
	for i, text := range ranks {
		if err := p.readRank(text, 7-i); err != nil {
			return fmt.Errorf("rank %d %.*q: %w", 8-i, maxText, text, err)
		}
	}
	if p.Pawns&(rank1|rank8) != 0 {
		return fmt.Errorf("pawn on %v", (p.Pawns & (rank1 | rank8)).First())
	}
	return errors.Join(p.checkMaterial("white", p.Ours), p.checkMaterial("black", p.Theirs))
}

// readRank places the pieces of one rank.
func (p *Position) readRank(text string, rank int) error {
	file := 0
	for _, c := range text {
		if c >= '1' && c <= '8' {
			file += int(c - '0')
			continue
		}
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

// checkMaterial reports whether the pieces of one colour can have come from the sixteen of the start position.
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
func (r *fenReader) readCastling(field string) error {
	if field == "" {
		r.repaired("the castling field is missing, so nobody may castle")
	}
	for _, c := range field {
		if isDash(string(c)) {
			continue
		}
		if !strings.ContainsRune("KQABCDEFGHkqabcdefgh", c) {
			return fmt.Errorf("unknown letter %q", c)
		}
		king, rook := r.castlingPieces(c)
		why := r.whyNoCastling(king, rook)
		if why == "" {
			r.Castling |= rook
		} else if text := fmt.Sprintf("castling right %c is dropped: %s", c, why); !slices.Contains(r.repairs, text) {
			r.repaired("%s", text)
		}
	}
	return nil
}

// castlingPieces returns the king and the rook of a castling letter. Without a king on the back rank king is NoSquare,
// without a rook rook is empty.
func (p *Position) castlingPieces(c rune) (king Square, rook Bitboard) {
	lower := c | 0x20
	back, side := rank1, p.Ours
	if (c == lower) != p.Black {
		back, side = rank8, p.Theirs
	}
	king = (p.Kings & side & back).First()
	rooks := p.Rooks & side & back
	switch {
	case king == NoSquare:
	case lower == 'k':
		rook = rooks &^ (king.Bitboard()<<1 - 1)
		for rook.several() {
			rook &= rook - 1
		}
	case lower == 'q':
		rook = rooks & (king.Bitboard() - 1)
		rook &= -rook
	default:
		rook = rooks & (fileA << (lower - 'a'))
	}
	return king, rook
}

// whyNoCastling tells why a king and a rook cannot have a castling right beside those that were read before. The same
// right may come twice.
func (p *Position) whyNoCastling(king Square, rook Bitboard) string {
	switch {
	case king == NoSquare:
		return "the king is not on its back rank"
	case king.File() == 0 || king.File() == 7:
		return fmt.Sprintf("a king on %v cannot castle", p.Absolute(king))
	case rook == 0:
		return "no rook stands there"
	}
	back := rank1 << (king & 56)
	wing := back & (king.Bitboard() - 1)
	if rook > king.Bitboard() {
		wing = back &^ (king.Bitboard()<<1 - 1)
	}
	if p.Castling&wing&^rook != 0 {
		return "another rook has the right on that side of the king"
	}
	return ""
}

// readEnPassant checks the square against the board and keeps it if a capture there is legal.
func (r *fenReader) readEnPassant(field string) error {
	if isDash(field) {
		return nil
	}
	field = strings.ToLower(field)
	if len(field) != 2 {
		return fmt.Errorf("%.*q is not a square", maxText, field)
	}
	absolute := parseSquare(field)
	if absolute == NoSquare {
		return fmt.Errorf("%q is not a square", field)
	}
	ep := r.Absolute(absolute)
	if why := r.whyNoEnPassant(ep); why != "" {
		r.repaired("en passant square %v is dropped: %s", absolute, why)
	} else if r.enPassantCapturers(ep) != 0 {
		r.EnPassant = ep
	}
	return nil
}

// whyNoEnPassant tells why no pawn can have passed ep with the last move.
func (p *Position) whyNoEnPassant(ep Square) string {
	if ep.Rank() != 5 {
		return "it is on the wrong rank"
	}
	pawn, origin := ep.Bitboard()>>8, ep.Bitboard()<<8
	if p.Pawns&p.Theirs&pawn == 0 {
		return "no pawn has passed it"
	}
	if (ep.Bitboard()|origin)&p.Occupied() != 0 {
		return "a piece stands where the pawn came from"
	}
	// The double step cannot have caused a check unless it uncovers the checker, or the pawn itself gives check.
	before := p.Occupied() ^ pawn | origin
	if p.AttackersTo(p.King(), before)&p.Theirs&^pawn != 0 {
		return "the king was in check before the pawn could pass it"
	}
	return ""
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
