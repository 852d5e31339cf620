package eut

import (
	"fmt"

	"tesla/board"
)

const (
	squares = 64
	// PieceCodes is the number of codes for the piece on a square: 0 none, 1..6 ours, 7..12 theirs, in the order pawn
	// to king.
	PieceCodes = 13
	// AttackCodes is the number of codes for the attacks of one side on a square: 0 for none; 1..5 for one attacker, a
	// pawn, a minor piece, a rook, a queen or the king; 6..9 for two or more, of which the cheapest is a pawn, a minor
	// piece, a rook or a queen.
	AttackCodes = 10
	// KingCodes is the number of codes for the relation of a square to the kings. A code is a sum: 1, 2 or 3 if a
	// knight, a bishop or a rook on the square would check their king; 4 times that for our king; 16 if the piece on
	// the square is the only one between a king and a line piece of the other side.
	KingCodes = 32

	attackers   = 5
	codeColumns = 3*squares + 8*squares
)

// Squares are the codes that the net reads for each square, seen from the side to move.
type Squares struct {
	Piece        [squares]uint8 // PieceCodes
	Ours, Theirs [squares]uint8 // AttackCodes; a pinned piece attacks too
	Kings        [squares]uint8 // KingCodes
	// Attacks[s] are the squares that the piece on s attacks; none if s is empty.
	Attacks [squares]board.Bitboard
}

// Set fills c with the codes of p.
func (c *Squares) Set(p *board.Position) {
	types := [6]board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens, p.Kings}
	*c = Squares{}
	for i, b := range types {
		mark(&c.Piece, b&p.Ours, uint8(i+1))
		mark(&c.Piece, b&p.Theirs, uint8(i+7))
	}
	c.attack(p, p.Ours, board.PawnAttacks, &c.Ours)
	c.attack(p, p.Theirs, board.PawnAttacksDown, &c.Theirs)
	kingCodes(p, p.Theirs, 1, &c.Kings)
	kingCodes(p, p.Ours, 4, &c.Kings)
	mark(&c.Kings, p.Blockers(p.Theirs)|p.Blockers(p.Ours), 16)
}

// Write writes the part of the graph's input that follows the accumulator to dst[:704]: for each square the code of its
// piece; then for each square the codes of piece and attacks as one number; then those of piece and kings as one; then
// the eight bytes of its Attacks, rank 1 first.
func (c *Squares) Write(dst []int32) {
	dst = dst[:codeColumns]
	for s, piece := range c.Piece {
		p := int32(piece)
		dst[s] = p
		dst[squares+s] = (p*AttackCodes+int32(c.Ours[s]))*AttackCodes + int32(c.Theirs[s])
		dst[2*squares+s] = p*KingCodes + int32(c.Kings[s])
	}
	for s, b := range c.Attacks {
		ranks := dst[3*squares+8*s:][:8]
		for rank := range ranks {
			ranks[rank] = int32(b >> (8 * rank) & 255)
		}
	}
}

// mark adds code to the squares of b.
func mark(dst *[squares]uint8, b board.Bitboard, code uint8) {
	for b != 0 {
		dst[b.Pop()&63] += code
	}
}

// attackSet collects attacked squares: by[i] those attacked by pieces of kind i, once those with an attacker, twice
// those with two or more.
type attackSet struct {
	by          [attackers]board.Bitboard
	once, twice board.Bitboard
}

func (a *attackSet) add(kind int, attacked board.Bitboard) {
	a.by[kind] |= attacked
	a.twice |= a.once & attacked
	a.once |= attacked
}

// attack fills Attacks for the pieces of side, and codes for all squares. pawns gives the squares that the pawns of
// side attack.
func (c *Squares) attack(p *board.Position, side board.Bitboard, pawns func(board.Bitboard) board.Bitboard, codes *[squares]uint8) {
	occupied := p.Ours | p.Theirs
	var a attackSet
	each := func(kind int, pieces board.Bitboard, from func(s board.Square) board.Bitboard) {
		for pieces &= side; pieces != 0; {
			s := pieces.Pop()
			c.Attacks[s&63] = from(s)
			a.add(kind, c.Attacks[s&63])
		}
	}
	each(0, p.Pawns, func(s board.Square) board.Bitboard { return pawns(1 << s) })
	each(1, p.Knights, board.KnightAttacks)
	each(1, p.Bishops, func(s board.Square) board.Bitboard { return board.BishopAttacks(s, occupied) })
	each(2, p.Rooks, func(s board.Square) board.Bitboard { return board.RookAttacks(s, occupied) })
	each(3, p.Queens, func(s board.Square) board.Bitboard { return board.QueenAttacks(s, occupied) })
	each(4, p.Kings, board.KingAttacks)
	left := a.once
	for kind, by := range a.by {
		mark(codes, by&left, uint8(kind+1))
		left &^= by
	}
	mark(codes, a.twice, attackers)
}

// kingCodes adds the codes for the king of side, times unit.
func kingCodes(p *board.Position, side board.Bitboard, unit uint8, dst *[squares]uint8) {
	king := (p.Kings & side).First()
	occupied := p.Ours | p.Theirs
	mark(dst, board.KnightAttacks(king), unit)
	mark(dst, board.BishopAttacks(king, occupied), 2*unit)
	mark(dst, board.RookAttacks(king, occupied), 3*unit)
}

// checkCodes is an error unless Write could have written codes.
func checkCodes(codes []int32) error {
	for s := range squares {
		piece, attacks, kings := codes[s], codes[squares+s], codes[2*squares+s]
		switch {
		case piece < 0 || piece >= PieceCodes:
			return fmt.Errorf("square %d has piece %d, want 0 to %d", s, piece, PieceCodes-1)
		case attacks < 0 || attacks/(AttackCodes*AttackCodes) != piece:
			return fmt.Errorf("square %d has piece %d, but attacks %d", s, piece, attacks)
		case kings < 0 || kings/KingCodes != piece:
			return fmt.Errorf("square %d has piece %d, but kings %d", s, piece, kings)
		}
	}
	for i, rank := range codes[3*squares : codeColumns] {
		if rank < 0 || rank > 255 {
			return fmt.Errorf("square %d attacks %d, want a byte for each rank", i/8, rank)
		}
	}
	return nil
}
