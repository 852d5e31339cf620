package annotate

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
	"tesla/search/sure"
)

// stating states the values that a function gives for White, by the moves of the game before the position and the nodes of the search.
// Its choice is the move of the game, or the first one where that has ended, unless other is set.
type stating struct {
	search.Searcher
	value func(ply int, nodes int64) (cp int, half float64)
	moves []string // of the game
	other bool
	asked []int64 // nodes
}

func (s *stating) NewGame()             {}
func (s *stating) StatesSureness() bool { return true }

func (s *stating) Search(_ context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	s.asked = append(s.asked, l.Nodes)
	ply := len(g.Moves)
	cp, half := s.value(ply, l.Nodes)
	if g.Pos.Black {
		cp = -cp
	}
	best, second := g.Pos.LegalMoves(nil)[0], g.Pos.LegalMoves(nil)[1]
	if ply < len(s.moves) {
		if m, err := g.Pos.ParseMove(s.moves[ply]); err == nil && !s.other {
			best = m
		}
		if s.other && g.Pos.UCI(best, false) == s.moves[ply] {
			best, second = second, best
		}
	}
	middle := sure.Points(cp)
	in := search.Info{Score: search.ScoreFromCP(cp), PV: []board.Move{best}, MultiPV: 1, Depth: 9}
	if l.MultiPV > 1 {
		report(search.Info{Score: search.ScoreFromCP(cp - 7), PV: []board.Move{second}, MultiPV: 2, Depth: 9})
	} else {
		in.Sure = search.Sureness{Low: middle - half, High: middle + half}
		report(in)
	}
	return search.Result{Best: best, Info: in}, nil
}

// TestDoubt annotates a game of one move for each side by a searcher that states its values: what it writes, and how often it searches.
func TestDoubt(t *testing.T) {
	blunder := func(half float64) func(int, int64) (int, float64) { // of Black, by the first pass
		return func(ply int, nodes int64) (int, float64) { return []int{20, 20, 400}[ply], half }
	}
	for _, c := range []struct {
		name     string
		text     string
		value    func(int, int64) (int, float64)
		want     string
		unwanted string
		again    int // searches of a whole limit or more, at least
	}{
		{"a blunder is searched again", "1. a3 a6 *", blunder(0.02), "1... a6 $4 {[%eval 4.00,9] Blunder, from 0.20 to 4.00.} (1... ", "Unclear", 2},
		{"a blunder of the first pass alone is none", "1. a3 a6 *", func(ply int, nodes int64) (int, float64) {
			if nodes < 800 {
				return blunder(0.02)(ply, nodes)
			}
			return 20, 0.02
		}, "1... a6 {[%eval 0.20,9]} *", "Blunder", 2},
		{"a loss that stays in doubt", "1. a3 a6 *", func(ply int, nodes int64) (int, float64) { return []int{20, 20, 130}[ply], 0.1 },
			"1... a6 {[%eval 1.30,9] Unclear, from 0.20 to 1.30: Mistake at 0.", "$", 1},
		{"a loss that more effort makes sure", "1. a3 a6 *", func(ply int, nodes int64) (int, float64) {
			return []int{20, 20, 150}[ply], 26 / float64(nodes)
		}, "1... a6 $2 {[%eval 1.50,9] Mistake, from 0.20 to 1.50.} (1... ", "Unclear", 1},
		{"the author's mark", "1. a3 a6 $1 {[%clk 0:01:00] good} *", blunder(0.02),
			"1... a6 $1 {[%eval 4.00,9] [%clk 0:01:00] Blunder, from 0.20 to 4.00. The game marks it ! here. good} (1... ", "$4", 2},
		{"the author's own mark, the same", "1. a3 a6 $4 *", blunder(0.02), "1... a6 $4 {[%eval 4.00,9] Blunder, from 0.20 to 4.00.} (1... ", "The game marks", 2},
	} {
		in := filepath.Join(t.TempDir(), "in.pgn")
		write(t, in, c.text)
		cfg := config(t, in)
		cfg.Limits = search.Limits{Nodes: 800}
		s := &stating{value: c.value, moves: []string{"a2a3", "a7a6"}, other: true}
		text := strings.Join(strings.Fields(annotate(t, s, cfg)), " ")
		moves := text[strings.Index(text, " 1. a3"):]
		again := 0
		for _, nodes := range s.asked {
			if nodes >= 800 {
				again++
			}
		}
		if !strings.Contains(moves, c.want) || strings.Contains(moves, c.unwanted) || again < c.again {
			t.Errorf("%s: searches of %v nodes\n%s\nwant %s", c.name, s.asked, moves, c.want)
		}
		spent := 0.0
		for _, nodes := range s.asked {
			spent += float64(nodes) / 800
		}
		if most := 3 + 2.0; spent > most { // a blunder is searched again whatever the budget
			t.Errorf("%s: the effort of %g positions", c.name, spent)
		}
		checkOneComment(t, text)
		cfg2 := config(t, cfg.Out)
		cfg2.Limits = cfg.Limits
		if again := strings.Join(strings.Fields(annotate(t, s, cfg2)), " "); strings.Count(again, "from 0.20") != strings.Count(text, "from 0.20") {
			t.Errorf("%s, annotated twice:\n%s", c.name, again)
		}
	}
}

