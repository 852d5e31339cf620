package book

import (
	_ "embed"
	"strconv"
	"strings"

	"tesla/board"
)

// random are the 781 random numbers of the format, as its specification lists them (F. Letouzey and M. Kervinck, "Book
// format", hardy.uhasselt.be/Toga/book_format.html, 2007): 768 of pieces, 4 of castling rights, 8 of en passant files,
// and one of the side to move.
var random = func() (numbers [781]uint64) {
	for i, line := range strings.Fields(randomText) {
		var err error
		if numbers[i], err = strconv.ParseUint(line, 16, 64); err != nil {
			panic(err)
		}
	}
	return numbers
}()

//go:embed random.txt
var randomText string

// Where the numbers of a kind begin in random.
const (
	castlingNumber  = 768 // White short, White long, Black short, Black long
	enPassantNumber = 772 // a file each
	whiteNumber     = 780 // White is to move
)

// Key is the Polyglot key of the position of a game. The file of a pawn that has just made a double step counts where a
// pawn of the other side stands beside it, even if it may not capture because it is pinned.
func Key(g *board.Game) (key uint64) {
	p := &g.Pos
	for b := p.Occupied(); b != 0; {
		s := b.Pop()
		t, ours := p.PieceAt(s)
		kind := 2 * int(t-board.Pawn)
		if ours != p.Black {
			kind++ // White's
		}
		key ^= random[64*kind+int(p.Absolute(s))]
	}
	for b := p.Castling; b != 0; {
		key ^= random[castlingNumber+castlingIndex(p, b.Pop())]
	}
	if s, ok := doubleStep(g); ok {
		key ^= random[enPassantNumber+s.File()]
	}
	if !p.Black {
		key ^= random[whiteNumber]
	}
	return key
}

// castlingIndex is the index of the right to castle with a rook.
func castlingIndex(p *board.Position, rook board.Square) int {
	ours := rook.Rank() == 0
	king, index := (p.Kings & p.Theirs).First(), 0
	if ours {
		king = p.King()
	}
	if rook.File() < king.File() {
		index = 1
	}
	if ours == p.Black {
		index += 2
	}
	return index
}

// doubleStep is the square, in the view of the side to move, behind a pawn that has just made a double step, where a
// pawn that attacks it stands beside it. Where no move was played it is the one of a legal capture.
func doubleStep(g *board.Game) (board.Square, bool) {
	p := &g.Pos
	if len(g.Moves) == 0 {
		return p.EnPassant, p.EnPassant != board.NoSquare
	}
	m := g.Moves[len(g.Moves)-1] // in the view of the other side
	if m.Moved() != board.Pawn || m.To() != m.From()+16 {
		return board.NoSquare, false
	}
	behind := (m.From() + 8).Flip()
	return behind, board.PawnAttacksDown(behind.Bitboard())&p.Pawns&p.Ours != 0
}
