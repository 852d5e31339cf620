package board

import "math/bits"

// Square numbers the squares: a1 = 0, b1 = 1, .. h8 = 63. Squares of a Position are from the side to move's view: rank
// 1 is the mover's own back rank.
type Square uint8

// NoSquare marks the absence of a square.
const NoSquare Square = 64

// NewSquare returns the square of a file and a rank, both 0..7.
func NewSquare(file, rank int) Square { return Square(rank<<3 | file) }

// File returns 0 (a) .. 7 (h).
func (s Square) File() int { return int(s & 7) }

// Rank returns 0 .. 7.
func (s Square) Rank() int { return int(s >> 3) }

// Flip mirrors the square top to bottom: the same square from the other player's view.
func (s Square) Flip() Square { return s ^ 56 }

// Bitboard returns the set that holds only s.
func (s Square) Bitboard() Bitboard { return 1 << (s & 63) }

// String returns "e4", or "-" for NoSquare.
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s&7), '1' + byte(s>>3)})
}

// Bitboard is a set of squares, bit 0 = a1.
type Bitboard uint64

const (
	fileA Bitboard = 0x0101010101010101
	fileH          = fileA << 7
	rank1 Bitboard = 0xff
	rank2          = rank1 << 8
	rank3          = rank1 << 16
	rank7          = rank1 << 48
	rank8          = rank1 << 56
	// darkSquares are the squares of the same colour as a1.
	darkSquares Bitboard = 0xaa55aa55aa55aa55
)

// Count returns the number of squares in b.
func (b Bitboard) Count() int { return bits.OnesCount64(uint64(b)) }

// First returns the lowest square of b, or NoSquare if b is empty.
func (b Bitboard) First() Square { return Square(bits.TrailingZeros64(uint64(b))) }

// Pop removes the lowest square from b and returns it; b must not be empty.
func (b *Bitboard) Pop() Square {
	s := Square(bits.TrailingZeros64(uint64(*b)))
	*b &= *b - 1
	return s
}

// Has reports whether s is in b.
func (b Bitboard) Has(s Square) bool { return b>>(s&63)&1 != 0 }

// Flip mirrors b top to bottom.
func (b Bitboard) Flip() Bitboard { return Bitboard(bits.ReverseBytes64(uint64(b))) }

// several reports whether b has two or more squares.
func (b Bitboard) several() bool { return b&(b-1) != 0 }

// PieceType is a kind of piece without its colour; None is an empty square.
type PieceType uint8

// The piece types, in the order in which Move stores them.
const (
	None PieceType = iota
	Pawn
	Knight
	Bishop
	Rook
	Queen
	King
)

// pieceLetters are the FEN letters of the types, lower case.
const pieceLetters = " pnbrqk"

// String returns the lower-case English letter of the type, or " " for None.
func (t PieceType) String() string {
	if int(t) >= len(pieceLetters) {
		return "?"
	}
	return pieceLetters[t : t+1]
}

// Move has 18 bits: from 0-5, to 6-11, moved type 12-14, target type 15-17. Squares are from the mover's view. The
// moved type is that after the move, so it is the new piece of a pawn promotion. The target type is the type of the
// captured piece. A target type of King means castling: to is then the square of the rook.
type Move uint32

// NullMove is no move at all.
const NullMove Move = 0

// MaxMoves is the largest number of legal moves in a position (Petrovic 1964; proven by Tobs 2024).
const MaxMoves = 218

// NewMove packs a move.
func NewMove(from, to Square, moved, target PieceType) Move {
	return Move(from) | Move(to)<<6 | Move(moved)<<12 | Move(target)<<15
}

// From returns the square that the piece leaves.
func (m Move) From() Square { return Square(m & 63) }

// To returns the square that the piece reaches. In castling it is the square of the rook.
func (m Move) To() Square { return Square(m >> 6 & 63) }

// Moved returns the type of the moved piece after the move.
func (m Move) Moved() PieceType { return PieceType(m >> 12 & 7) }

// Landing returns an index of To and Moved, below 512.
func (m Move) Landing() int { return int(m >> 6 & 511) }

// Target returns the type of the captured piece: None without one, King for castling.
func (m Move) Target() PieceType { return PieceType(m >> 15 & 7) }

// IsCastling reports whether m is castling.
func (m Move) IsCastling() bool { return m.Target() == King }

// IsCapture reports whether an enemy piece disappears, en passant included.
func (m Move) IsCapture() bool { t := m.Target(); return t-1 < King-1 }
