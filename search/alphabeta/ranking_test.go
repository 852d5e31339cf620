package alphabeta

import (
	"context"
	"slices"
	"testing"
	"time"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
	"tesla/tt128"
)

// A report says what was searched, and how fast by the clock.
func TestInfo(t *testing.T) {
	var hand handClock
	th := threadAt(t, Mode{}, middleGame)
	th.Deepen(&th.pos[0], 3, 0, nil)
	x := &running{Searcher: &Searcher{tables: []*tt128.Table{th.table}, threads: []*Thread{th}}}
	x.clock.begin(hand.now, search.Budget{}, true)
	x.draws = 0.5
	x.nodes.Store(1000)
	x.count(th)
	x.count(th) // counts only what is new
	pv := []board.Move{moveOf(t, &th.pos[0], "a2a3")}
	in := x.info(&Line{Depth: 3, Score: 0, Bound: search.Lower, PV: pv}, 2)
	if in.NPS != 0 || in.SelDepth != 1 || in.Bound != search.Lower || in.WDL != [3]int{250, 500, 250} {
		t.Errorf("before the clock goes on: %d nodes a second, selective depth %d, bound %d, WDL %v", in.NPS, in.SelDepth, in.Bound, in.WDL)
	}
	hand.at = 2 * time.Second
	in = x.info(&Line{Depth: 3, SelDepth: 9, Score: search.MatedIn(4), PV: pv}, 2)
	nodes := th.nodes + 1000
	if in.Nodes != nodes || in.NPS != nodes/2 || in.Time != 2*time.Second || in.Evals != th.Evals() {
		t.Errorf("%d nodes at %d a second in %v with %d values, want %d nodes", in.Nodes, in.NPS, in.Time, in.Evals, nodes)
	}
	if in.Depth != 3 || in.SelDepth != 9 || in.MultiPV != 2 || in.Score.Mate != -2 || in.WDL != [3]int{0, 0, 1000} || !slices.Equal(in.PV, pv) {
		t.Errorf("depth %d/%d, rank %d, %v, WDL %v, %v", in.Depth, in.SelDepth, in.MultiPV, in.Score, in.WDL, in.PV)
	}
}

// The move that is played is the first of the last line reported, also where the line of another thread is as deep and has the
// same score.
func TestFinish(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	lead, other := moveOf(t, &th.pos[0], "a2a3"), moveOf(t, &th.pos[0], "h2h3")
	d := &lazySMP{found: []Line{{}, {Depth: 3, Score: 5, PV: []board.Move{other}}}}
	var last search.Info
	s := &Searcher{tables: []*tt128.Table{th.table}, threads: []*Thread{th}, driver: d}
	x := &running{Searcher: s, report: func(i search.Info) { last = i }}
	x.lines, x.roots, x.found = 1, []board.Move{lead, other}, []Line{{Depth: 3, Score: 5, Bound: search.Lower, PV: []board.Move{lead}}}
	x.clock.begin((&handClock{}).now, search.Budget{}, true)
	x.tell()
	if best := x.finish(true).Best; best != other || last.PV[0] != best {
		t.Errorf("it plays %v, and the last line begins with %v; want %v", best, last.PV[0], other)
	}
}

func TestWithout(t *testing.T) {
	moves := []board.Move{1, 2, 3}
	lines := []Line{{PV: []board.Move{2, 3}}, {PV: []board.Move{1}}}
	if got := without(moves, lines); !slices.Equal(got, []board.Move{3}) {
		t.Errorf("%v are left", got)
	}
	if got := without(moves, nil); !slices.Equal(got, moves) {
		t.Errorf("without lines %v are left", got)
	}
	if got := distinct([]board.Move{2, 1, 2, 3, 1}); !slices.Equal(got, []board.Move{2, 1, 3}) {
		t.Errorf("each once: %v", got)
	}
	if second([]board.Move{1}) != board.NullMove || second(moves) != 2 {
		t.Error("the reply is not the second move")
	}
}

