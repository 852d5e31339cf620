package board

import "unsafe"

// boards views the eight bitboards of a position as an array: 0 ours, 1 theirs, 1+t the pieces of type t.
func (p *Position) boards() *[8]Bitboard { return (*[8]Bitboard)(unsafe.Pointer(p)) }

// Make writes to next the position after m, seen by the other side. m must be legal; next must not be p.
func (p *Position) Make(m Move, next *Position) {
	from, to, moved, target := m.From(), m.To(), m.Moved(), m.Target()
	p.mirror(next)
	us, flip := uint64(0), Square(0)
	if p.Black {
		us, flip = 1, 56
	}
	next.Black = !p.Black
	next.Fullmove = p.Fullmove
	if p.Black && p.Fullmove != 65535 {
		next.Fullmove++
	}
	key := p.Key ^ zobristBlack
	if p.EnPassant != NoSquare {
		key ^= zobristFile[p.EnPassant&7]
	}
	next.EnPassant = NoSquare
	next.Halfmove = p.Halfmove + 1
	if next.Halfmove == 0 {
		next.Halfmove = 255
	}
	castling := p.Castling
	if castling != 0 {
		castling &^= from.Bitboard() | to.Bitboard()
		if moved == King {
			castling &^= rank1
		}
		for lost := castling ^ p.Castling; lost != 0; {
			key ^= zobristRook[(lost.Pop()^flip)&63]
		}
	}
	next.Castling = castling.Flip()

	mine, other := &zobristPiece[us&1], &zobristPiece[us&1^1]
	if target == King {
		next.Key = key ^ next.castle(mine, from, to, flip)
		return
	}
	b := next.boards()
	fromBit, toBit := (from ^ 56).Bitboard(), (to ^ 56).Bitboard()
	before := moved
	if p.Pawns.Has(from) {
		before = Pawn
	}
	b[0] &^= toBit
	b[(1+target)&7] &^= toBit
	b[1] ^= fromBit | toBit
	b[(1+before)&7] ^= fromBit
	b[(1+moved)&7] |= toBit
	key ^= mine[before&7][(from^flip)&63] ^ mine[moved&7][(to^flip)&63] ^ other[target&7][(to^flip)&63]
	if target != None || before == Pawn {
		next.Halfmove = 0
	}
	next.Key = key
	if before == Pawn {
		next.afterPawn(p, from, to, other, flip)
	}
}

// MakeNull writes to next the position after a pass, which no rule of chess allows: null move pruning asks what happens
// when the side to move does nothing. The side to move must not be in check; next must not be p.
func (p *Position) MakeNull(next *Position) {
	p.mirror(next)
	next.Black, next.Fullmove = !p.Black, p.Fullmove
	if p.Black && p.Fullmove != 65535 {
		next.Fullmove++
	}
	next.Key = p.Key ^ zobristBlack
	if p.EnPassant != NoSquare {
		next.Key ^= zobristFile[p.EnPassant&7]
	}
	next.EnPassant, next.Castling = NoSquare, p.Castling.Flip()
	next.Halfmove = min(p.Halfmove, 254) + 1
}

// mirror writes the eight bitboards of p, seen by the other side, to next.
func (p *Position) mirror(next *Position) {
	next.Ours, next.Theirs = p.Theirs.Flip(), p.Ours.Flip()
	next.Pawns, next.Knights, next.Bishops = p.Pawns.Flip(), p.Knights.Flip(), p.Bishops.Flip()
	next.Rooks, next.Queens, next.Kings = p.Rooks.Flip(), p.Queens.Flip(), p.Kings.Flip()
}

// castle moves the king on from and the rook on to (both from the mover's view) on the mirrored board p and returns
// the change of the key.
func (p *Position) castle(mine *[8][64]uint64, from, to, flip Square) uint64 {
	king, rook := castlingSquares(from, to)
	fromBit, toBit := (from ^ 56).Bitboard(), (to ^ 56).Bitboard()
	kingBit, rookBit := (king ^ 56).Bitboard(), (rook ^ 56).Bitboard()
	p.Kings ^= fromBit ^ kingBit
	p.Rooks ^= toBit ^ rookBit
	p.Theirs ^= fromBit ^ toBit ^ kingBit ^ rookBit
	return mine[King][(from^flip)&63] ^ mine[King][(king^flip)&63] ^
		mine[Rook][(to^flip)&63] ^ mine[Rook][(rook^flip)&63]
}

// castlingSquares returns where king and rook stand after castling.
func castlingSquares(king, rook Square) (Square, Square) {
	if rook > king {
		return 6, 5
	}
	return 2, 3
}

// afterPawn finishes a pawn's move on the mirrored board p: it removes the pawn taken en passant, or notes the en
// passant square where the reply is legal. from and to are from the mover's view; old is the position before.
func (p *Position) afterPawn(old *Position, from, to Square, other *[8][64]uint64, flip Square) {
	switch {
	case to == old.EnPassant:
		victim := to - 8
		bit := (victim ^ 56).Bitboard()
		p.Ours ^= bit
		p.Pawns ^= bit
		// Make has removed the key of a pawn on to.
		p.Key ^= other[Pawn][(victim^flip)&63] ^ other[Pawn][(to^flip)&63]
	case to-from == 16:
		ep := (to - 8) ^ 56
		if p.enPassantCapturers(ep) != 0 {
			p.EnPassant = ep
			p.Key ^= zobristFile[ep&7]
		}
	}
}

// enPassantCapturers returns the pawns of the side to move that may legally capture on ep (its view) en passant.
func (p *Position) enPassantCapturers(ep Square) Bitboard {
	if ep >= NoSquare {
		return 0
	}
	candidates := PawnAttacksDown(ep.Bitboard()) & p.Pawns & p.Ours
	if candidates == 0 {
		return 0
	}
	victim := ep.Bitboard() >> 8
	king := p.King()
	var legal Bitboard
	for b := candidates; b != 0; b &= b - 1 {
		capturer := b & -b
		occ := p.Occupied() ^ capturer ^ victim | ep.Bitboard()
		if p.AttackersTo(king, occ)&p.Theirs&^victim == 0 {
			legal |= capturer
		}
	}
	return legal
}
