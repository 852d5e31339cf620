package tablefile

import (
	"strings"

	"tesla/board"
)

// Material counts the pieces of both sides without kings: pawns, knights, bishops, rooks, queens. The first side is
// that which the name of a file begins with, white in the file.
type Material [2][5]int

// letters are the pieces but the king, in the order of Material.
const letters = "PNBRQ"

// MaterialOf is the material of a position, the side to move first.
func MaterialOf(p *board.Position) (m Material) {
	for i, b := range [5]board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens} {
		m[0][i], m[1][i] = (b & p.Ours).Count(), (b & p.Theirs).Count()
	}
	return m
}

// Add counts one more piece of a side, named by its capital letter. It returns false where that names no piece but the
// king.
func (m *Material) Add(side int, letter rune) bool {
	i := strings.IndexRune(letters, letter)
	if i >= 0 {
		m[side][i]++
	}
	return i >= 0
}

// Count is the number of pieces, kings included.
func (m *Material) Count() int {
	n := 2
	for _, side := range m {
		for _, k := range side {
			n += k
		}
	}
	return n
}

// Key identifies a material: no side has more than fifteen pieces of a kind.
func (m *Material) Key() (k uint64) {
	for _, side := range m {
		for _, n := range side {
			k = k<<4 | uint64(n)
		}
	}
	return k
}

// KeyOf is the Key of the material of a position, the side to move first.
func KeyOf(p *board.Position) (k uint64) {
	for _, side := range [2]board.Bitboard{p.Ours, p.Theirs} {
		k = k<<20 | uint64((p.Pawns&side).Count())<<16 | uint64((p.Knights&side).Count())<<12 |
			uint64((p.Bishops&side).Count())<<8 | uint64((p.Rooks&side).Count())<<4 | uint64((p.Queens & side).Count())
	}
	return k
}

// Swapped is the material with the sides exchanged.
func (m *Material) Swapped() Material { return Material{m[1], m[0]} }

// Ordered is the material with the side first that names of files begin with: the one with more pieces, or else with stronger
// ones.
func (m Material) Ordered() Material {
	strength := func(side [5]int) (n int) {
		for _, k := range side {
			n += k
		}
		for i := len(side) - 1; i >= 0; i-- {
			n = n<<4 | side[i]
		}
		return n
	}
	if strength(m[1]) > strength(m[0]) {
		return m.Swapped()
	}
	return m
}

// String is the material as messages name it, such as KQPvKR.
func (m Material) String() string {
	var b strings.Builder
	for side, counts := range m {
		if side == 1 {
			b.WriteByte('v')
		}
		b.WriteByte('K')
		for i := len(counts) - 1; i >= 0; i-- {
			b.WriteString(strings.Repeat(letters[i:i+1], counts[i]))
		}
	}
	return b.String()
}
