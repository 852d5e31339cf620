package board

import "math/bits"

// Lookup tables by square, filled when the program starts.
var (
	knightTable [64]Bitboard
	kingTable   [64]Bitboard
	// rookRays and bishopRays are the attacks on an empty board.
	rookRays, bishopRays [64]Bitboard
	// between holds the squares strictly between two squares of one line. It is empty for other pairs of squares.
	between [64][64]Bitboard
	// line holds the whole line through two squares. It is empty if they share no line.
	line [64][64]Bitboard
	// fileMask, diagMask and antiMask are the lines through a square without the square itself.
	fileMask, diagMask, antiMask [64]Bitboard
	// rankTable holds the attacks on the first rank, by the occupancy of the files b to g and the file of the piece.
	rankTable [64][8]uint8
)

func init() {
	initLines()
	for s := Square(0); s < 64; s++ {
		b := s.Bitboard()
		knightTable[s] = knightSet(b)
		side := (b &^ fileA >> 1) | (b &^ fileH << 1)
		column := b | side
		kingTable[s] = side | column<<8 | column>>8
	}
	for s := Square(0); s < 64; s++ {
		rookRays[s] = RookAttacks(s, 0)
		bishopRays[s] = BishopAttacks(s, 0)
	}
	for a := Square(0); a < 64; a++ {
		for b := Square(0); b < 64; b++ {
			if a == b {
				continue
			}
			ab, bb := a.Bitboard(), b.Bitboard()
			if rookRays[a].Has(b) {
				between[a][b] = RookAttacks(a, bb) & RookAttacks(b, ab)
				line[a][b] = rookRays[a]&rookRays[b] | ab | bb
			} else if bishopRays[a].Has(b) {
				between[a][b] = BishopAttacks(a, bb) & BishopAttacks(b, ab)
				line[a][b] = bishopRays[a]&bishopRays[b] | ab | bb
			}
		}
	}
}

// initLines fills the masks of hyperbola quintessence and the first-rank attacks.
func initLines() {
	for s := 0; s < 64; s++ {
		f, r := s&7, s>>3
		for t := 0; t < 64; t++ {
			if t == s {
				continue
			}
			tf, tr := t&7, t>>3
			b := Square(t).Bitboard()
			switch {
			case tf == f:
				fileMask[s] |= b
			case tf-f == tr-r:
				diagMask[s] |= b
			case tf-f == r-tr:
				antiMask[s] |= b
			}
		}
	}
	for occ := 0; occ < 64; occ++ {
		for f := 0; f < 8; f++ {
			var a uint8
			for t := f + 1; t < 8; t++ {
				a |= 1 << t
				if occ<<1>>t&1 != 0 {
					break
				}
			}
			for t := f - 1; t >= 0; t-- {
				a |= 1 << t
				if occ<<1>>t&1 != 0 {
					break
				}
			}
			rankTable[occ][f] = a
		}
	}
}

// hyperbola returns the attacks along one line by o^(o-2r): hyperbola quintessence (Pulleyblank 2007). It does not work
// for ranks.
func hyperbola(occ, bit, mask Bitboard) Bitboard {
	f := occ & mask
	r := bits.ReverseBytes64(uint64(f)) - bits.ReverseBytes64(uint64(bit))<<1
	return (f - bit<<1 ^ Bitboard(bits.ReverseBytes64(r))) & mask
}

// RookAttacks returns the squares a rook on s attacks when occ is occupied.
func RookAttacks(s Square, occ Bitboard) Bitboard {
	s &= 63
	row := s & 56
	rank := Bitboard(rankTable[occ>>(row+1)&63][s&7]) << row
	return rank | hyperbola(occ, 1<<s, fileMask[s])
}

// BishopAttacks returns the squares a bishop on s attacks when occ is occupied.
func BishopAttacks(s Square, occ Bitboard) Bitboard {
	s &= 63
	return hyperbola(occ, 1<<s, diagMask[s]) | hyperbola(occ, 1<<s, antiMask[s])
}

// QueenAttacks returns the squares a queen on s attacks when occ is occupied.
func QueenAttacks(s Square, occ Bitboard) Bitboard {
	return RookAttacks(s, occ) | BishopAttacks(s, occ)
}

// KnightAttacks returns the squares a knight on s attacks.
func KnightAttacks(s Square) Bitboard { return knightTable[s&63] }

// KingAttacks returns the squares a king on s attacks.
func KingAttacks(s Square) Bitboard { return kingTable[s&63] }

// PawnAttacks returns the squares that the pawns of b attack if they move up the board, as those of the side to move
// do.
func PawnAttacks(b Bitboard) Bitboard { return (b &^ fileA << 7) | (b &^ fileH << 9) }

// PawnAttacksDown returns the squares that the pawns of b attack if they move down the board, as the opponent's do.
func PawnAttacksDown(b Bitboard) Bitboard { return (b &^ fileA >> 9) | (b &^ fileH >> 7) }

// Between returns the squares strictly between a and b. It is empty if they share no line.
func Between(a, b Square) Bitboard { return between[a&63][b&63] }

// knightSet returns the squares that a set of knights attacks.
func knightSet(b Bitboard) Bitboard {
	const fileAB, fileGH = fileA | fileA<<1, fileH | fileH>>1
	one := (b &^ fileA >> 1) | (b &^ fileH << 1)
	two := (b &^ fileAB >> 2) | (b &^ fileGH << 2)
	return one<<16 | one>>16 | two<<8 | two>>8
}

// PieceAttacks returns the squares that the pieces of side, without its pawns, attack. Pins are ignored.
func (p *Position) PieceAttacks(side, occupied Bitboard) Bitboard {
	a := KingAttacks((p.Kings & side).First())
	for b := p.Knights & side; b != 0; {
		a |= KnightAttacks(b.Pop())
	}
	for b := (p.Bishops | p.Queens) & side; b != 0; {
		a |= BishopAttacks(b.Pop(), occupied)
	}
	for b := (p.Rooks | p.Queens) & side; b != 0; {
		a |= RookAttacks(b.Pop(), occupied)
	}
	return a
}
