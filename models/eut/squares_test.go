package eut

import (
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// TestSquares compares the codes of positions of random games with what the rules of attack, asked square by square,
// say.
func TestSquares(t *testing.T) {
	var c Squares
	var seen [AttackCodes]int
	games(t, len(gameStarts), func(p *board.Position) {
		c.Set(p)
		for s := range board.Square(squares) {
			piece, ours := p.PieceAt(s)
			want := uint8(piece)
			if piece == board.None {
				want = 0
			} else if !ours {
				want += 6
			}
			if c.Piece[s] != want {
				t.Fatalf("%s: square %d holds %d, want %d", p.FEN(true), s, c.Piece[s], want)
			}
			for side, codes := range map[bool]*[squares]uint8{true: &c.Ours, false: &c.Theirs} {
				if code := attackCode(p, &c, s, side); codes[s] != code {
					t.Fatalf("%s: square %d attacked by ours %v is %d, want %d", p.FEN(true), s, side, codes[s], code)
				}
				seen[codes[s]]++
			}
		}
	})
	for code, n := range seen {
		if n == 0 {
			t.Errorf("no square of the games has attack code %d", code)
		}
	}
}

// attackCode is the code of s by definition, after a check of Attacks against another way to compute it: the attacks
// of a piece of the same kind on s, in reverse.
func attackCode(p *board.Position, c *Squares, s board.Square, ours bool) uint8 {
	kinds := map[board.PieceType]uint8{board.Pawn: 1, board.Knight: 2, board.Bishop: 2, board.Rook: 3, board.Queen: 4, board.King: 5}
	occupied := p.Ours | p.Theirs
	back := map[board.PieceType]board.Bitboard{
		board.Knight: board.KnightAttacks(s), board.King: board.KingAttacks(s), board.Queen: board.QueenAttacks(s, occupied),
		board.Bishop: board.BishopAttacks(s, occupied), board.Rook: board.RookAttacks(s, occupied),
		board.Pawn: board.PawnAttacksDown(1 << s),
	}
	if !ours {
		back[board.Pawn] = board.PawnAttacks(1 << s)
	}
	least, n := uint8(9), 0
	for from := range board.Square(squares) {
		piece, mine := p.PieceAt(from)
		if piece == board.None || mine != ours {
			continue
		}
		if attacks := back[piece].Has(from); attacks != c.Attacks[from].Has(s) {
			return 255
		} else if attacks {
			least = min(least, kinds[piece])
			n++
		}
	}
	switch {
	case n == 0:
		return 0
	case n == 1:
		return least
	}
	return least + attackers
}

func TestKingCodes(t *testing.T) {
	p := boardtest.Position(t, "4k3/8/4N3/8/b7/8/2P1R3/4K2r w - - 0 1")
	var c Squares
	c.Set(&p)
	for square, want := range map[board.Square]uint8{
		53: 2,      // f7: a bishop there would check theirs
		45: 1,      // f6: a knight
		44: 3 + 16, // e6: a rook, and our knight alone blocks our rook's line to their king
		12: 12,     // e2: a rook there would check ours; two pieces stand between it and their king
		10: 4,      // c2: a knight would check ours
		11: 8,      // d2: a bishop
		0:  12, 7: 12, 9: 0, 56: 3,
	} {
		if c.Kings[square] != want {
			t.Errorf("square %d: code %d, want %d", square, c.Kings[square], want)
		}
	}
}

func TestSquaresWrite(t *testing.T) {
	p := board.StartPosition()
	var c Squares
	c.Set(&p)
	row := make([]int32, codeColumns)
	c.Write(row)
	for i, want := range map[int]int32{
		0: 4, 63: 10, // rooks
		64 + 18:        (0*AttackCodes + 1 + attackers) * AttackCodes, // c3: a pawn and a knight
		128 + 52:       7*KingCodes + 3,                               // e7: a rook there would check
		192 + 8*1 + 2:  1<<0 | 1<<2,                                   // knight b1 attacks a3 and c3
		192 + 8*1 + 1:  1 << 3,                                        // and d2
		192 + 8*30 + 3: 0,
	} {
		if row[i] != want {
			t.Errorf("column %d: %d, want %d", i, row[i], want)
		}
	}
}

func BenchmarkSquares(b *testing.B) {
	positions := encodeWalk(b)
	row := make([]int32, codeColumns)
	var c Squares
	for i := range b.N {
		c.Set(&positions[i%len(positions)])
		c.Write(row)
	}
}