// A temperature draws among the lines by their values; a low one takes the best, a high one any.
func TestDrawLine(t *testing.T) {
	found := []Line{{Score: 10}, {Score: 300}, {Score: -300}}
	count := func(temperature float64) (n [3]int) {
		for range 600 {
			n[drawLine(found, temperature)]++
		}
		return n
	}
	if n := count(1e-6); n[1] != 600 {
		t.Errorf("a low temperature draws %v", n)
	}
	if n := count(1e6); min(n[0], n[1], n[2]) < 120 {
		t.Errorf("a high temperature draws %v", n)
	}
	if k := drawLine(nil, 1); k != 0 {
		t.Errorf("without lines: %d", k)
	}
	res, _ := searchWith(t, 1, middleGame, search.Limits{Depth: 2, Temperature: 1e6})
	if p := boardtest.Position(t, middleGame); !p.IsLegal(res.Best) || res.Best != res.Info.PV[0] {
		t.Errorf("a search with a temperature gives %v, and the line %v", res.Best, res.Info.PV)
	}
}

// Every driver shows as many different moves as were asked for, the best first, however the search ends. The last report
// has as many ranks, all of the same depth.
func TestRanks(t *testing.T) {
	const wanted = 4
	for _, c := range []struct {
		fen  string
		only []string
		want int // lines
	}{
		{middleGame, nil, wanted},
		{middleGame, []string{"a2a3", "h2h3", "a2a3"}, 2},
		{"7k/8/5K2/8/8/8/8/6R1 b - - 0 1", nil, 1},
	} {
		p := boardtest.Position(t, c.fen)
		var only []board.Move
		for _, text := range c.only {
			only = append(only, moveOf(t, &p, text))
		}
		for _, name := range Names {
			for _, threads := range numbers(1, 3) {
				s := newDriver(t, name, threads, DefaultOptions())
				for _, l := range []search.Limits{{Nodes: 1}, {Nodes: 40}, {Nodes: 3000}, {Nodes: 7000}, {Depth: 4}} {
					l.MultiPV, l.SearchMoves = wanted, only
					s.NewGame()
					var ranks []search.Info
					res, _ := s.Search(context.Background(), board.NewGame(p), l, func(in search.Info) {
						if in.Text != "" {
							return
						}
						if in.MultiPV == 1 {
							ranks = nil
						}
						ranks = append(ranks, in)
					})
					checkRanks(t, name, threads, &l, ranks, c.want)
					if res.Best != ranks[0].PV[0] || res.Info.Score != ranks[0].Score {
						t.Errorf("%s: the result is not the first rank", name)
					}
				}
			}
		}
	}
}

func checkRanks(t *testing.T, name string, threads int, l *search.Limits, ranks []search.Info, want int) {
	t.Helper()
	if len(ranks) != want {
		t.Fatalf("%s, %d threads, %+v: %d lines, want %d", name, threads, l, len(ranks), want)
	}
	seen := map[board.Move]bool{}
	for i, in := range ranks {
		m := in.PV[0]
		if in.MultiPV != i+1 || in.Depth != ranks[0].Depth || seen[m] || i > 0 && in.Score.Value() > ranks[i-1].Score.Value() ||
			len(l.SearchMoves) > 0 && !slices.Contains(l.SearchMoves, m) {
			t.Errorf("%s, %d threads, %+v: line %d is rank %d, depth %d, %v, %v after %v", name, threads, l, i, in.MultiPV, in.Depth,
				in.Score, in.PV, ranks[:i])
		}
		seen[m] = true
	}
}

// Threads together end within two per cent of the nodes, and of the values, that were asked for. The last report counts
// all of them.
func TestLimitOfAllThreads(t *testing.T) {
	p := boardtest.Position(t, middleGame)
	for _, name := range Names {
		for _, threads := range numbers(1, 2, 5) {
			s := newDriver(t, name, threads, DefaultOptions())
			for _, l := range []search.Limits{{Nodes: 5000}, {Nodes: 20000}, {Evals: 5000}} {
				s.NewGame()
				var last search.Info
				s.Search(context.Background(), board.NewGame(p), l, func(in search.Info) {
					if in.Text == "" {
						last = in
					}
				})
				got, want := last.Nodes, l.Nodes
				if want == 0 {
					got, want = last.Evals, l.Evals
				}
				if got < want*98/100 || got > want*102/100 {
					t.Errorf("%s, %d threads, %+v: ends at %d nodes, %d values", name, threads, l, last.Nodes, last.Evals)
				}
			}
		}
	}
}

