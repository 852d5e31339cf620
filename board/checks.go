package board

import "slices"

// QuietChecks appends to dst the legal moves that give check and are neither captures nor promotions nor castling. The
// side to move must not be in check.
func (p *Position) QuietChecks(dst []Move) []Move {
	if cap(dst)-len(dst) < MaxMoves {
		dst = slices.Grow(dst, MaxMoves)
	}
	ours, occ := p.Ours, p.Occupied()
	king, enemy := p.King(), (p.Kings & p.Theirs).First()
	_, pinned := p.checkersAndPinned(king, occ)
	screens := p.Blockers(p.Theirs) & ours
	l := moveList{moves: dst}
	// wanted returns the empty squares on which a piece from s gives check: by itself on direct squares, or by leaving the
	// line between a slider of ours and the king.
	wanted := func(s Square, direct Bitboard) Bitboard {
		if screens.Has(s) {
			direct |= ^line[enemy&63][s&63]
		}
		return direct &^ occ & pinLine(king, s, pinned)
	}
	if screens.Has(king) {
		flights := KingAttacks(king) &^ occ &^ line[enemy&63][king&63]
		l.add(king, King, flights&^p.attacked(flights, king))
	}
	hits := PawnAttacksDown(enemy.Bitboard())
	for b := p.Pawns & ours; b != 0; {
		from := b.Pop()
		once := from.Bitboard() << 8 &^ occ &^ rank8
		l.add(from, Pawn, (once|once&rank3<<8)&wanted(from, hits))
	}
	for b := p.Knights & ours; b != 0; {
		from := b.Pop()
		l.add(from, Knight, KnightAttacks(from)&wanted(from, KnightAttacks(enemy)))
	}
	rooks, bishops := RookAttacks(enemy, occ), BishopAttacks(enemy, occ)
	for b := p.Bishops & ours; b != 0; {
		from := b.Pop()
		l.add(from, Bishop, BishopAttacks(from, occ)&wanted(from, bishops))
	}
	for b := p.Rooks & ours; b != 0; {
		from := b.Pop()
		l.add(from, Rook, RookAttacks(from, occ)&wanted(from, rooks))
	}
	for b := p.Queens & ours; b != 0; {
		from := b.Pop()
		l.add(from, Queen, QueenAttacks(from, occ)&wanted(from, rooks|bishops))
	}
	return l.moves
}

// Blockers returns the pieces that alone stand between the king of a side and a slider of the other side.
func (p *Position) Blockers(side Bitboard) (blockers Bitboard) {
	king, occ := (p.Kings & side).First(), p.Occupied()
	snipers := (rookRays[king&63]&(p.Rooks|p.Queens) | bishopRays[king&63]&(p.Bishops|p.Queens)) &^ side
	for snipers != 0 {
		if b := between[king&63][snipers.Pop()&63] & occ; b&(b-1) == 0 {
			blockers |= b
		}
	}
	return blockers
}

// Checks are the squares of a position on which a piece of the side to move gives check. They tell which of many moves
// give check sooner than GivesCheck does.
type Checks struct {
	squares [8]Bitboard // by type
	screens Bitboard    // our pieces that may open a line to the king
}

// Checks finds the squares.
func (p *Position) Checks() Checks {
	king, occ := (p.Kings & p.Theirs).First(), p.Occupied()
	rooks, bishops := RookAttacks(king, occ), BishopAttacks(king, occ)
	return Checks{[8]Bitboard{Pawn: PawnAttacksDown(king.Bitboard()), Knight: KnightAttacks(king), Bishop: bishops, Rook: rooks,
		Queen: rooks | bishops}, p.Blockers(p.Theirs) & p.Ours}
}

// Give is p.GivesCheck(m) in the position p whose Checks these are.
func (c *Checks) Give(p *Position, m Move) bool {
	from, moved := m.From(), m.Moved()
	if c.screens.Has(from) || moved == Pawn && m.To() == p.EnPassant || m.IsCastling() || moved != Pawn && p.Pawns.Has(from) {
		return p.GivesCheck(m)
	}
	return c.squares[moved].Has(m.To())
}
