// Package structure tells positions of like structure by a small number, by which correction histories are kept.
package structure

import "tesla/board"

const bits = 14

// Slots is how many there are.
const Slots = 1 << bits

// Pawns is the slot of a position's pawns, the side to move's view.
func Pawns(p *board.Position) uint16 { return mix(p.Ours&p.Pawns, p.Theirs&p.Pawns, 0, 0, 0) }

// Men is the slot of the men of one side but its pawns.
func Men(p *board.Position, side board.Bitboard) uint16 {
	return mix(side&p.Knights, side&p.Bishops, side&p.Rooks, side&p.Queens, side&p.Kings)
}

// Moves is the slot of two moves, by where they land and what moves.
func Moves(before, last board.Move) uint16 {
	return mix(board.Bitboard(before.Landing()), board.Bitboard(last.Landing()), 0, 0, 0)
}

// mix hashes sets of squares.
func mix(a, b, c, d, e board.Bitboard) uint16 {
	k := uint64(a)*0x9e3779b97f4a7c15 ^ uint64(b)*0xc2b2ae3d27d4eb4f ^ uint64(c)*0x165667b19e3779f9 ^
		uint64(d)*0xd6e8feb86659fd93 ^ uint64(e)*0xa0761d6478bd642f
	k ^= k >> 32
	return uint16(k * 0xe7037ed1a0b428db >> (64 - bits))
}
