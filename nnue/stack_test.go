package nnue

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// starts are positions with all special rules: castling, Chess960, en passant, pawn promotions, pins, checks.
var starts = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w FBfb - 0 1",
	"1rk2r2/p6p/8/8/8/8/P6P/1RK2R2 w FBfb - 3 20",
	"r1k1r3/8/8/8/8/8/8/1R3RK1 b ea - 0 1",
	"8/8/3k4/8/2pPp3/8/8/3K4 b - d3 0 1",
	"r1bk3r/2pq1PPp/8/8/8/8/pPPP1p2/R3K1NR w KQ - 0 1",
	"rk5r/8/8/2pP4/2Pp4/8/8/RK5R w HAha c6 0 1",
}

// fresh computes both accumulators of p by their definition: the bias plus the rows of all pieces.
func fresh(n *Net, p *board.Position) (acc [colours][]int16) {
	for c := range acc {
		acc[c] = make([]int16, n.H)
		copy(acc[c], n.value.bias)
		king := p.King()
		if c != colour(p) {
			king = (p.Kings & p.Theirs).First() ^ 56
		}
		mirror := board.Square(0)
		if king.File() > 3 {
			mirror = 7
		}
		for s := range board.NoSquare {
			t, ours := p.PieceAt(s)
			if t == board.None {
				continue
			}
			seen, side := s, 0
			if c != colour(p) {
				seen ^= 56
			}
			if ours != (c == colour(p)) {
				side = otherSide
			}
			f := n.Buckets[king^mirror]*pieceFeatures + side + int(t-1)*64 + int(seen^mirror)
			for i := range acc[c] {
				acc[c][i] += n.value.ft[f*n.H+i]
			}
		}
	}
	return acc
}

// checkStack compares the accumulators of p, the position at the top, with fresh ones.
func checkStack(t *testing.T, s *Stack, p *board.Position, where string) {
	t.Helper()
	s.compute(p)
	for c, want := range fresh(s.net, p) {
		at := (s.top*colours + c) * s.net.H
		if err := differ(where, s.acc[at:][:s.net.H], want); err != nil {
			t.Fatalf("%s: colour %d at ply %d: %v", p.FEN(true), c, s.top, err)
		}
	}
}

// TestIncremental makes random moves, and takes some of them back. It compares the accumulators with fresh ones after
// some moves only, so that an update may span several plies. With TESLA_LONG it makes a million moves.
func TestIncremental(t *testing.T) {
	moves := 100000
	if os.Getenv("TESLA_LONG") != "" {
		moves = 1000000
	}
	if testing.Short() {
		moves = 20000
	}
	eachKernel(t, func(t *testing.T) {
		const plies = 100
		n := randomNet(t, testHeader(64, 4), 2)
		rnd := rand.New(rand.NewPCG(9, 0))
		s := NewStack(n, plies)
		var line [plies]board.Position
		var list []board.Move
		special := map[string]int{}
		for made, game := 0, 0; made < moves; game++ {
			line[0] = boardtest.Position(t, starts[game%len(starts)])
			s.Reset(&line[0])
			for ply := 0; ply < plies-1; {
				p := &line[ply]
				if list = p.LegalMoves(list[:0]); len(list) == 0 {
					break
				}
				m := list[rnd.IntN(len(list))]
				note(special, p, m)
				s.Push(p, m)
				p.Make(m, &line[ply+1])
				ply++
				made++
				if rnd.IntN(3) == 0 {
					checkStack(t, s, &line[ply], "after "+p.UCI(m, true))
				}
				for ; ply > 0 && rnd.IntN(4) == 0; ply-- {
					s.Pop()
				}
			}
		}
		for _, what := range []string{"castling", "castling 960", "promotion", "en passant", "king", "capture"} {
			if special[what] < 5 {
				t.Errorf("%d moves with %s among %d, want at least 5", special[what], what, moves)
			}
		}
	})
}

// note counts a move by its special rule.
func note(special map[string]int, p *board.Position, m board.Move) {
	switch {
	case m.IsCastling() && p.King().File() == 4 && m.To().File()%7 == 0:
		special["castling"]++
	case m.IsCastling():
		special["castling 960"]++
	case p.Promotion(m) != board.None:
		special["promotion"]++
	case m.Target() == board.Pawn && m.To() == p.EnPassant:
		special["en passant"]++
	case m.Moved() == board.King:
		special["king"]++
	case m.IsCapture():
		special["capture"]++
	}
}

// TestPass pushes a null move, which changes only the side to move.
func TestPass(t *testing.T) {
	n := randomNet(t, testHeader(64, 4), 2)
	s := NewStack(n, 4)
	p := boardtest.Position(t, starts[1])
	s.Reset(&p)
	s.Push(&p, board.NullMove)
	passed := boardtest.Position(t, starts[2]) // the same position with black to move
	checkStack(t, s, &passed, "after a pass")
}

// TestOrderOfPositions evaluates unrelated positions in random order, so that the refresh cache holds others each time.
func TestOrderOfPositions(t *testing.T) {
	n := randomNet(t, testHeader(64, 4), 2)
	var positions []board.Position
	rnd := rand.New(rand.NewPCG(1, 0))
	for _, fen := range starts {
		p := boardtest.Position(t, fen)
		for range 60 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p = p.After(moves[rnd.IntN(len(moves))])
			positions = append(positions, p)
		}
	}
	rnd.Shuffle(len(positions), func(i, k int) { positions[i], positions[k] = positions[k], positions[i] })
	s := NewStack(n, 1)
	for i := range positions {
		s.Reset(&positions[i])
		checkStack(t, s, &positions[i], "shuffled")
	}
}

// The value and the share of draws of a Stack are those of a Worker's evaluation.
func TestValueAndDraws(t *testing.T) {
	n := randomNet(t, testHeader(64, 4), 2)
	s, w := NewStack(n, 1), NewWorker(n)
	for _, fen := range starts {
		p := boardtest.Position(t, fen)
		moves := p.LegalMoves(nil)
		want := w.EvaluateStatic(&p, moves, make([]float32, len(moves)))
		s.Reset(&p)
		cp, draws := s.ValueAndDraws(&p)
		d := draws * (1 - math.Abs(float64(want.Q)))
		if cp != s.Value(&p) || draws <= 0 || draws >= 1 || math.Abs(d-float64(want.D)) > 1e-6 {
			t.Errorf("%s: %d and a share of %.4f, which is %.6f; want %d and %.6f", fen, cp, draws, d, s.Value(&p), want.D)
		}
	}
}