// A depth that was cut short is shown as a bound, and does not take the place of a mate, or show one.
func TestBetterCut(t *testing.T) {
	const a, b = board.Move(1), board.Move(2)
	for name, c := range map[string]struct {
		score, before int
		move          board.Move
		want          bool
	}{
		"another move":                    {-50, 20, b, true},
		"the same move":                   {-50, 20, a, true},
		"a mate":                          {search.MateIn(5), 20, a, true},
		"a shorter mate":                  {search.MateIn(5), search.MateIn(7), b, true},
		"the same mate":                   {search.MateIn(5), search.MateIn(5), a, false},
		"a mate is not found again":       {300, search.MateIn(5), a, false},
		"the move is mated":               {search.MatedIn(4), 20, a, false},
		"the move is mated earlier":       {search.MatedIn(4), search.MatedIn(8), a, false},
		"another move is mated later":     {search.MatedIn(8), search.MatedIn(4), b, true},
		"the move is not mated after all": {-300, search.MatedIn(4), a, true},
	} {
		cut, before := Line{Score: c.score, PV: []board.Move{c.move}}, Line{Score: c.before, PV: []board.Move{a}}
		if got := betterCut(&cut, &before); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// With a warm table a search of few nodes finds some lines of its first depth: they, too, come best first.
func TestRanksOfFirstDepth(t *testing.T) {
	p := boardtest.Position(t, middleGame)
	for _, name := range Names {
		s := newDriver(t, name, 1, DefaultOptions())
		s.Search(context.Background(), board.NewGame(p), search.Limits{Depth: 9}, nil)
		for nodes := int64(1); nodes < 400; nodes += 7 {
			var ranks []search.Info
			l := search.Limits{Nodes: nodes, MultiPV: p.CountLegal()}
			s.Search(context.Background(), board.NewGame(p), l, func(in search.Info) {
				if in.MultiPV == 1 {
					ranks = nil
				}
				ranks = append(ranks, in)
			})
			checkRanks(t, name, 1, &l, ranks, l.MultiPV)
		}
	}
}

// Where that is asked for, each root move that begins is reported from three seconds on, with its number, between the
// reports of lines; otherwise none is.
func TestCurrentMoves(t *testing.T) {
	const depth = 6
	g := board.NewGame(boardtest.Position(t, middleGame))
	moves := len(g.Pos.LegalMoves(nil))
	for name, threads := range map[string]int{"lazysmp": 1, "mtdf": 1, "pvsplit": 2} {
		for _, limits := range []search.Limits{{Depth: depth, Current: true}, {Depth: depth}} {
			s := newDriver(t, name, threads, DefaultOptions())
			var hand handClock
			s.now = hand.now
			early, seen := 0, map[board.Move]bool{}
			_, err := s.Search(context.Background(), g, limits, func(in search.Info) {
				switch {
				case in.Current == board.NullMove && in.Depth == depth-2:
					hand.at = search.CurrentAfter
				case in.Current == board.NullMove:
				case hand.at < search.CurrentAfter:
					early++
				case !g.Pos.IsLegal(in.Current) || in.Number < 1 || in.Number > moves || in.Depth <= depth-2:
					t.Errorf("%s: %+v", name, in)
				default:
					seen[in.Current] = true
				}
			})
			if want := limits.Current; err != nil || early > 0 || want && threads == 1 && len(seen) < moves ||
				want && len(seen) < 2 || !want && len(seen) > 0 {
				t.Errorf("%s, current %t: %d moves early, %d of %d after, %v", name, want, early, len(seen), moves, err)
			}
		}
	}
}