// TestOwnChoice judges moves that the search before them prefers: they are compared with its second line.
func TestOwnChoice(t *testing.T) {
	for _, c := range []struct {
		name  string
		value func(int, int64) (int, float64)
		want  string
	}{
		{"a worse position than thought is no mistake", func(ply int, nodes int64) (int, float64) { return []int{20, 20, 400}[ply], 0.02 }, "1... a6 {[%eval 4.00,9]} *"},
		{"nothing is lost", func(ply int, nodes int64) (int, float64) { return 20, 0.02 }, "1... a6 {[%eval 0.20,9]} *"},
	} {
		in := filepath.Join(t.TempDir(), "in.pgn")
		write(t, in, "1. a3 a6 *")
		cfg := config(t, in)
		cfg.Limits = search.Limits{Nodes: 800}
		s := &stating{value: c.value, moves: []string{"a2a3", "a7a6"}}
		if text := strings.Join(strings.Fields(annotate(t, s, cfg)), " "); !strings.Contains(text, c.want) {
			t.Errorf("%s: searches of %v nodes\n%s\nwant %s", c.name, s.asked, text, c.want)
		}
	}
}

// TestResumeInDoubt ends a run after each number of searches and starts it again: the file is the same.
func TestResumeInDoubt(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.pgn")
	write(t, in, "1. a3 a6 *")
	runTo := func(last int, out string) (string, error) {
		cfg := config(t, in)
		cfg.Out, cfg.Limits = out, search.Limits{Nodes: 800}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		asked := 0
		s := &stating{moves: []string{"a2a3", "a7a6"}, other: true, value: func(ply int, nodes int64) (int, float64) {
			if asked++; asked > last {
				cancel()
			}
			return []int{20, 20, 150}[ply], 26 / float64(nodes)
		}}
		f, err := Open(cfg)
		if err == nil {
			err = f.Run(ctx, s, label)
		}
		if err != nil {
			return "", err
		}
		return read(t, out), nil
	}
	want, err := runTo(100, filepath.Join(t.TempDir(), "out.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []int{0, 1, 3, 4} {
		out := filepath.Join(t.TempDir(), "out.pgn")
		if _, err := runTo(last, out); err == nil {
			t.Fatalf("the run of %d searches has not ended early", last)
		}
		if text, err := runTo(100, out); err != nil || text != want {
			t.Errorf("after %d searches: %v\n%s\nwant\n%s", last, err, text, want)
		}
	}
}

// TestOtherRival checks that a deeper search with two lines puts another rival in the place of the one that a short search named.
func TestOtherRival(t *testing.T) {
	for rival, kept := range map[string]bool{"b2b3": true, "c2c3": false} {
		g, err := newGame(pgn.ReadAnnotated("1. a3 a6 *")[0], &Config{})
		if err != nil {
			t.Fatal(err)
		}
		g.contests = []contest{{rival: &evaluation{ask: ask{Move: rival}}}, {}}
		cp := 7
		g.learn(0, evaluation{ask: ask{Level: firstLevel, Lines: 2}, Line: []string{"a2a3"}, Second: &cp, SecondLine: []string{"b2b3"}})
		if c := g.contests[0]; (c.rival != nil) != kept || c.second == nil {
			t.Errorf("%s: %+v", rival, c)
		}
	}
}
