package board

// Position is one position with the side to move at the bottom. It holds no pointers and may be copied. The eight
// bitboards fill one cache line.
//
//	Ours Theirs Pawns Knights Bishops Rooks Queens Kings | Key Castling | EnPassant Halfmove Black Fullmove
//	  8     8     8      8       8      8      8      8   |  8     8     |    1         1       1      2
type Position struct {
	Ours, Theirs, Pawns, Knights, Bishops, Rooks, Queens, Kings Bitboard

	Key       uint64   // Zobrist in absolute colours
	Castling  Bitboard // squares of the rooks of both sides that may still castle
	EnPassant Square   // square behind the pawn that just advanced; NoSquare if no capture there is legal
	Halfmove  uint8    // plies since the last capture or pawn move, at most 255
	Black     bool     // black is to move
	Fullmove  uint16   // starts at 1, at most 65535
}

// StartPosition returns the initial position of standard chess.
func StartPosition() Position {
	p := Position{
		Ours: rank1 | rank2, Theirs: rank7 | rank8, Pawns: rank2 | rank7,
		Knights: 0x4200000000000042, Bishops: 0x2400000000000024, Rooks: 0x8100000000000081,
		Queens: 0x0800000000000008, Kings: 0x1000000000000010,
		Castling: 0x8100000000000081, EnPassant: NoSquare, Fullmove: 1,
	}
	p.Key = p.computeKey()
	return p
}

// Occupied returns all occupied squares.
func (p *Position) Occupied() Bitboard { return p.Ours | p.Theirs }

// King returns the square of our king.
func (p *Position) King() Square { return (p.Kings & p.Ours).First() }

// Absolute converts a square of the side to move's view to an absolute one, and back.
func (p *Position) Absolute(s Square) Square {
	if p.Black {
		return s ^ 56
	}
	return s
}

// PieceAt returns the type of the piece on s and whether it is ours.
func (p *Position) PieceAt(s Square) (t PieceType, ours bool) {
	return p.typeAt(s), p.Ours.Has(s)
}

// typeAt returns the type of the piece on s without a branch.
func (p *Position) typeAt(s Square) PieceType {
	s &= 63
	return PieceType((p.Pawns|p.Bishops|p.Queens)>>s&1 | (p.Knights|p.Bishops|p.Kings)>>s&1<<1 |
		(p.Rooks|p.Queens|p.Kings)>>s&1<<2)
}

// AttackersTo returns the pieces of both sides that attack s when occ is occupied. It includes pieces outside occ.
func (p *Position) AttackersTo(s Square, occ Bitboard) Bitboard {
	b := s.Bitboard()
	return PawnAttacksDown(b)&p.Pawns&p.Ours | PawnAttacks(b)&p.Pawns&p.Theirs |
		KnightAttacks(s)&p.Knights | KingAttacks(s)&p.Kings |
		RookAttacks(s, occ)&(p.Rooks|p.Queens) | BishopAttacks(s, occ)&(p.Bishops|p.Queens)
}

// Checkers returns the enemy pieces that give check to the side to move.
func (p *Position) Checkers() Bitboard {
	return p.AttackersTo(p.King(), p.Occupied()) & p.Theirs
}

// InCheck reports whether the side to move is in check.
func (p *Position) InCheck() bool { return p.Checkers() != 0 }

// Promotion returns the type to which m promotes a pawn. It is None for other moves.
func (p *Position) Promotion(m Move) PieceType {
	if t := m.Moved(); t != Pawn && p.Pawns.Has(m.From()) {
		return t
	}
	return None
}

// InsufficientMaterial reports whether no sequence of moves can end in mate: there are bare kings, one knight, or bishops
// that all stand on squares of one colour.
func (p *Position) InsufficientMaterial() bool {
	if p.Pawns|p.Rooks|p.Queens != 0 {
		return false
	}
	if p.Knights != 0 {
		return p.Bishops == 0 && !p.Knights.several()
	}
	return p.Bishops&darkSquares == 0 || p.Bishops&^darkSquares == 0
}

// flip mirrors the board and changes sides. It does not change key, clocks and en passant square.
func (p *Position) flip() {
	p.Ours, p.Theirs = p.Theirs.Flip(), p.Ours.Flip()
	p.Pawns, p.Knights, p.Bishops = p.Pawns.Flip(), p.Knights.Flip(), p.Bishops.Flip()
	p.Rooks, p.Queens, p.Kings = p.Rooks.Flip(), p.Queens.Flip(), p.Kings.Flip()
	p.Castling = p.Castling.Flip()
	p.Black = !p.Black
}
