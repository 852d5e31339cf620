package alphabeta

import (
	"context"
	"fmt"
	"os"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// Each driver finds the value of brute force without a table, with one thread and with several: nodes are split down to
// depth 1, in either form. With 500 random positions where TESLA_LONG is set.
func TestDriversAreExact(t *testing.T) {
	count, most := 3, 4
	switch {
	case os.Getenv("TESLA_LONG") != "":
		count = 500
	case testing.Short():
		count, most = 6, 3
	}
	exact := NewThread(net(t), table(t), Mode{Verify: true})
	all := randomPositions(t, count, 1)
	for _, fen := range positions {
		all = append(all, boardtest.Position(t, fen))
	}
	want := make([][]int, len(all))
	for i := range all {
		for depth := range most {
			exact.begin(&all[i], nil)
			want[i] = append(want[i], minimax(exact, 0, depth+1))
		}
	}
	for _, c := range []struct{ name, options string }{
		{"lazysmp", ""}, {"mtdf", ""}, {"pvsplit", ""}, {"pvsplit", "resplit=off broadcast=off"},
		{"pvsplit", "local=on refutations=on affinity=on"}, {"jamboree", "strong=on"},
		{"jamboree", "strong=off"}, {"jamboree", "strong=off sequential=0.5"},
	} {
		for _, threads := range numbers(1, 3) {
			o := DefaultOptions()
			o.Mode = Mode{Verify: true}
			if err := o.Set("splitdepth=1 " + c.options); err != nil {
				t.Fatal(err)
			}
			s := newDriver(t, c.name, threads, o)
			for i := range all {
				for depth := most - 1; depth <= most; depth++ {
					s.NewGame()
					res, _ := s.Search(context.Background(), board.NewGame(all[i]), search.Limits{Depth: depth}, nil)
					if got := res.Info.Score; got != search.ScoreFromCP(want[i][depth-1]) {
						t.Errorf("%s %s, %d threads, %s: depth %d gives %v, minimax %d", c.name, c.options, threads,
							all[i].FEN(false), depth, got, want[i][depth-1])
					}
				}
			}
		}
	}
}

// One thread visits the same nodes each time.
func TestDriversRepeat(t *testing.T) {
	for _, name := range Names {
		s := newDriver(t, name, 1, DefaultOptions())
		var nodes [2]int64
		for i := range nodes {
			s.NewGame()
			res, _ := s.Search(context.Background(), board.NewGame(boardtest.Position(t, middleGame)), search.Limits{Depth: 8}, nil)
			nodes[i] = res.Info.Nodes
		}
		if nodes[0] != nodes[1] || nodes[0] == 0 {
			t.Errorf("%s: %v nodes", name, nodes)
		}
	}
}

// A search ends when it is stopped, before it begins or in the middle, whatever its threads wait for.
func TestDriversStop(t *testing.T) {
	p := boardtest.Position(t, middleGame)
	for _, name := range Names {
		for _, threads := range numbers(1, 3) {
			s := newDriver(t, name, threads, DefaultOptions())
			for _, depth := range []int{0, 1, 6} {
				ctx, cancel := context.WithCancel(context.Background())
				if depth == 0 {
					cancel()
				}
				var at int64
				res, err := s.Search(ctx, board.NewGame(p), search.Limits{Infinite: true}, func(i search.Info) {
					if i.Depth == depth && at == 0 {
						at = i.Nodes
						cancel()
					}
				})
				cancel()
				if !p.IsLegal(res.Best) || err != nil {
					t.Errorf("%s, %d threads: %v, %v", name, threads, res.Best, err)
				}
				if lead := s.threads[0].nodes; threads == 1 && lead > at+stopNodes {
					t.Errorf("%s: stopped at %d nodes, ends at %d", name, at, lead)
				}
			}
		}
	}
}

// Mates, stalemates to find and to avoid, zugzwang, and the end of the fifty moves: each driver finds the move, or
// knows the score. MTD(f) does so where it does not trust bounds that are near each other; those of two threads can cross, so it
// has one.
func TestEdgesOfChess(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes under the race detector")
	}
	score := func(cp int) *search.Score { s := search.ScoreFromCP(cp); return &s }
	exact := DefaultOptions()
	exact.Trust = 0
	draw, mate := score(0), func(moves int) *search.Score { return score(search.MateIn(2*moves - 1)) }
	for _, c := range []struct {
		fen, move string
		score     *search.Score
		nodes     int64 // thousands
	}{
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", mate(2), 100},
		{"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", "d6d1", mate(3), 100},
		{"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4", mate(1), 10},
		{"8/8/1KP5/3r4/8/8/8/k7 w - - 0 1", "c6c7", nil, 100},              // Saavedra: a queen would be stalemate
		{"6k1/8/8/8/8/1r4q1/8/Q6K w - - 0 1", "", draw, 1000},              // the queen wants to be taken
		{"8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", "e1f1", nil, 250}, // zugzwang
		{"1q1k4/2Rr4/8/2Q3K1/8/8/8/8 w - - 0 1", "g5h6", nil, 500},         // of both sides
		{"7k/5K2/8/6Q1/8/8/8/8 w - - 99 100", "", mate(1), 10},             // mate comes before the draw
		{"7k/8/8/8/8/8/R7/K7 w - - 98 100", "", draw, 10},                  // no mate within what is left
		{"7k/8/8/8/8/8/R7/K7 b - - 100 100", "", nil, 10},                  // a draw already, but a move is asked for
		{"8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", "0000", nil, 10},               // stalemate
		{"R6k/6pp/8/8/8/8/8/7K b - - 0 1", "0000", nil, 10},                // mated
	} {
		p := boardtest.Position(t, c.fen)
		for _, name := range Names {
			threads := 2
			if name == "mtdf" {
				threads = 1
			}
			res, _ := newDriver(t, name, threads, exact).Search(context.Background(), board.NewGame(p), search.Limits{Nodes: c.nodes * 1000}, nil)
			got := p.UCI(res.Best, false)
			if c.move != "" && got != c.move || c.score != nil && res.Info.Score != *c.score || c.move != "0000" && !p.IsLegal(res.Best) {
				t.Errorf("%s, %s: %s, %v", name, c.fen, got, res.Info.Score)
			}
		}
	}
}

// BenchmarkDrivers measures the nodes a second of each driver. To see where threads wait for each other, run
// go test -run '^$' -bench Drivers -mutexprofile m.out -blockprofile b.out ./search/alphabeta
func BenchmarkDrivers(b *testing.B) {
	for _, name := range Names {
		for _, threads := range []int{1, 2, 8} {
			b.Run(fmt.Sprintf("%s/%d", name, threads), func(b *testing.B) {
				s, nodes := newDriver(b, name, threads, DefaultOptions()), int64(0)
				for b.Loop() {
					s.NewGame()
					res, _ := s.Search(b.Context(), board.NewGame(boardtest.Position(b, middleGame)), search.Limits{Depth: 14}, nil)
					nodes += res.Info.Nodes
				}
				b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
			})
		}
	}
}
