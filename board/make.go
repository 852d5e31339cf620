package board

import (
	"iter"
	"unsafe"
)

// boards returns the eight bitboards of a position as an array: 0 ours, 1 theirs, 1+t the pieces of type t.
func (p *Position) boards() *[8]Bitboard { return (*[8]Bitboard)(unsafe.Pointer(p)) }

// Make writes the position after m, seen by the other side, to next. m must be legal; next must not be p.
func (p *Position) Make(m Move, next *Position) {
	p.move(m, next)
	next.Key = p.keyAfter(m, next)
}

// After is the position after m, a legal move or a null move. Where speed counts, Make fills a position that is there.
func (p *Position) After(m Move) (next Position) {
	if m == NullMove {
		p.MakeNull(&next)
	} else {
		p.Make(m, &next)
	}
	return next
}

// Along are the moves of a line as far as they are legal, each with the position before it.
func (p *Position) Along(line []Move) iter.Seq2[*Position, Move] {
	return func(yield func(*Position, Move) bool) {
		at := *p
		for _, m := range line {
			if !at.IsLegal(m) || !yield(&at, m) {
				return
			}
			at = at.After(m)
		}
	}
}

// move is Make without the key.
func (p *Position) move(m Move, next *Position) {
	from, to, moved, target := m.From(), m.To(), m.Moved(), m.Target()
	p.mirror(next)
	next.Black = !p.Black
	next.Fullmove = p.Fullmove
	if p.Black && p.Fullmove != 65535 {
		next.Fullmove++
	}
	next.EnPassant = NoSquare
	next.Halfmove = min(p.Halfmove, 254) + 1
	castling := p.Castling
	if castling != 0 {
		castling &^= from.Bitboard() | to.Bitboard()
		if moved == King {
			castling &^= rank1
		}
		castling = castling.Flip()
	}
	next.Castling = castling
	if target == King {
		next.castle(from, to)
		return
	}
	b := next.boards()
	fromBit, toBit := (from ^ 56).Bitboard(), (to ^ 56).Bitboard()
	next.Theirs ^= fromBit | toBit
	if target != None {
		next.Ours &^= toBit
		b[(1+target)&7] &^= toBit
		next.Halfmove = 0
	}
	if !p.Pawns.Has(from) {
		b[(1+moved)&7] ^= fromBit | toBit
		return
	}
	next.Halfmove = 0
	next.Pawns ^= fromBit
	b[(1+moved)&7] |= toBit
	switch {
	case to == p.EnPassant:
		victim := toBit << 8
		next.Ours ^= victim
		next.Pawns ^= victim
	case to-from == 16:
		if ep := (to - 8) ^ 56; next.enPassantCapturers(ep) != 0 {
			next.EnPassant = ep
		}
	}
}

// keyAfter returns the key of next, the position after m.
func (p *Position) keyAfter(m Move, next *Position) uint64 {
	from, to, moved, target := m.From(), m.To(), m.Moved(), m.Target()
	us, flip := uint64(0), Square(0)
	if p.Black {
		us, flip = 1, 56
	}
	mine, other := &zobristPiece[us&1], &zobristPiece[us&1^1]
	key := p.Key ^ zobristBlack
	if p.EnPassant != NoSquare {
		key ^= zobristFile[p.EnPassant&7]
	}
	if next.EnPassant != NoSquare {
		key ^= zobristFile[next.EnPassant&7]
	}
	if p.Castling != 0 {
		for lost := p.Castling ^ next.Castling.Flip(); lost != 0; {
			key ^= zobristRook[(lost.Pop()^flip)&63]
		}
	}
	if target == King {
		king, rook := castlingSquares(from, to)
		return key ^ mine[King][(from^flip)&63] ^ mine[King][(king^flip)&63] ^
			mine[Rook][(to^flip)&63] ^ mine[Rook][(rook^flip)&63]
	}
	before, victim := moved, to
	if p.Pawns.Has(from) {
		before = Pawn
		if to == p.EnPassant {
			victim = to - 8
		}
	}
	return key ^ mine[before&7][(from^flip)&63] ^ mine[moved&7][(to^flip)&63] ^ other[target&7][(victim^flip)&63]
}

// MakeNull writes the position after a pass, seen by the other side, to next. The rules of chess allow no pass, but
// null move pruning searches what follows one. The side to move must not be in check; next must not be p.
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

// castle moves the king on from and the rook on to (both from the mover's view) on the mirrored board p.
func (p *Position) castle(from, to Square) {
	king, rook := castlingSquares(from, to)
	fromBit, toBit := (from ^ 56).Bitboard(), (to ^ 56).Bitboard()
	kingBit, rookBit := (king ^ 56).Bitboard(), (rook ^ 56).Bitboard()
	p.Kings ^= fromBit ^ kingBit
	p.Rooks ^= toBit ^ rookBit
	p.Theirs ^= fromBit ^ toBit ^ kingBit ^ rookBit
}

// castlingSquares returns where king and rook stand after castling.
func castlingSquares(king, rook Square) (Square, Square) {
	if rook > king {
		return 6, 5
	}
	return 2, 3
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
