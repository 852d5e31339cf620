package verify

import (
	"fmt"

	"tesla/board"
)

// fens are the positions that backends are compared on: openings, middle games and endings, for both sides to move,
// with castling rights of each kind, en passant, pawn promotions, checks, pins, the fewest and the most pieces, and
// Chess960.
var fens = [...]string{
	// Openings: all pieces, all rights.
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
	"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
	"rnbqkb1r/ppp1pppp/5n2/3p4/2PP4/2N5/PP2PPPP/R1BQKBNR b KQkq - 2 3",
	// Castling: both sides, one side, one wing.
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1",
	"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
	"r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
	// En passant: possible, pinned, for either side.
	"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
	"8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
	"4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1",
	"8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
	// Pawn promotions, with captures and underpromotions.
	"8/PPPP4/8/k6K/8/8/4pppp/8 w - - 0 1",
	"r3k3/1P6/8/8/8/8/8/R3K2R w KQq - 0 1",
	"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	// Few pieces: a win, a draw, fortresses of both colours.
	"4k3/8/8/8/8/8/8/4K3 w - - 0 1",
	"8/8/8/8/8/4k3/4p3/4K3 w - - 0 1",
	"8/8/8/3k4/8/4Q3/4K3/8 w - - 10 60",
	"8/5k2/8/8/3B4/8/2N3K1/8 b - - 30 80",
	"8/8/1p1k4/p1p2p2/P1P2P2/1P1K4/8/8 w - - 0 40",
	"6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 30",
	// Many queens, and the most legal moves that a position of a game can have.
	"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
	"1qqqk3/3pp3/8/8/8/8/3PP3/3KQQQ1 b - - 0 1",
	// Check, double check, pins, mate in one.
	"rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3",
	"4k3/8/4r3/8/8/3n4/8/R3K2R w KQ - 0 1",
	"r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
	"4r1k1/5ppp/8/1b6/8/4B3/4NPPP/4K2R w K - 0 1",
	// Chess960: rights named by the file of the rook, castling over other squares.
	"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
	"nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w HBhb - 0 1",
	"1rk2r2/p6p/8/8/8/8/P6P/1RK2R2 b FBfb - 3 20",
	"nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN b FBfb - 0 1",
}

// Positions are the positions that backends are compared on.
func Positions() ([]board.Position, error) {
	all := make([]board.Position, len(fens))
	for i, fen := range fens {
		p, err := board.ParseFEN(fen)
		if err != nil {
			return nil, fmt.Errorf("position %d: %w", i+1, err)
		}
		all[i] = p
	}
	return all, nil
}
