package datagen

import (
	"strings"

	"tesla/board"
)

// Starts that Config.Start names.
const (
	Chess960       = "chess960" // one of the 960 starting positions, the same for both sides
	DoubleChess960 = "dfrc"     // one of them for each side
)

// arrangements is how many arrangements of the back rank Chess960 has.
const arrangements = 960

// backRank is the arrangement of Chess960 with a number from 0 to 959, as Scharnagl numbers them; 518 is that of
// standard chess.
func backRank(number int) string {
	var rank [8]byte
	free := func(n int) *byte { // the n-th free square
		for i := range rank {
			if rank[i] != 0 {
				continue
			}
			if n == 0 {
				return &rank[i]
			}
			n--
		}
		return nil
	}
	rank[number%4*2+1] = 'b'
	rank[number/4%4*2] = 'b'
	*free(number / 16 % 6) = 'q'
	first, second := 0, number/96 // the knights stand on two of the five free squares: 01 02 03 04 12 13 14 23 24 34
	for second >= 4-first {
		second -= 4 - first
		first++
	}
	a, b := free(first), free(first+1+second)
	*a, *b = 'n', 'n'
	for _, piece := range []byte("rkr") {
		*free(0) = piece
	}
	return string(rank[:])
}

// start960 is the starting position with these arrangements, with all castling rights.
func start960(white, black int) board.Position {
	// The test reads all arrangements, so there is no error.
	p, _ := board.ParseFEN(backRank(black) + "/pppppppp/8/8/8/8/PPPPPPPP/" + strings.ToUpper(backRank(white)) + " w KQkq - 0 1")
	return p
}
