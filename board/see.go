package board

// Worth is the value of each type in a static exchange, in centipawns.
var Worth = [8]int{Pawn: 100, Knight: 300, Bishop: 300, Rook: 500, Queen: 900}

// Gain returns the material that the legal move m wins at once, in centipawns: the captured piece, and for a pawn
// promotion the difference between the new piece and the pawn.
func (p *Position) Gain(m Move) int {
	won := 0
	if m.IsCapture() {
		won = Worth[m.Target()&7]
	}
	if promoted := p.Promotion(m); promoted != None {
		won += Worth[promoted&7] - Worth[Pawn]
	}
	return won
}

// SEE is the static exchange evaluation. It reports whether the legal move m wins at least threshold centipawns, by
// Worth, when both sides then capture on the target square with their least valuable piece for as long as that pays. It
// ignores pins, and a pawn that captures on the last rank later in the exchange does not promote. Castling is worth 0.
func (p *Position) SEE(m Move, threshold int) bool {
	if m.IsCastling() {
		return threshold <= 0
	}
	from, to, target := m.From(), m.To(), m.Target()
	balance := p.Gain(m) - threshold
	victim := Worth[m.Moved()]
	if balance < 0 {
		return false
	}
	balance -= victim
	if balance >= 0 {
		return true
	}
	occ := p.Occupied()&^from.Bitboard() | to.Bitboard()
	if target == Pawn && to == p.EnPassant {
		occ &^= to.Bitboard() >> 8
	}
	return p.exchange(to, occ, balance)
}

// exchange plays the captures on a square. The opponent captures first. balance is our material above the threshold if
// we lose the piece on the square. The result reports whether we end at or above the threshold.
func (p *Position) exchange(to Square, occ Bitboard, balance int) bool {
	attackers := p.AttackersTo(to, occ) & occ &^ to.Bitboard()
	straight, slanted := p.Rooks|p.Queens, p.Bishops|p.Queens
	ourTurn := false
	for {
		side := p.Theirs
		if ourTurn {
			side = p.Ours
		}
		mine := attackers & side
		if mine == 0 {
			return !ourTurn
		}
		t := p.leastValuable(mine)
		if t == King {
			// A king may not capture a defended piece.
			return ourTurn == (attackers&^side == 0)
		}
		piece := mine & p.boards()[1+t]
		occ ^= piece & -piece
		if t == Pawn || t == Bishop || t == Queen {
			attackers |= BishopAttacks(to, occ) & slanted
		}
		if t == Rook || t == Queen {
			attackers |= RookAttacks(to, occ) & straight
		}
		attackers &= occ &^ to.Bitboard()
		// The side that has just captured is content if its balance holds even without the capturing piece.
		ourTurn = !ourTurn
		balance = -balance - 1 - Worth[t]
		if balance >= 0 {
			return !ourTurn
		}
	}
}

// leastValuable returns the least valuable type of piece in a set that is not empty.
func (p *Position) leastValuable(set Bitboard) PieceType {
	switch {
	case set&p.Pawns != 0:
		return Pawn
	case set&p.Knights != 0:
		return Knight
	case set&p.Bishops != 0:
		return Bishop
	case set&p.Rooks != 0:
		return Rook
	case set&p.Queens != 0:
		return Queen
	}
	return King
}
