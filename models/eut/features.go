package eut

import "tesla/board"

// Features is the number of input features, all seen from the side to move: 768 for a piece on a square, numbered
// (theirs ? 384 : 0) + (type - 1) * 64 + square; 4 for castling rights, ours kingside, ours queenside, theirs kingside,
// theirs queenside; 8 for the file of an en passant square.
const Features = 780

const pieceFeatures = 768

// featureSet is the set of features of a position as bits: twelve bitboards and the flags. Positions with equal sets
// have equal accumulators.
type featureSet struct {
	boards [12]board.Bitboard
	flags  uint16 // bit i is feature 768 + i
}

func (f *featureSet) set(p *board.Position) {
	types := [6]board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens, p.Kings}
	for i, b := range types {
		f.boards[i] = b & p.Ours
		f.boards[i+6] = b & p.Theirs
	}
	f.flags = 0
	if p.Castling != 0 {
		f.flags = castlingFlags(p.Castling&p.Ours, p.Kings&p.Ours) | castlingFlags(p.Castling&p.Theirs, p.Kings&p.Theirs)<<2
	}
	if p.EnPassant < board.NoSquare {
		f.flags |= 1 << (4 + p.EnPassant&7)
	}
}

// castlingFlags has bit 0 set for a rook on the kingside of its king, and bit 1 for one on the queenside. Rook and king
// stand on the same rank, so the order of squares is the order of files.
func castlingFlags(rooks, king board.Bitboard) uint16 {
	var flags uint16
	if rooks&^(king-1) != 0 {
		flags = 1
	}
	if rooks&(king-1) != 0 {
		flags |= 2
	}
	return flags
}

func (f *featureSet) count() int {
	n := board.Bitboard(f.flags).Count()
	for _, b := range f.boards {
		n += b.Count()
	}
	return n
}

// distance is the number of features in which two sets differ.
func (f *featureSet) distance(g *featureSet) int {
	n := board.Bitboard(f.flags ^ g.flags).Count()
	for i, b := range f.boards {
		n += (b ^ g.boards[i]).Count()
	}
	return n
}

// appendMinus appends to dst the features of f that g lacks.
func (f *featureSet) appendMinus(g *featureSet, dst []uint16) []uint16 {
	for i, b := range f.boards {
		for b &^= g.boards[i]; b != 0; {
			dst = append(dst, uint16(i*64)+uint16(b.Pop()))
		}
	}
	for flags := board.Bitboard(f.flags &^ g.flags); flags != 0; {
		dst = append(dst, pieceFeatures+uint16(flags.Pop()))
	}
	return dst
}

// AppendFeatures appends to dst the features of p, each in 0..Features-1.
func AppendFeatures(p *board.Position, dst []uint16) []uint16 {
	var f, none featureSet
	f.set(p)
	return f.appendMinus(&none, dst)
}

// PolicyIndex is the index of the logit of move m in p: from * 64 + to, where castling goes from the king's square to
// the rook's. underpromotion is the index of a second logit, which is added to the first, or -1.
func PolicyIndex(p *board.Position, m board.Move) (index, underpromotion int) {
	index, underpromotion = int(m.From())*64+int(m.To()), -1
	if t := m.Moved(); t >= board.Knight && t <= board.Rook && p.Pawns.Has(m.From()) {
		underpromotion = 4096 + m.To().File()*3 + int(t-board.Knight)
	}
	return index, underpromotion
}
