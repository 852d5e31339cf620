package board

import "slices"

// moveList collects moves. lo, mid and hi hold the three bits of the type of the enemy piece on each square.
type moveList struct {
	moves       []Move
	lo, mid, hi Bitboard
}

// add appends the moves of one piece.
func (l *moveList) add(from Square, moved PieceType, targets Bitboard) {
	base := NewMove(from, 0, moved, None)
	moves := l.moves
	for targets != 0 {
		to := targets.Pop()
		moves = append(moves, base|Move(to)<<6|l.target(to))
	}
	l.moves = moves
}

// target returns the type of the enemy piece on s, shifted to the target bits of a Move.
func (l *moveList) target(s Square) Move {
	s &= 63
	return Move(l.lo>>s&1<<15 | l.mid>>s&1<<16 | l.hi>>s&1<<17)
}

// addPawns appends the pawn moves to targets. Each pawn stands shift squares below its target.
func (l *moveList) addPawns(targets Bitboard, shift Square, queenOnly bool) {
	moves := l.moves
	for targets != 0 {
		to := targets.Pop()
		base := NewMove(to-shift, to, None, None) | l.target(to)
		if to < 56 {
			moves = append(moves, base|Move(Pawn)<<12)
			continue
		}
		moves = append(moves, base|Move(Queen)<<12)
		if !queenOnly {
			moves = append(moves, base|Move(Knight)<<12, base|Move(Rook)<<12, base|Move(Bishop)<<12)
		}
	}
	l.moves = moves
}

// LegalMoves appends all legal moves to dst, at most MaxMoves.
func (p *Position) LegalMoves(dst []Move) []Move { return p.generate(dst, false) }

// LegalCaptures appends the moves of a quiescence search to dst: the legal captures, en passant included, and the pawn
// promotions to a queen.
func (p *Position) LegalCaptures(dst []Move) []Move { return p.generate(dst, true) }

// generate appends the legal moves, or only those of LegalCaptures.
func (p *Position) generate(dst []Move, captures bool) []Move {
	if cap(dst)-len(dst) < MaxMoves {
		dst = slices.Grow(dst, MaxMoves)
	}
	ours, theirs := p.Ours, p.Theirs
	occ := ours | theirs
	king := p.King()
	checkers, pinned := p.checkersAndPinned(king, occ)
	l := moveList{
		moves: dst,
		lo:    (p.Pawns | p.Bishops | p.Queens) & theirs,
		mid:   (p.Knights | p.Bishops | p.Kings) & theirs,
		hi:    (p.Rooks | p.Queens | p.Kings) & theirs,
	}
	wanted, pushes := ^ours, ^occ
	if captures {
		wanted, pushes = theirs, ^occ&rank8
	}
	var rooks, walks Bitboard
	if !captures && checkers == 0 {
		rooks, walks = p.openCastling(king, occ, pinned)
	}
	flights := KingAttacks(king) & wanted
	attacked := p.attacked(flights|walks, king)
	l.add(king, King, flights&^attacked)
	for rooks != 0 {
		if rook := rooks.Pop(); castlingPaths[king&7][rook&7].walk&attacked == 0 {
			l.moves = append(l.moves, NewMove(king, rook, King, King))
		}
	}
	targets := ^Bitboard(0)
	if checkers != 0 {
		if checkers.several() {
			return l.moves
		}
		checker := checkers.First()
		targets = between[king&63][checker&63] | checkers
	}
	if p.EnPassant != NoSquare {
		for b := p.enPassantCapturers(p.EnPassant); b != 0; {
			l.moves = append(l.moves, NewMove(b.Pop(), p.EnPassant, Pawn, Pawn))
		}
	}
	p.generatePawns(&l, king, pinned, targets, pushes, captures)
	wanted &= targets
	for b := p.Knights & ours &^ pinned; b != 0; {
		from := b.Pop()
		l.add(from, Knight, KnightAttacks(from)&wanted)
	}
	p.generateSliders(&l, king, pinned, occ, wanted)
	return l.moves
}

// generatePawns appends the pawn moves without en passant.
func (p *Position) generatePawns(l *moveList, king Square, pinned, targets, pushes Bitboard, captures bool) {
	pawns := p.Pawns & p.Ours
	empty := ^(p.Ours | p.Theirs)
	advance := func(set, targets Bitboard) {
		once := set << 8 & empty
		l.addPawns(set&^fileA<<7&p.Theirs&targets, 7, captures)
		l.addPawns(set&^fileH<<9&p.Theirs&targets, 9, captures)
		l.addPawns(once&targets&pushes, 8, captures)
		l.addPawns(once&rank3<<8&targets&pushes, 16, captures)
	}
	advance(pawns&^pinned, targets)
	for b := pawns & pinned; b != 0; b &= b - 1 {
		advance(b&-b, targets&line[king&63][b.First()&63])
	}
}

