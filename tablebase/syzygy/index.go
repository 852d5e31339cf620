package syzygy

import "slices"

// The tables that turn squares into an index. Squares count a1 = 0 to h8 = 63; "below the diagonal" is below a1-h8.
var (
	triangle   [64]int     // a1-d1-d4: 6 squares below the diagonal, then the 4 on it
	below      [64]int     // the 28 squares below the diagonal
	twoKings   [10][64]int // of a first king in the triangle and a second: 462 placements
	pawnOrder  [64]int     // squares of pawns from 47 down, a-file and h-file first, ranks 2 to 7
	choose     [7][64]int  // binomial coefficients [k][n]
	leadIndex  [6][64]int  // [leading pawns][square of the first]: index of the first placement
	leadCounts [6][4]int   // [leading pawns][file]: placements
)

const (
	uniqueCounts = 31332 // placements of three pieces of different kinds, symmetry taken off
	kingsCounts  = 462   // of two kings
)

func init() {
	initTriangles()
	initKings()
	for n := range 64 {
		choose[0][n] = 1
		for k := 1; k < len(choose) && k <= n; k++ {
			choose[k][n] = choose[k-1][n-1]
			if k < n {
				choose[k][n] += choose[k][n-1]
			}
		}
	}
	initPawns()
}

// offDiagonal is negative below a1-h8, zero on it, positive above.
func offDiagonal(s int) int { return s>>3 - s&7 }

func initTriangles() {
	n := 0
	for s := range 64 {
		if offDiagonal(s) < 0 {
			below[s] = n
			n++
		}
	}
	n = 0
	for _, on := range []bool{false, true} {
		for s := range 28 {
			if s&7 <= 3 && (on && offDiagonal(s) == 0 || !on && offDiagonal(s) < 0) {
				triangle[s] = n
				n++
			}
		}
	}
}

// inTriangle lists the squares of a1-d1-d4 in the order of triangle.
func inTriangle() (squares [10]int) {
	for s := range 28 {
		if s&7 <= 3 && offDiagonal(s) <= 0 {
			squares[triangle[s]] = s
		}
	}
	return squares
}

// initKings numbers the placements of two kings that are not adjacent; those with both on the diagonal come last.
func initKings() {
	n := 0
	for _, diagonal := range []bool{false, true} {
		for i, first := range inTriangle() {
			for second := range 64 {
				if max(abs(first>>3-second>>3), abs(first&7-second&7)) <= 1 || offDiagonal(first) == 0 && offDiagonal(second) > 0 {
					continue
				}
				if both := offDiagonal(first) == 0 && offDiagonal(second) == 0; both == diagonal {
					twoKings[i][second] = n
					n++
				}
			}
		}
	}
}

func initPawns() {
	n := 47
	for f := range 4 {
		for r := 1; r <= 6; r++ {
			pawnOrder[8*r+f], pawnOrder[8*r+7-f] = n, n-1
			n -= 2
		}
	}
	for pawns := 1; pawns < len(leadIndex); pawns++ {
		for f := range 4 {
			n := 0
			for r := 1; r <= 6; r++ {
				leadIndex[pawns][8*r+f] = n
				n += choose[pawns-1][pawnOrder[8*r+f]]
			}
			leadCounts[pawns][f] = n
		}
	}
}

func abs(x int) int { return max(x, -x) }

// leadFile moves the leading pawn to the front of pawns, the one whose file decides, and returns that file, 0 to 3.
func leadFile(pawns []int) int {
	first := 0
	for i, s := range pawns {
		if pawnOrder[s] > pawnOrder[pawns[first]] {
			first = i
		}
	}
	pawns[0], pawns[first] = pawns[first], pawns[0]
	return min(pawns[0]&7, 7-pawns[0]&7)
}

// index is the index of a placement of pieces in the order of d: squares[i] has the piece d.pieces[i]. It may reorder and
// mirror squares.
func (t *table) index(d *pairs, squares []int) int64 {
	if squares[0]&7 > 3 {
		xor(squares, 7)
	}
	var n int
	if t.pawns[0] > 0 {
		lead := squares[:t.pawns[0]]
		n = leadIndex[len(lead)][lead[0]]
		slices.SortFunc(lead[1:], func(a, b int) int { return pawnOrder[a] - pawnOrder[b] })
		for i, s := range lead[1:] {
			n += choose[i+1][pawnOrder[s]]
		}
	} else {
		if squares[0]>>3 > 3 {
			xor(squares, 56)
		}
		toTriangle(squares, d.groups[0].pieces)
		if t.unique {
			n = threePieces(squares)
		} else {
			n = twoKings[triangle[squares[0]]][squares[1]]
		}
	}
	return d.groups[0].factor*int64(n) + t.rest(d, squares)
}

// rest is the part of the index that the groups after the first contribute: each is a set of squares among those that the
// pieces before leave free, numbered by the combinatorial number system.
func (t *table) rest(d *pairs, squares []int) int64 {
	var sum int64
	at := d.groups[0].pieces
	for k := 1; k < len(d.groups); k++ {
		g := &d.groups[k]
		group := squares[at : at+g.pieces]
		slices.Sort(group)
		n := 0
		for i, s := range group {
			for _, before := range squares[:at] {
				if before < squares[at+i] {
					s--
				}
			}
			if k == 1 && t.pawns[1] > 0 { // pawns never stand on the first rank
				s -= 8
			}
			n += choose[i+1][s]
		}
		sum += g.factor * int64(n)
		at += g.pieces
	}
	return sum
}

func xor(squares []int, mask int) {
	for i := range squares {
		squares[i] ^= mask
	}
}

// toTriangle mirrors the squares at the diagonal where the first of the leading pieces that is off it is above it.
func toTriangle(squares []int, leading int) {
	for i := range leading {
		off := offDiagonal(squares[i])
		if off == 0 {
			continue
		}
		if off > 0 {
			for j := i; j < len(squares); j++ {
				squares[j] = squares[j]>>3 | squares[j]&7<<3
			}
		}
		return
	}
}

// threePieces numbers the squares of three pieces of different kinds, the first of which is in the triangle.
func threePieces(s []int) int {
	adjust1, adjust2 := 0, 0
	if s[1] > s[0] {
		adjust1++
	}
	if s[2] > s[0] {
		adjust2++
	}
	if s[2] > s[1] {
		adjust2++
	}
	switch {
	case offDiagonal(s[0]) != 0:
		return (triangle[s[0]]*63+s[1]-adjust1)*62 + s[2] - adjust2
	case offDiagonal(s[1]) != 0:
		return (6*63+s[0]>>3*28+below[s[1]])*62 + s[2] - adjust2
	case offDiagonal(s[2]) != 0:
		return 6*63*62 + 4*28*62 + s[0]>>3*7*28 + (s[1]>>3-adjust1)*28 + below[s[2]]
	}
	return 6*63*62 + 4*28*62 + 4*7*28 + s[0]>>3*7*6 + (s[1]>>3-adjust1)*6 + s[2]>>3 - adjust2
}
