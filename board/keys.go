package board

const keyBits = 14

// KeySlots is the number of values that PawnKey, PieceKey and MoveKey have: the size of the tables that they index,
// such as correction histories. Positions with the same pawns, pieces or moves share an entry.
const KeySlots = 1 << keyBits

// PawnKey returns the key of the pawns of a position, seen from the side to move.
func PawnKey(p *Position) uint16 { return hashSquares(p.Ours&p.Pawns, p.Theirs&p.Pawns, 0, 0, 0) }

// PieceKey returns the key of the pieces of one side without its pawns.
func PieceKey(p *Position, side Bitboard) uint16 {
	return hashSquares(side&p.Knights, side&p.Bishops, side&p.Rooks, side&p.Queens, side&p.Kings)
}

// MoveKey returns the key of two consecutive moves: their target squares and the types of the pieces that moved.
func MoveKey(before, last Move) uint16 {
	return hashSquares(Bitboard(before.Landing()), Bitboard(last.Landing()), 0, 0, 0)
}

// hashSquares hashes five sets of squares to keyBits bits.
func hashSquares(a, b, c, d, e Bitboard) uint16 {
	k := uint64(a)*0x9e3779b97f4a7c15 ^ uint64(b)*0xc2b2ae3d27d4eb4f ^ uint64(c)*0x165667b19e3779f9 ^
		uint64(d)*0xd6e8feb86659fd93 ^ uint64(e)*0xa0761d6478bd642f
	k ^= k >> 32
	return uint16(k * 0xe7037ed1a0b428db >> (64 - keyBits))
}
