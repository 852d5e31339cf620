package gaviota

import (
	"fmt"
	"slices"
	"strings"

	"tesla/board"
	"tesla/tablebase/tablefile"
)

// MaxPieces is the largest number of pieces, kings included, that tables of the format have.
const MaxPieces = 5

// letters are the pieces but the king, the strongest first, as names of files have them.
const letters = "qrbnp"

// The places of the pieces in a Material.
const (
	pawn  = 0
	queen = 4
)

// Layout is how the positions of one material are numbered. White is the side that the name begins with.
//
// Without pawns the board is turned until the black king is in the triangle a1-d1-d4; an index counts the placements of
// both kings, then those of the other pieces. With pawns the board is mirrored until a pawn is on the files a to d; an
// index counts the placements of the pawns, then the white king's, the black king's and the other pieces' squares.
// Equal pieces are counted as one combination of squares, and those come before single pieces.
type Layout struct {
	material tablefile.Material
	pawns    [2]int  // white's and black's
	groups   []group // of the other pieces
	size     int64   // indices of each side to move; many of them stand for no legal position
}

// group is one to three equal pieces of a side that are neither kings nor pawns.
type group struct {
	side, kind, pieces int
	placements         int64
}

// NewLayout returns the layout of a name such as kqkr.
func NewLayout(name string) (*Layout, error) {
	m, err := parseName(name)
	if err != nil {
		return nil, err
	}
	l := &Layout{material: m, pawns: [2]int{m[0][pawn], m[1][pawn]}, size: kingPlacements}
	if l.pawns != [2]int{} {
		l.size = pawnPlacements(l.pawns) * 64 * 64
	}
	for side := range m {
		for kind := queen; kind > pawn; kind-- {
			if n := m[side][kind]; n > 0 {
				l.groups = append(l.groups, group{side, kind, n, []int64{0, 64, pairsOf64, triplesOf64}[n]})
			}
		}
	}
	slices.SortStableFunc(l.groups, func(a, b group) int { return min(b.pieces, 2) - min(a.pieces, 2) })
	for _, g := range l.groups {
		l.size *= g.placements
	}
	return l, nil
}

// parseName reads the name of a file without its ending. Each side has its strongest piece first; the side with more
// pieces, or else with the stronger ones, comes first.
func parseName(name string) (m tablefile.Material, err error) {
	wrong := fmt.Errorf("%q is not a name such as kqkr", name)
	second := strings.LastIndexByte(name, 'k')
	if second < 1 || name[0] != 'k' {
		return m, wrong
	}
	sides := [2]string{name[1:second], name[second+1:]}
	var order [2][]int
	for side, text := range sides {
		for _, c := range text {
			i := strings.IndexRune(letters, c)
			if i < 0 {
				return m, fmt.Errorf("%q: unknown piece %q", name, c)
			}
			order[side] = append(order[side], i)
			m[side][queen-i]++
		}
		if !slices.IsSorted(order[side]) {
			return m, wrong
		}
	}
	if n := m.Count(); n < 3 || n > MaxPieces {
		return m, fmt.Errorf("%q has %d pieces, want 3 to %d", name, n, MaxPieces)
	}
	if a, b := len(sides[0]), len(sides[1]); a < b || a == b && slices.Compare(order[0], order[1]) > 0 {
		return m, fmt.Errorf("%q has the weaker side first", name)
	}
	return m, nil
}

// Locate returns the side to move as the table has it, 0 white, 1 black, and the index of p. p must have the material
// of the layout, either side to move.
func (l *Layout) Locate(p *board.Position) (side int, index int64) {
	if tablefile.MaterialOf(p) != l.material {
		side = 1
	}
	return side, l.index(p, side)
}

// index is the index of a position. side 1 tells that the side to move is black in the table.
func (l *Layout) index(p *board.Position, side int) int64 {
	sides, flip := [2]board.Bitboard{p.Ours, p.Theirs}, board.Square(0)
	if side == 1 { // the position has the squares as black sees them
		sides, flip = [2]board.Bitboard{p.Theirs, p.Ours}, 56
	}
	white, black := (p.Kings&sides[0]).First()^flip, (p.Kings&sides[1]).First()^flip
	turn := &turned[0]
	var index int64
	if l.pawns == [2]int{} {
		k := &kings[black][white]
		turn, index = &turned[k.turn], int64(k.index)
	} else {
		var mirror bool
		index, mirror = pawnIndex(squares(p.Pawns&sides[0], flip), squares(p.Pawns&sides[1], flip), l.pawns)
		if mirror {
			turn = &turned[mirrorFiles]
		}
		index = (index*64+int64(turn[white]))*64 + int64(turn[black])
	}
	kinds := [queen + 1]board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens}
	for i := range l.groups {
		g := &l.groups[i]
		s := squares(kinds[g.kind]&sides[g.side], flip)
		for i := range s[:g.pieces] {
			s[i] = int(turn[s[i]])
		}
		index = index*g.placements + g.rank(s)
	}
	return index
}

// squares are those of a bitboard as white sees them, of at most three pieces.
func squares(b board.Bitboard, flip board.Square) (s [3]int) {
	for i := 0; b != 0 && i < len(s); i++ {
		s[i] = int(b.Pop() ^ flip)
	}
	return s
}

// rank numbers the placements of a group. Pairs are in lexicographic, triples in colexicographic order.
func (g *group) rank(s [3]int) int64 {
	switch g.pieces {
	case 1:
		return int64(s[0])
	case 2:
		return lexical(64, s[0], s[1])
	}
	slices.Sort(s[:])
	return colexical(s[0], s[1], s[2])
}
