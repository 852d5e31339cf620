package board

// CountLegal returns the number of legal moves without listing them: it counts the bits of target sets.
func (p *Position) CountLegal() int {
	ours, theirs := p.Ours, p.Theirs
	occ := ours | theirs
	king := p.King()
	checkers, pinned := p.checkersAndPinned(king, occ)
	var rooks, walks Bitboard
	if checkers == 0 {
		rooks, walks = p.openCastling(king, occ, pinned)
	}
	flights := KingAttacks(king) &^ ours
	attacked := p.attacked(flights|walks, king)
	n := (flights &^ attacked).Count()
	for rooks != 0 {
		if castlingPaths[king&7][rooks.Pop()&7].walk&attacked == 0 {
			n++
		}
	}
	targets := ^ours
	if checkers != 0 {
		if checkers.several() {
			return n
		}
		targets = between[king&63][checkers.First()&63] | checkers
	}
	if p.EnPassant != NoSquare {
		n += p.enPassantCapturers(p.EnPassant).Count()
	}
	pawns := p.Pawns & ours
	n += countPawns(pawns&^pinned, targets, theirs, occ)
	for b := p.Knights & ours &^ pinned; b != 0; {
		n += (KnightAttacks(b.Pop()) & targets).Count()
	}
	n += countSliders((p.Rooks|p.Queens)&ours&^pinned, (p.Bishops|p.Queens)&ours&^pinned, occ, targets)
	for pinned &= pawns | p.Bishops | p.Rooks | p.Queens; pinned != 0; {
		s := pinned.Pop()
		n += p.countPinned(s, targets&line[king&63][s&63], occ)
	}
	return n
}

// countPawns counts the moves of a set of pawns to targets, without en passant. Pushes and captures have disjoint
// targets, so two counts suffice.
func countPawns(pawns, targets, theirs, occ Bitboard) int {
	once := pawns << 8 &^ occ
	twice := once & rank3 << 8 &^ occ
	a := (once | pawns&^fileA<<7&theirs) & targets
	b := (twice | pawns&^fileH<<9&theirs) & targets
	n := a.Count() + b.Count()
	if pawns&rank7 != 0 {
		n += 3 * ((a & rank8).Count() + (b & rank8).Count())
	}
	return n
}

// countPinned counts the moves to targets of a pinned pawn, bishop, rook or queen on s.
func (p *Position) countPinned(s Square, targets, occ Bitboard) int {
	var a Bitboard
	if p.Pawns.Has(s) {
		return countPawns(s.Bitboard(), targets, p.Theirs, occ)
	}
	if (p.Bishops | p.Queens).Has(s) {
		a = BishopAttacks(s, occ)
	}
	if (p.Rooks | p.Queens).Has(s) {
		a |= RookAttacks(s, occ)
	}
	return (a & targets).Count()
}

// HasLegalMove reports whether the side to move has a legal move.
func (p *Position) HasLegalMove() bool { return p.CountLegal() != 0 }
