package board

import (
	"math/rand/v2"
	"testing"
)

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

// mixedFENs are positions with all special rules: castling, Chess960, en passant, pawn promotions, pins, checks.
var mixedFENs = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	kiwipete,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	"nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w FBfb - 0 1",
	"1rk2r2/p6p/8/8/8/8/P6P/1RK2R2 w FBfb - 3 20",
	"r1k1r3/8/8/8/8/8/8/1R3RK1 b ea - 0 1",
	"8/8/8/K2pP2r/8/8/8/7k w - - 0 1",
	"8/8/3k4/8/2pPp3/8/8/3K4 b - d3 0 1",
	"7k/8/8/2KpP3/8/8/8/8 w - d6 0 2",
	"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
	"4k3/8/8/8/7b/8/3r4/4K3 w - - 0 1",
	"4r2k/8/8/8/1b6/2P5/3P4/4K3 w - - 0 1",
	"r1bk3r/2pq1PPp/8/8/8/8/pPPP1p2/R3K1NR w KQ - 0 1",
	"7k/5Q2/6K1/8/8/8/8/8 b - - 12 80",
}

func mustParse(tb testing.TB, fen string) Position {
	tb.Helper()
	p, err := ParseFEN(fen)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// walk plays random games from the mixed positions and calls visit for every position. last is the position before move
// m, and nil at the start of a game.
func walk(tb testing.TB, seed uint64, games, plies int, visit func(p, last *Position, m Move)) {
	tb.Helper()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for g := range games {
		p := mustParse(tb, mixedFENs[g%len(mixedFENs)])
		visit(&p, nil, NullMove)
		for range plies {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			last, m := p, moves[rnd.IntN(len(moves))]
			last.Make(m, &p)
			visit(&p, &last, m)
		}
	}
}
