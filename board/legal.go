package board

// IsLegal reports whether m is a legal move. m may be any value. No moves are generated.
func (p *Position) IsLegal(m Move) bool {
	if m>>18 != 0 {
		return false
	}
	from, to, moved, target := m.From(), m.To(), m.Moved(), m.Target()
	if !p.Ours.Has(from) {
		return false
	}
	occ := p.Occupied()
	king := p.King()
	before := p.typeAt(from)
	if target == King {
		if before != King || moved != King || !p.Castling.Has(to) {
			return false
		}
		checkers, pinned := p.checkersAndPinned(king, occ)
		rooks, _ := p.openCastling(king, occ, pinned)
		walk := castlingPaths[king&7][to&7].walk
		return checkers == 0 && rooks.Has(to) && walk&p.attacked(walk, king) == 0
	}
	if p.Ours.Has(to) {
		return false
	}
	if before == Pawn {
		if (to >= 56) != (moved >= Knight && moved <= Queen) || to < 56 && moved != Pawn {
			return false
		}
		if to == p.EnPassant && target == Pawn {
			return p.enPassantCapturers(to).Has(from)
		}
	} else if moved != before {
		return false
	}
	if p.typeAt(to) != target || !p.reach(before, from, occ).Has(to) {
		return false
	}
	if before == King {
		return !p.attacked(to.Bitboard(), king).Has(to)
	}
	checkers, pinned := p.checkersAndPinned(king, occ)
	if checkers != 0 {
		if checkers.several() || !(between[king&63][checkers.First()&63] | checkers).Has(to) {
			return false
		}
	}
	return pinLine(king, from, pinned).Has(to)
}

// reach returns the squares to which our piece of type t on s moves, without castling and en passant. It ignores checks
// and pins, and may include squares of our own pieces.
func (p *Position) reach(t PieceType, s Square, occ Bitboard) Bitboard {
	switch t {
	case Pawn:
		once := s.Bitboard() << 8 &^ occ
		return once | once&rank3<<8&^occ | PawnAttacks(s.Bitboard())&p.Theirs
	case Knight:
		return KnightAttacks(s)
	case Bishop:
		return BishopAttacks(s, occ)
	case Rook:
		return RookAttacks(s, occ)
	case Queen:
		return QueenAttacks(s, occ)
	default:
		return KingAttacks(s)
	}
}

// GivesCheck reports whether the legal move m leaves the opponent in check.
func (p *Position) GivesCheck(m Move) bool {
	from, to, moved := m.From(), m.To(), m.Moved()
	king := (p.Kings & p.Theirs).First()
	occ := p.Occupied()&^from.Bitboard() | to.Bitboard()
	// A piece on to is captured, or is the castling rook.
	rooks, bishops := (p.Rooks|p.Queens)&^to.Bitboard(), (p.Bishops|p.Queens)&^to.Bitboard()
	switch {
	case m.IsCastling():
		kingTo, rookTo := castlingSquares(from, to)
		occ = occ&^to.Bitboard() | kingTo.Bitboard() | rookTo.Bitboard()
		rooks = rooks&p.Ours | rookTo.Bitboard()
		return RookAttacks(king, occ)&rooks != 0 || BishopAttacks(king, occ)&bishops&p.Ours != 0
	case moved == Pawn:
		if PawnAttacks(to.Bitboard()).Has(king) {
			return true
		}
		if to == p.EnPassant {
			occ &^= to.Bitboard() >> 8
		}
	case moved == Knight:
		if KnightAttacks(to).Has(king) {
			return true
		}
	case moved == Bishop:
		bishops |= to.Bitboard()
	case moved == Rook:
		rooks |= to.Bitboard()
	case moved == Queen:
		bishops |= to.Bitboard()
		rooks |= to.Bitboard()
	}
	attackers := (p.Ours | to.Bitboard()) &^ from.Bitboard()
	rooks, bishops = rooks&attackers&rookRays[king&63], bishops&attackers&bishopRays[king&63]
	return rooks != 0 && RookAttacks(king, occ)&rooks != 0 || bishops != 0 && BishopAttacks(king, occ)&bishops != 0
}
