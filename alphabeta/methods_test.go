package alphabeta

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
	"tesla/tt128"
)

// randomPositions are reached by random moves.
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
// depth 1, in either form. On 500 positions where TESLA_LONG is set.
func TestMethodsAreExact(t *testing.T) {
	count, most := 25, 4
	switch {
	case os.Getenv("TESLA_LONG") != "":
		count = 500
	case testing.Short():
		count, most = 6, 3
	}
	exact := NewThread(net(t), table(t), Parts{Verify: true})
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
		for threads := 1; threads <= 4; threads++ {
			o := DefaultOptions()
			o.Parts = Parts{Verify: true}
			if err := o.Set("splitdepth=1 " + c.options); err != nil {
				t.Fatal(err)
			}
			s := newMethod(t, c.name, threads, o)
			defer s.Close()
			for i := range all {
				for depth := 1; depth <= most; depth++ {
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
func TestMethodsRepeat(t *testing.T) {
	for _, name := range Names {
		s := newMethod(t, name, 1, DefaultOptions())
		var nodes [2]int64
		for i := range nodes {
			s.NewGame()
			res, _ := s.Search(context.Background(), board.NewGame(boardtest.Position(t, middleGame)), search.Limits{Depth: 9}, nil)
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
				res, _ := s.Search(ctx, board.NewGame(boardtest.Position(t, middleGame)), search.Limits{Infinite: true}, nil)
				if d := time.Since(start) - pause; d > 2*time.Second || res.Best == board.NullMove {
					t.Errorf("%s, %d threads: %v after %v", name, threads, res.Best, d)
				}
			}
			res, _ := s.Search(context.Background(), board.NewGame(boardtest.Position(t, middleGame)), search.Limits{MoveTime: 50 * time.Millisecond}, nil)
			if p := boardtest.Position(t, middleGame); !p.IsLegal(res.Best) {
				t.Errorf("%s, %d threads: illegal move", name, threads)
			}
		}
	}
}

// Mates, stalemates to find and to avoid, zugzwang, and the end of the fifty moves: each searcher finds the move, or
// knows the score: mtdf where it does not trust bounds that are near each other.
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
	}{
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", mate(2)},
		{"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", "d6d1", mate(3)},
		{"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "d8h4", mate(1)},
		{"8/8/1KP5/3r4/8/8/8/k7 w - - 0 1", "c6c7", nil},              // Saavedra: a queen would be stalemate
		{"6k1/8/8/8/8/1r4q1/8/Q6K w - - 0 1", "", draw},               // the queen wants to be taken
		{"8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", "e1f1", nil}, // zugzwang
		{"1q1k4/2Rr4/8/2Q3K1/8/8/8/8 w - - 0 1", "g5h6", nil},         // of both sides
		{"7k/5K2/8/6Q1/8/8/8/8 w - - 99 100", "", mate(1)},            // mate comes before the draw
		{"7k/8/8/8/8/8/R7/K7 w - - 98 100", "", draw},                 // no mate within what is left
		{"7k/8/8/8/8/8/R7/K7 b - - 100 100", "", nil},                 // a draw already, but a move is asked for
		{"8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", "0000", nil},              // stalemate
		{"R6k/6pp/8/8/8/8/8/7K b - - 0 1", "0000", nil},               // mated
	} {
		p := boardtest.Position(t, c.fen)
		for _, name := range Names {
			res, _ := newMethod(t, name, 2, exact).Search(context.Background(), board.NewGame(p), search.Limits{Nodes: 500000}, nil)
			got := p.UCI(res.Best, false)
			if c.move != "" && got != c.move || c.score != nil && res.Info.Score != *c.score || c.move != "0000" && !p.IsLegal(res.Best) {
				t.Errorf("%s, %s: %s, %v", name, c.fen, got, res.Info.Score)
			}
		}
	}
}

// Threads take part: work is given away, and done.
func TestSplits(t *testing.T) {
	for _, name := range []string{"pvsplit", "jamboree"} {
		s := newMethod(t, name, 2, DefaultOptions())
		s.Search(context.Background(), board.NewGame(boardtest.Position(t, middleGame)), search.Limits{Depth: 11}, nil)
		work := s.threads[0].nodes + s.threads[1].nodes
		if s.Messages() == 0 || s.threads[1].nodes == 0 || s.Idle() <= 0 || s.Path() <= 0 || s.Path() >= work {
			t.Errorf("%s: %d parts of splits, %d nodes of the second thread of %d, idle %v, path %d", name, s.Messages(),
				s.threads[1].nodes, work, s.Idle(), s.Path())
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

// What lazysmp's threads differ by: each option is heeded by the second thread alone.
func TestDiversity(t *testing.T) {
	p := boardtest.Position(t, middleGame)
	at := func(options string) *Thread {
		o := DefaultOptions()
		if err := o.Set("offsets=off " + options); err != nil {
			t.Fatal(err)
		}
		s := newMethod(t, "lazysmp", 2, o)
		s.threads[0].history.butterfly[0][0] = 7
		s.Search(context.Background(), board.NewGame(p), search.Limits{Depth: 1}, nil)
		if first := s.threads[0]; first.noise != nil || first.widen != 0 {
			t.Errorf("%s: the first thread differs", options)
		}
		return s.threads[1]
	}
	if same := at(""); same.noise != nil || same.widen != 0 || same.history.butterfly[0][0] != 0 {
		t.Error("the second thread differs though it should not, or does not keep its own history")
	}
	if at("histories=off").history.butterfly[0][0] != 7 {
		t.Error("the history was not copied")
	}
	if at("windows=on").widen == 0 {
		t.Error("windows are not wider")
	}
	noisy := at("noise=5")
	noisy.begin(&p, nil)
	value := noisy.static(0)
	noisy.noise = nil
	if d := value - noisy.static(0); d == 0 || d < -5 || d > 5 {
		t.Errorf("noise of %d", d)
	}
}

// With affinity a thread takes the root move that it had before, if it is among the next; no move is lost or given twice.
func TestAffinity(t *testing.T) {
	o := DefaultOptions()
	o.Affinity = true
	s := newMethod(t, "pvsplit", 2, o)
	first, second := s.threads[0], s.threads[1]
	p := boardtest.Position(t, middleGame)
	first.begin(&p, nil)
	moves := p.LegalMoves(nil)
	first.member.team.roots = map[board.Move]remembered{}
	for i, m := range moves {
		first.member.team.roots[m] = remembered{by: s.threads[i%2].member}
	}
	k := first.pick(&p, 0, board.NullMove)
	part := first.member.newSplit(&node{}, &k)
	given, own := map[board.Move]bool{}, 0
	for i := range moves {
		by := s.threads[i/2%2].member // each takes two in turn
		m, _, ok := part.nextOf(by)
		if !ok || given[m] {
			t.Fatalf("move %d: %v, given before: %t", i, m, given[m])
		}
		given[m] = true
		if first.member.team.roots[m].by == by {
			own++
		}
	}
	if _, _, ok := part.nextOf(second.member); ok || own <= len(moves)/2 {
		t.Errorf("%d of %d moves were their thread's", own, len(moves))
	}
}

// A line that is remembered fills the tables of threads that lack it, and no more. Moves that the opponent refuted without a
// move, by standing pat or passing, have none.
func TestRefutations(t *testing.T) {
	o := DefaultOptions()
	o.Refutations, o.Local = true, true
	s := newMethod(t, "pvsplit", 2, o)
	defer s.Close()
	s.Search(context.Background(), board.NewGame(boardtest.Position(t, middleGame)), search.Limits{Depth: 8}, nil)
	roots, lines := s.threads[0].member.team.roots, 0
	for m, known := range roots {
		if known.line[0] != m {
			t.Fatalf("%v: line %v", m, known.line)
		}
		if len(known.line) == 1 {
			continue
		}
		lines++
		fresh := s.threads[1]
		fresh.table.Clear()
		fresh.pos[0] = boardtest.Position(t, middleGame)
		fresh.member.recall(m)
		if got := fresh.table.Line(&fresh.pos[0], known.line[:1], maxPly); len(got) != len(known.line) || got[1] != known.line[1] {
			t.Fatalf("%v recalled of %v", got, known.line)
		}
	}
	if lines < len(roots)/2 {
		t.Errorf("%d moves of %d have a line", lines, len(roots))
	}
}

// A mate is chosen, else the deepest line, then the best; or that of the most votes.
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
		{false, line(9, search.MateIn(3), a), []Line{line(10, 700, b)}, a},
		{true, line(9, 700, a), []Line{line(8, search.MateIn(5), b), line(9, 700, a)}, b},
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
	p := boardtest.Position(t, "7k/8/8/8/8/8/1R6/K7 w - - 0 1")
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
