package alphabeta

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/internal/slow"
	"tesla/models"
	"tesla/nnue"
	"tesla/search"
	"tesla/tt128"
)

var loadNet = sync.OnceValues(models.DefaultNNUE)

func net(t testing.TB) *nnue.Net {
	t.Helper()
	n, err := loadNet()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func table(t testing.TB) *tt128.Table {
	t.Helper()
	tt, err := tt128.New(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tt.Close() })
	return tt
}

// numbers are numbers of threads to search with, in make race without 1: a thread alone has none to race with.
func numbers(threads ...int) []int {
	return slices.DeleteFunc(threads, func(n int) bool { return n == 1 && slow.Race && testing.Short() })
}

// threadAt is a Thread with a table of its own, whose root is a position.
func threadAt(t testing.TB, mode Mode, fen string) *Thread {
	t.Helper()
	th := NewThread(net(t), table(t), mode)
	p := boardtest.Position(t, fen)
	th.begin(&p, []uint64{p.Key})
	return th
}

// exactThread is a Thread without selective parts. Its values are those of minimax.
func exactThread(t testing.TB, fen string) *Thread { return threadAt(t, Mode{Verify: true}, fen) }

// moveOf is the legal move of p with the given UCI text.
func moveOf(t testing.TB, p *board.Position, text string) board.Move {
	t.Helper()
	m, err := p.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// newDriver makes a Searcher, which the test closes.
func newDriver(t testing.TB, name string, threads int, o Options) *Searcher {
	t.Helper()
	s, err := New(name, net(t), table(t), threads, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// stepClock is a clock that goes on by a step each time it is read.
type stepClock struct {
	step  time.Duration
	reads atomic.Int64
}

func (c *stepClock) now() time.Time {
	return time.Unix(0, 0).Add(time.Duration(c.reads.Add(1)) * c.step)
}

// handClock is a clock that the test sets.
type handClock struct{ at time.Duration }

func (c *handClock) now() time.Time { return time.Unix(0, 0).Add(c.at) }

const middleGame = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"

var positions = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	middleGame,
	"8/5k2/8/8/8/3K4/4P3/8 w - - 99 80",
	"4k2r/8/8/8/8/8/8/R3K3 b Qk - 3 10",
}

// randomPositions are reached by random moves. Each has a legal move.
func randomPositions(t *testing.T, n int, seed uint64) (all []board.Position) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for len(all) < n {
		p := boardtest.Position(t, positions[0])
		for range 8 + rnd.IntN(80) {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p = p.After(moves[rnd.IntN(len(moves))])
		}
		if len(p.LegalMoves(nil)) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// minimax is the value by brute force to a depth, with static leaves.
func minimax(t *Thread, ply, depth int) int {
	p := &t.pos[ply]
	if ply > 0 && t.drawn(ply) {
		return 0
	}
	if depth == 0 {
		return t.quiesce(ply, 0, -infinite, infinite)
	}
	best := -infinite
	for _, m := range p.LegalMoves(nil) {
		t.push(ply, m)
		best = max(best, -minimax(t, ply+1, depth-1))
		t.stack.Pop()
	}
	if best > -infinite {
		return best
	}
	if p.InCheck() {
		return search.MatedIn(ply)
	}
	return 0
}
