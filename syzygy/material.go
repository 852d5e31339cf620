package syzygy

import (
	"fmt"
	"strings"

	"tesla/board"
)

// Codes of pieces in files: pawn 1 to king 6, and blackCode more for the second side of the name.
const (
	pawnCode  = 1
	kingCode  = 6
	blackCode = 8
)

// letters are the pieces but the king, in the order of material.
const letters = "PNBRQ"

// material counts the pieces of both sides without kings: pawns, knights, bishops, rooks, queens. The first side is that
// which the name of a file begins with, white in the file.
type material [2][5]int

// parseName reads the name of a file without its ending, such as KQPvKR.
func parseName(name string) (m material, err error) {
	first, second, found := strings.Cut(name, "v")
	if !found {
		return m, fmt.Errorf("%q is not a name such as KQvKR", name)
	}
	for side, text := range []string{first, second} {
		rest, found := strings.CutPrefix(text, "K")
		if !found {
			return m, fmt.Errorf("%q is not a name such as KQvKR", name)
		}
		for _, c := range rest {
			i := strings.IndexRune(letters, c)
			if i < 0 {
				return m, fmt.Errorf("%q: unknown piece %q", name, c)
			}
			m[side][i]++
		}
	}
	if n := m.count(); n < 3 || n > MaxPieces {
		return m, fmt.Errorf("%q has %d pieces, want 3 to %d", name, n, MaxPieces)
	}
	return m, nil
}

// count is the number of pieces, kings included.
func (m *material) count() int {
	n := 2
	for _, side := range m {
		for _, k := range side {
			n += k
		}
	}
	return n
}

// key identifies a material.
func (m *material) key() (k uint32) {
	for _, side := range m {
		for _, n := range side {
			k = k<<3 | uint32(n)
		}
	}
	return k
}

// swapped is the material with the sides exchanged.
func (m *material) swapped() material { return material{m[1], m[0]} }

// consistsOf tells whether codes are the pieces of the material, kings included.
func (m *material) consistsOf(codes []byte) bool {
	var have material
	kings := [2]int{}
	for _, c := range codes {
		side, kind := c/blackCode, c%blackCode
		switch {
		case kind == kingCode:
			kings[side]++
		case kind >= pawnCode && kind < kingCode:
			have[side][kind-pawnCode]++
		default:
			return false
		}
	}
	return have == *m && kings == [2]int{1, 1}
}

// materialOf is the material of a position, the side to move first.
func materialOf(p *board.Position) (m material) {
	for i, b := range [5]board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens} {
		m[0][i], m[1][i] = (b & p.Ours).Count(), (b & p.Theirs).Count()
	}
	return m
}
