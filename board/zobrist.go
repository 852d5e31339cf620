package board

// Zobrist keys (Zobrist 1970) are in absolute colours and squares. The numbers of None are zero, so that a move without
// a capture needs no branch.
var (
	zobristPiece  [2][8][64]uint64 // colour, type, absolute square
	zobristRook   [64]uint64       // absolute square of a rook that may castle
	zobristFile   [8]uint64        // file of a legal en passant capture
	zobristBlack  uint64           // black is to move
	zobristSource = splitMix(0x7e51a)
)

func init() {
	for c := range zobristPiece {
		for t := Pawn; t <= King; t++ {
			for s := range zobristPiece[c][t] {
				zobristPiece[c][t][s] = zobristSource.next()
			}
		}
	}
	for s := range zobristRook {
		zobristRook[s] = zobristSource.next()
	}
	for f := range zobristFile {
		zobristFile[f] = zobristSource.next()
	}
	zobristBlack = zobristSource.next()
}

// splitMix is the generator of Steele, Lea and Flood (2014).
type splitMix uint64

func (x *splitMix) next() uint64 {
	*x += 0x9e3779b97f4a7c15
	z := uint64(*x)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// computeKey computes the key of p from the board. Make updates it incrementally.
func (p *Position) computeKey() uint64 {
	var key uint64
	for b := p.Occupied(); b != 0; {
		s := b.Pop()
		colour := 0
		if p.Ours.Has(s) == p.Black {
			colour = 1
		}
		key ^= zobristPiece[colour][p.typeAt(s)][p.Absolute(s)]
	}
	for b := p.Castling; b != 0; {
		key ^= zobristRook[p.Absolute(b.Pop())]
	}
	if p.EnPassant != NoSquare {
		key ^= zobristFile[p.EnPassant.File()]
	}
	if p.Black {
		key ^= zobristBlack
	}
	return key
}