// generateSliders appends the moves of bishops, rooks and queens to wanted squares.
func (p *Position) generateSliders(l *moveList, king Square, pinned, occ, wanted Bitboard) {
	for b := p.Bishops & p.Ours; b != 0; {
		from := b.Pop()
		l.add(from, Bishop, BishopAttacks(from, occ)&wanted&pinLine(king, from, pinned))
	}
	for b := p.Rooks & p.Ours; b != 0; {
		from := b.Pop()
		l.add(from, Rook, RookAttacks(from, occ)&wanted&pinLine(king, from, pinned))
	}
	for b := p.Queens & p.Ours; b != 0; {
		from := b.Pop()
		l.add(from, Queen, QueenAttacks(from, occ)&wanted&pinLine(king, from, pinned))
	}
}

// pinLine returns the squares to which a pin lets the piece on s move: all squares if it is not pinned.
func pinLine(king, s Square, pinned Bitboard) Bitboard {
	if pinned.Has(s) {
		return line[king&63][s&63]
	}
	return ^Bitboard(0)
}

// checkersAndPinned returns the enemy pieces that check the king and our pieces that are pinned to it.
func (p *Position) checkersAndPinned(king Square, occ Bitboard) (checkers, pinned Bitboard) {
	theirs := p.Theirs
	checkers = (KnightAttacks(king)&p.Knights | PawnAttacks(king.Bitboard())&p.Pawns) & theirs
	snipers := (rookRays[king&63]&(p.Rooks|p.Queens) | bishopRays[king&63]&(p.Bishops|p.Queens)) & theirs
	for snipers != 0 {
		s := snipers.Pop()
		b := between[king&63][s&63] & occ
		if b == 0 {
			checkers |= s.Bitboard()
		}
		if b&(b-1) == 0 {
			pinned |= b
		}
	}
	return checkers, pinned & p.Ours
}

// attacked returns squares that the enemy attacks once our king has left its square. The result is complete within
// want, and no further.
func (p *Position) attacked(want Bitboard, king Square) Bitboard {
	theirs := p.Theirs
	a := PawnAttacksDown(p.Pawns&theirs) | knightSet(p.Knights&theirs) | KingAttacks((p.Kings & theirs).First())
	want &^= a
	if want == 0 {
		return a
	}
	occ := p.Ours ^ king.Bitboard() | theirs
	for b := (p.Bishops | p.Queens) & theirs; b != 0; {
		if s := b.Pop(); bishopRays[s&63]&want != 0 {
			a |= BishopAttacks(s, occ)
		}
	}
	for b := (p.Rooks | p.Queens) & theirs; b != 0; {
		if s := b.Pop(); rookRays[s&63]&want != 0 {
			a |= RookAttacks(s, occ)
		}
	}
	return a
}

// openCastling returns the rooks with which the king may castle unless a square on its walk is attacked, and those
// squares. The king must not be in check.
func (p *Position) openCastling(king Square, occ, pinned Bitboard) (rooks, walks Bitboard) {
	for b := p.Castling & rank1 &^ pinned; b != 0; {
		rook := b.Pop()
		if c := &castlingPaths[king&7][rook&7]; c.empty&occ == 0 {
			rooks |= rook.Bitboard()
			walks |= c.walk
		}
	}
	return rooks, walks
}

// castlingPaths holds, by the files of king and rook on the back rank, the squares that must be empty and the squares
// that the king enters.
var castlingPaths [8][8]struct{ empty, walk Bitboard }

func init() {
	span := func(a, b Square) Bitboard {
		if a > b {
			a, b = b, a
		}
		return (b.Bitboard()<<1 - 1) &^ (a.Bitboard() - 1)
	}
	for k := Square(0); k < 8; k++ {
		for r := Square(0); r < 8; r++ {
			if r == k {
				continue
			}
			kingTo, rookTo := castlingSquares(k, r)
			both := k.Bitboard() | r.Bitboard()
			castlingPaths[k][r].empty = (span(k, kingTo) | span(r, rookTo)) &^ both
			castlingPaths[k][r].walk = span(k, kingTo) &^ k.Bitboard()
		}
	}
}
