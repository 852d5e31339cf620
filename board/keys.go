package board

const keyBits = 14

// KeySlots is the number of keys: the size of a table that PawnKey, PieceKey or MoveKey indexes. Correction histories are
// such tables: positions of like structure share an entry.
const KeySlots = 1 << keyBits

// PawnKey is the key of a position's pawns, seen from the side to move.
func PawnKey(p *Position) uint16 { return hashSquares(p.Ours&p.Pawns, p.Theirs&p.Pawns, 0, 0, 0) }

// PieceKey is the key of the pieces of one side, its pawns left out.
func PieceKey(p *Position, side Bitboard) uint16 {
	return hashSquares(side&p.Knights, side&p.Bishops, side&p.Rooks, side&p.Queens, side&p.Kings)
}

// MoveKey is the key of two consecutive moves: where each landed, and what moved.
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
