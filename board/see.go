package board

// Worth is the value of each type in a static exchange, in centipawns.
var Worth = [8]int{Pawn: 100, Knight: 300, Bishop: 300, Rook: 500, Queen: 900}

// Gain is the material that the legal move m wins at once, in centipawns: the captured piece, and for a promotion the
// difference between the new piece and a pawn.
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

// SEE is the static exchange evaluation: it tells whether the legal move m wins at least threshold centipawns (pawn 100,
// knight and bishop 300, rook 500, queen 900) when both sides go on capturing on its square with their least valuable
// piece as long as that pays. Pins are ignored, and a pawn that captures on the last rank later in the exchange does not
// promote. Castling is worth 0.
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

// exchange plays the captures on square to out. The opponent is to capture, and balance is what we are ahead of the
// threshold after losing the piece on the square; it tells whether we end at the threshold or above.
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
			// The king takes only what is no longer defended.
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
		// Seen from the side that has just captured: enough even if its piece is lost?
		ourTurn = !ourTurn
		balance = -balance - 1 - Worth[t]
		if balance >= 0 {
			return !ourTurn
		}
	}
}

// leastValuable returns the cheapest type in a set that is not empty.
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
