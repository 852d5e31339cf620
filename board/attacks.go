package board

import "math/bits"

// fileIndex is the diagonal from c7 to h2.
const fileIndex Bitboard = 0x0080402010080400

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
	// diagonals holds the two lines of a bishop through a square, without the square itself.
	diagonals [64]struct{ up, down Bitboard }
	// rankAttacks holds the attacks along a rank, on each of the eight ranks, by the file of the piece and the occupancy
	// of the files b to g.
	rankAttacks [8][64]Bitboard
	// fileAttacks holds the attacks along file a, by the rank of the piece and the occupancy of the ranks 2 to 7, which
	// the product with fileIndex has in its highest bits.
	fileAttacks [8][64]Bitboard
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

// initLines fills the tables of the lines.
func initLines() {
	for s := range diagonals {
		f, r := s&7, s>>3
		for t := range diagonals {
			tf, tr := t&7, t>>3
			switch b := Square(t).Bitboard(); {
			case t == s:
			case tf-f == tr-r:
				diagonals[s].up |= b
			case tf-f == r-tr:
				diagonals[s].down |= b
			}
		}
	}
	for occ := Bitboard(0); occ < 64; occ++ {
		for f := 0; f < 8; f++ {
			var rank, file Bitboard
			reach := func(t int) (blocked bool) {
				rank |= fileA << t
				file |= 1 << (8 * t)
				return occ<<1>>t&1 != 0
			}
			for t := f + 1; t < 8 && !reach(t); t++ {
			}
			for t := f - 1; t >= 0 && !reach(t); t-- {
			}
			rankAttacks[f][occ] = rank
			// The product turns the order of the ranks round.
			fileAttacks[f][bits.Reverse8(uint8(occ))>>2] = file
		}
	}
}

// RookAttacks returns the squares a rook on s attacks when occ is occupied. The occupancy of a line is gathered in six
// bits by a multiplication (kindergarten bitboards, Tannous 2007); the squares at its ends never matter.
func RookAttacks(s Square, occ Bitboard) Bitboard {
	f, row := s&7, s&56
	column := occ >> f & fileA * fileIndex >> 58
	return fileAttacks[row>>3][column]<<f | rankAttacks[f][occ>>(row+1)&63]&(rank1<<row)
}

// BishopAttacks returns the squares a bishop on s attacks when occ is occupied.
func BishopAttacks(s Square, occ Bitboard) Bitboard {
	l := &diagonals[s&63]
	attacks := &rankAttacks[s&7]
	return attacks[l.up&occ*(fileA<<1)>>58]&l.up | attacks[l.down&occ*(fileA<<1)>>58]&l.down
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
