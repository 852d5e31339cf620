package gaviota

import (
	"slices"

	"tesla/board"
)

// Numbers of placements.
const (
	kingPlacements = 462 // of both kings, by symmetry
	pairsOf64      = 64 * 63 / 2
	triplesOf64    = 64 * 63 * 62 / 6
	pairsOf48      = 48 * 47 / 2
	pairsOf24      = 24 * 23 / 2
	triplesOf24    = 24 * 23 * 22 / 6
)

// Symmetries of the board: a sum of these is what turned maps squares by.
const (
	mirrorFiles = 1 << iota
	mirrorRanks
	mirrorDiagonal // a1-h8
)

// turned maps squares by each symmetry.
var turned = func() (t [8][64]uint8) {
	for symmetry := range t {
		for s := range t[symmetry] {
			x := s
			if symmetry&mirrorFiles != 0 {
				x ^= 7
			}
			if symmetry&mirrorRanks != 0 {
				x ^= 56
			}
			if symmetry&mirrorDiagonal != 0 {
				x = x>>3 | x&7<<3
			}
			t[symmetry][s] = uint8(x)
		}
	}
	return t
}()

// kings has, by the squares of the black and the white king, the symmetry that brings them into the triangle, and the
// index of their placement.
var kings = func() (all [64][64]struct {
	turn  uint8
	index uint16
}) {
	count := uint16(0)
	for black := range 64 {
		for white := range 64 {
			k := &all[black][white]
			k.turn = triangle(black, white)
			b, w := int(turned[k.turn][black]), int(turned[k.turn][white])
			if white == black || board.KingAttacks(board.Square(black)).Has(board.Square(white)) {
				continue
			}
			if b == black && w == white { // the first of those that are the same by symmetry
				k.index = count
				count++
			}
			k.index = all[b][w].index
		}
	}
	return all
}()

// triangle is the symmetry that brings the black king into the triangle a1-d1-d4, and the white king to the side below
// the diagonal where the black king is on it.
func triangle(black, white int) (symmetry uint8) {
	if black&7 > 3 {
		symmetry |= mirrorFiles
	}
	if black>>3 > 3 {
		symmetry |= mirrorRanks
	}
	b, w := turned[symmetry][black], turned[symmetry][white]
	if b>>3 > b&7 || b>>3 == b&7 && w>>3 > w&7 {
		symmetry |= mirrorDiagonal
	}
	return symmetry
}

// lexical numbers the pairs of different squares below n in lexicographic order, the lower square first.
func lexical(n, a, b int) int64 {
	if a > b {
		a, b = b, a
	}
	return int64(a*(2*n-a-1)/2 + b - a - 1)
}

// colexical numbers the triples a < b < c in colexicographic order.
func colexical(a, b, c int) int64 { return int64(a + b*(b-1)/2 + c*(c-1)*(c-2)/6) }

// pawnPlacements is the number of placements of white's and black's pawns, by symmetry.
func pawnPlacements(pawns [2]int) int64 {
	switch pawns {
	case [2]int{1, 0}, [2]int{0, 1}:
		return 24
	case [2]int{1, 1}:
		return 24 * 48
	case [2]int{2, 0}:
		return pawnPairs
	case [2]int{2, 1}:
		return 24 * pairsOf48
	}
	return triplesOf24 + 24*pairsOf24
}

// pawnIndex numbers the placements of white's and black's pawns, and reports whether the board has to be mirrored.
func pawnIndex(white, black [3]int, pawns [2]int) (index int64, mirror bool) {
	switch pawns {
	case [2]int{1, 0}:
		return half(white[0] ^ 56), kingside(white[0])
	case [2]int{0, 1}:
		return half(black[0]), kingside(black[0])
	case [2]int{1, 1}:
		if mirror = kingside(white[0]); mirror {
			black[0] ^= 7
		}
		return half(white[0]^56)*48 + int64(black[0]-8), mirror
	case [2]int{2, 0}:
		anchor, loose := anchorFirst(white[0], white[1])
		if mirror = kingside(anchor); mirror {
			loose ^= 7
		}
		return int64(pawnPair[half(anchor^56)][loose^56-8]), mirror
	case [2]int{2, 1}:
		if mirror = kingside(black[0]); mirror {
			white[0], white[1] = white[0]^7, white[1]^7
		}
		return half(black[0])*pairsOf48 + lexical(48, 55-white[0], 55-white[1]), mirror
	}
	return threePawns(white)
}

// kingside reports whether a square is on the files e to h.
func kingside(s int) bool { return s&7 > 3 }

// half numbers the squares of a pawn that moves down the board, the most advanced first, on the files a to d. Those of
// the files e to h have the number of the mirrored square.
func half(s int) int64 {
	if kingside(s) {
		s ^= 7
	}
	return int64(s>>3-1)*4 + int64(s&7)
}

// anchorFirst orders two white pawns: the more advanced one is the anchor; on one rank that nearer to the edge, and
// else that on the files a to d.
func anchorFirst(a, b int) (anchor, loose int) {
	edge := func(s int) int { return max(s&7, s&7^7) }
	switch {
	case b>>3 != a>>3:
		if b>>3 > a>>3 {
			return b, a
		}
	case edge(a) != edge(b):
		if edge(b) > edge(a) {
			return b, a
		}
	case b < a:
		return b, a
	}
	return a, b
}

// pawnPairs is the number of placements of two white pawns, by symmetry.
const pawnPairs = 576

// pawnPair numbers the placements of two white pawns, by the number of the anchor's square, the most advanced first,
// and that of the other's. They are numbered in the order in which a first pawn on the files h to e, from h7 down, and
// a second one on a lower square come to them.
var pawnPair = func() (index [24][48]int16) {
	for i := range index {
		for k := range index[i] {
			index[i][k] = -1
		}
	}
	count := int16(0)
	for a := 55; a >= 8; a-- {
		for b := a - 1; b >= 8 && kingside(a); b-- {
			anchor, loose := anchorFirst(a, b)
			if kingside(anchor) {
				loose ^= 7
			}
			if x := &index[half(anchor^56)][loose^56-8]; *x < 0 {
				*x = count
				count++
			}
		}
	}
	return index
}()

// threePawns numbers the placements of three white pawns, at least two of which are on the files a to d or brought
// there. The squares of the files e to h come first, in the order h7 g7 f7 e7 h6 .. e2, then d7 c7 b7 a7 d6 .. a2.
// Triples of these numbers are in lexicographic order.
func threePawns(pawns [3]int) (index int64, mirror bool) {
	count := 0
	for _, s := range pawns {
		if kingside(s) {
			count++
		}
	}
	mirror = count > 1
	var order [3]int
	for i, s := range pawns {
		if mirror {
			s ^= 7
		}
		order[i] = (6-s>>3)*4 + 3 - s&3
		if !kingside(s) {
			order[i] += 24
		}
	}
	slices.Sort(order[:])
	x, y, z := order[0], order[1]-24, order[2]-24
	if x < 24 {
		return int64(x)*pairsOf24 + lexical(24, y, z), mirror
	}
	// The lexicographic order is the colexicographic one of the opposite numbers, from its end.
	return 24*pairsOf24 + triplesOf24 - 1 - colexical(23-z, 23-y, 47-x), mirror
}
