package alphabeta

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/internal/cores"
	"tesla/search"
	"tesla/tt128"
)

func searchWith(t *testing.T, threads int, fen string, l search.Limits) (search.Result, []search.Info) {
	t.Helper()
	s := newDriver(t, "lazysmp", threads, DefaultOptions())
	var infos []search.Info
	res, err := s.Search(context.Background(), board.NewGame(boardtest.Position(t, fen)), l, func(i search.Info) { infos = append(infos, i) })
	if err != nil {
		t.Fatal(err)
	}
	return res, infos
}

func TestLimits(t *testing.T) {
	if res, infos := searchWith(t, 1, middleGame, search.Limits{Depth: 6}); res.Info.Depth != 6 || len(infos) != 6 {
		t.Errorf("depth 6: %d reports, the last of depth %d", len(infos), res.Info.Depth)
	}
	if res, _ := searchWith(t, 2, middleGame, search.Limits{Depth: 6}); res.Info.Depth != 6 {
		t.Errorf("depth 6 with two threads: depth %d", res.Info.Depth)
	}
	if res, _ := searchWith(t, 1, middleGame, search.Limits{Nodes: 5000}); res.Info.Nodes > 5000 || res.Info.Nodes < 500 {
		t.Errorf("5000 nodes: %d", res.Info.Nodes)
	}
	if res, _ := searchWith(t, 1, middleGame, search.Limits{Evals: 5000}); res.Info.Evals > 5000 || res.Info.Evals < 500 {
		t.Errorf("5000 evaluations: %d", res.Info.Evals)
	}
	if res, infos := searchWith(t, 1, middleGame, search.Limits{Nodes: 1}); res.Best == board.NullMove || len(infos) == 0 {
		t.Errorf("1 node: move %v, %d reports", res.Best, len(infos))
	}
	if res, _ := searchWith(t, 1, "7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", search.Limits{Mate: 2}); res.Info.Score.Mate != 1 {
		t.Errorf("mate: %v", res.Info.Score)
	}
	if res, infos := searchWith(t, 2, "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", search.Limits{Depth: 3}); res.Best != board.NullMove || len(infos) != 0 {
		t.Errorf("stalemate: %v, %d reports", res.Best, len(infos))
	}
}

func TestRootMoves(t *testing.T) {
	p := boardtest.Position(t, middleGame)
	m := moveOf(t, &p, "a2a3")
	if res, _ := searchWith(t, 2, middleGame, search.Limits{Depth: 6, SearchMoves: []board.Move{m}}); res.Best != m {
		t.Errorf("searchmoves a2a3 gives %s", p.UCI(res.Best, false))
	}
	_, infos := searchWith(t, 1, middleGame, search.Limits{Depth: 5, MultiPV: 3})
	seen := map[board.Move]bool{}
	for i, in := range infos[len(infos)-3:] {
		seen[in.PV[0]] = true
		if in.MultiPV != i+1 || in.Depth != 5 {
			t.Errorf("line %d has rank %d and depth %d", i+1, in.MultiPV, in.Depth)
		}
	}
	if len(seen) != 3 {
		t.Errorf("3 lines begin with %d moves", len(seen))
	}
}

// NewGame forgets what was learned. Tables of their own are as large as the caller's, and stay apart from it.
func TestNewGame(t *testing.T) {
	o := DefaultOptions()
	o.Local = true
	s := newDriver(t, "pvsplit", 3, o)
	if len(s.tables) != 3 || s.tables[1].Megabytes() != s.tables[0].Megabytes() || s.threads[2].table != s.tables[2] || s.threads[0].table != s.tables[0] {
		t.Fatalf("%d tables", len(s.tables))
	}
	for i, table := range s.tables {
		table.Store(5, 0, tt128.NewDraft(i, i, 3, 0, false))
		if e, _ := s.tables[0].Probe(5, 0); e.Lower() != 0 {
			t.Error("a table is shared")
		}
		s.threads[i].history.butterfly[1][5] = 9
	}
	s.NewGame()
	for i, table := range s.tables {
		if _, ok := table.Probe(5, 0); ok || *s.threads[i].history != (history{}) {
			t.Errorf("thread %d remembers", i+1)
		}
	}
}

func TestOptions(t *testing.T) {
	o := DefaultOptions()
	if err := o.Set("Verify=on splitdepth=7 sequential=0.25"); err != nil || !o.Verify || o.SplitDepth != 7 || o.Sequential != 0.25 {
		t.Errorf("%+v, %v", o, err)
	}
	if err := o.Set("plain verify=off"); err != nil || !o.Plain || o.Verify || o.SplitDepth != 7 {
		t.Errorf("plain: %+v, %v", o, err)
	}
	for _, wrong := range []string{"nullmove=off", "plain=1", "mode=on", "splitdepth=-1", "splitdepth=x", "sequential=2", "depth=3", "=on"} {
		if err := o.Set(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	if _, err := New("bestfirst", nil, nil, 1, o); err == nil {
		t.Error("New makes a best-first search")
	}
	if d := DefaultOptions(); d.Mode != (Mode{}) || d.Set("") != nil {
		t.Error("the default leaves something out")
	}
}

// The options of pvsplit and jamboree become the rule of their team.
func TestRules(t *testing.T) {
	o := DefaultOptions()
	o.SplitDepth, o.Sequential, o.Strong, o.Affinity = 6, 0.3, true, true
	for name, want := range map[string]rule{
		"pvsplit":  {principal: true, depth: 6, broadcast: true, resplit: true, affinity: true},
		"jamboree": {depth: 6, sequential: 0.3, ordered: true},
	} {
		s := newDriver(t, name, 2, o)
		if got := s.threads[1].member.team.rule; got != want || s.threads[0].member.team != s.threads[1].member.team {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// Where there is no memory for a table of its own, New says so and for which thread.
func TestNoMemory(t *testing.T) {
	huge := table(t)
	if err := huge.Resize(1 << 40); !errors.Is(err, tt128.ErrSize) {
		t.Fatal(err)
	}
	if huge.Megabytes() != 1 {
		t.Errorf("the table has %d MiB after an error", huge.Megabytes())
	}
	closed := table(t)
	if err := closed.Close(); err != nil { // a table of a single cluster has 0 MiB
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Local = true
	if _, err := New("lazysmp", net(t), closed, 2, o); !errors.Is(err, tt128.ErrSize) {
		t.Errorf("New with a table of %d MiB: %v", closed.Megabytes(), err)
	}
}

// Threads with places search there, and leave the caller's thread with the cores it had. A place that is not allowed is
// no failure.
func TestPlaces(t *testing.T) {
	if !cores.CanPin {
		t.Skip("not on this system")
	}
	allowed := cores.Allowed()
	s := newDriver(t, "lazysmp", 2, DefaultOptions())
	if s.places != nil && len(allowed) > 1 {
		t.Logf("this machine has memory nodes: %v", s.places)
	}
	p := boardtest.Position(t, middleGame)
	for _, place := range [][]int{allowed[:1], {1023}} {
		s.places = [][]int{place, place}
		leave := s.settle(1)
		during, want := cores.Allowed(), place
		leave()
		if place[0] == 1023 {
			want = allowed
		}
		res, err := s.Search(context.Background(), board.NewGame(p), search.Limits{Depth: 4}, nil)
		if err != nil || !p.IsLegal(res.Best) || !slices.Equal(during, want) || !slices.Equal(cores.Allowed(), allowed) {
			t.Errorf("place %v: %v, %v; cores %v, then %v", place, res.Best, err, during, cores.Allowed())
		}
	}
}
