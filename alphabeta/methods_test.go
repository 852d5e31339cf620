package alphabeta

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

// randomPositions are reached by random moves.
func randomPositions(t *testing.T, n int, seed uint64) (all []board.Position) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for len(all) < n {
		p := position(t, positions[0])
		for range 8 + rnd.IntN(80) {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			var next board.Position
			p.Make(moves[rnd.IntN(len(moves))], &next)
			p = next
		}
		if len(p.LegalMoves(nil)) > 0 {
			all = append(all, p)
		}
	}
	return all
}

func newMethod(t *testing.T, name string, threads int, o Options) *Searcher {
	t.Helper()
	s, err := New(name, net(t), table(t), threads, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each method finds the value of brute force without a table, with one thread and with several: nodes are split down to
// depth 1, in either form.
func TestMethodsAreExact(t *testing.T) {
	count, most := 25, 4
	if testing.Short() {
		count, most = 6, 3
	}
	exact := NewThread(net(t), table(t), Parts{Verify: true})
	all := randomPositions(t, count, 1)
	for _, fen := range positions {
		all = append(all, position(t, fen))
	}
	want := make([][]int, len(all))
	for i := range all {
		for depth := range most {
			exact.begin(&all[i], nil)
			want[i] = append(want[i], minimax(exact, 0, depth+1))
		}
	}
	for _, c := range []struct{ name, options string }{
		{"lazysmp", ""}, {"mtdf", ""}, {"pvsplit", ""}, {"pvsplit", "resplit=off broadcast=off"}, {"jamboree", "strong=on"},
		{"jamboree", "strong=off"}, {"jamboree", "strong=off sequential=0.5"},
	} {
		for threads := 1; threads <= 4; threads++ {
			o := DefaultOptions()
			o.Parts = Parts{Verify: true}
			if err := o.Set("splitdepth=1 " + c.options); err != nil {
				t.Fatal(err)
			}
			s := newMethod(t, c.name, threads, o)
			for i := range all {
				for depth := 1; depth <= most; depth++ {
					s.NewGame()
					res := s.Search(context.Background(), board.NewGame(all[i]), search.Limits{Depth: depth}, nil)
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
func TestMethodsRepeat(t *testing.T) {
	for _, name := range Names {
		s := newMethod(t, name, 1, DefaultOptions())
		var nodes [2]int64
		for i := range nodes {
			s.NewGame()
			res := s.Search(context.Background(), board.NewGame(position(t, middleGame)), search.Limits{Depth: 9}, nil)
			nodes[i] = res.Info.Nodes
		}
		if nodes[0] != nodes[1] || nodes[0] == 0 {
			t.Errorf("%s: %v nodes", name, nodes)
		}
	}
}

// A search ends soon after it is told to, whatever its threads wait for.
func TestMethodsStop(t *testing.T) {
	for _, name := range Names {
		for _, threads := range []int{1, 2, 4} {
			s := newMethod(t, name, threads, DefaultOptions())
			for _, pause := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
				ctx, cancel := context.WithCancel(context.Background())
				time.AfterFunc(pause, cancel)
				start := time.Now()
				res := s.Search(ctx, board.NewGame(position(t, middleGame)), search.Limits{Infinite: true}, nil)
				if d := time.Since(start) - pause; d > 2*time.Second || res.Best == board.NullMove {
					t.Errorf("%s, %d threads: %v after %v", name, threads, res.Best, d)
				}
			}
			res := s.Search(context.Background(), board.NewGame(position(t, middleGame)), search.Limits{MoveTime: 50 * time.Millisecond}, nil)
			if p := position(t, middleGame); !p.IsLegal(res.Best) {
				t.Errorf("%s, %d threads: illegal move", name, threads)
			}
		}
	}
}

// Threads take part: work is given away, and done.
func TestSplits(t *testing.T) {
	for _, name := range []string{"pvsplit", "jamboree"} {
		s := newMethod(t, name, 2, DefaultOptions())
		s.Search(context.Background(), board.NewGame(position(t, middleGame)), search.Limits{Depth: 11}, nil)
		if s.Messages() == 0 || s.threads[1].nodes == 0 {
			t.Errorf("%s: %d parts of splits, %d nodes of the second thread", name, s.Messages(), s.threads[1].nodes)
		}
	}
	if c := newMethod(t, "pvsplit", 2, DefaultOptions()).MessageCost(); c <= 0 || c > time.Second {
		t.Errorf("a message costs %v", c)
	}
}

func TestOptions(t *testing.T) {
	o := DefaultOptions()
	if err := o.Set("NullMove=off splitdepth=7 sequential=0.25 vote=on"); err != nil || o.NullMove || o.SplitDepth != 7 || o.Sequential != 0.25 || !o.Vote {
		t.Errorf("%+v, %v", o, err)
	}
	if err := o.Set("plain"); err != nil || o.LateMoveReduction || !o.Butterfly || o.SplitDepth != 7 {
		t.Errorf("plain: %+v, %v", o, err)
	}
	for _, wrong := range []string{"nullmove", "nullmove=1", "parts=on", "splitdepth=-1", "splitdepth=x", "sequential=2", "depth=3", "=on"} {
		if err := o.Set(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	if _, err := New("bestfirst", nil, nil, 1, o); err == nil {
		t.Error("New makes a best-first search")
	}
}

// The deepest line is chosen, then the best; or that of the most votes.
func TestChoose(t *testing.T) {
	const a, b = board.Move(1), board.Move(2)
	line := func(depth, score int, m board.Move) Line {
		return Line{Depth: depth, Score: score, PV: []board.Move{m}}
	}
	for _, c := range []struct {
		vote bool
		best Line
		rest []Line
		want board.Move
	}{
		{false, line(9, 10, a), []Line{line(10, 5, b)}, b},
		{false, line(9, 10, a), []Line{line(9, 15, b)}, b},
		{false, line(9, 10, a), []Line{line(8, 50, b), {}}, a},
		{false, Line{}, []Line{line(3, 0, b)}, b},
		{true, line(9, 10, a), []Line{line(10, 11, b), line(9, 10, a)}, a},
		{true, line(9, 10, a), []Line{line(9, 60, b), line(9, 10, a)}, b},
	} {
		m := &lazySMP{options: Options{Vote: c.vote}, found: c.rest}
		if got := m.choose(c.best); got.PV[0] != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// principal goes on with the table's moves, and stops where they repeat.
func TestPrincipal(t *testing.T) {
	th := NewThread(net(t), table(t), AllParts())
	p := position(t, "7k/8/8/8/8/8/1R6/K7 w - - 0 1")
	th.begin(&p, nil)
	at := p
	for _, move := range []string{"b2b3", "h8g8", "b3b2", "g8h8"} {
		m, err := at.ParseMove(move, false)
		if err != nil {
			t.Fatal(err)
		}
		th.table.Store(at.Key, 0, tt128.NewDraft(0, infinite, 5, m, false))
		var next board.Position
		at.Make(m, &next)
		at = next
	}
	if line := th.principal(nil); len(line) != 4 {
		t.Errorf("%d moves", len(line))
	}
}
