package explain

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/match/pgn"
	"tesla/search"
)

const (
	hanging  = "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3" // a queen
	mating   = "6k1/5ppp/8/8/8/8/6PP/R5K1 w - - 0 1"                             // on the back rank
	queening = "8/2P5/8/8/8/8/k7/2K5 w - - 0 1"
	drawn    = "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"
	start    = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
)

// TestAsk asks two kinds of searches about moves whose worth is known.
func TestAsk(t *testing.T) {
	between := func(what string, p *float64, low, high float64) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if p == nil {
				t.Errorf("%s is not stated", what)
			} else if *p < low || *p > high {
				t.Errorf("%s is %v, want %v to %v", what, *p, low, high)
			}
		}
	}
	for _, c := range []struct {
		name, fen, move string
		check           func(t *testing.T, a *Answer)
		text            []string
	}{
		{"a queen is left hanging", hanging, "a3", func(t *testing.T, a *Answer) {
			between("the loss", a.Loss, 0.3, 0.7)(t)
			between("as good", a.AsGood, 0, 0.01)(t)
			if a.Choice.Move != "Nxh4" || a.Asked.Line[0] != "a3" || len(a.Asked.Line) < 2 || !strings.HasPrefix(a.Asked.Line[1], "Qxe4") {
				t.Errorf("%v, refuted by %v", a.Choice.Line, a.Asked.Line)
			}
		}, []string{"chooses Nxh4", "a3: ", "it loses 0."}},
		{"a mate is missed", mating, "h3", func(t *testing.T, a *Answer) {
			if a.Choice.Move != "Ra8#" || !search.IsMate(a.Choice.CP) {
				t.Errorf("the choice is %+v", a.Choice)
			}
		}, []string{"chooses Ra8#: mate in 1"}},
		{"the mate is asked for", mating, "Ra8#", func(t *testing.T, a *Answer) {
			if a.Asked != nil {
				t.Errorf("asked is %+v", a.Asked)
			}
		}, []string{"Ra8# is the move that it chooses"}},
		{"moves that are about equal", start, "Nf3", func(t *testing.T, a *Answer) {
			if a.Asked != nil {
				between("as good", a.AsGood, 0.5, 1)(t)
				between("the least loss", a.Low, 0, 0)(t)
			}
		}, []string{"chooses "}},
		{"a draw whatever is played", drawn, "Kd3", func(t *testing.T, a *Answer) {
			if a.Asked != nil && a.AsGood != nil {
				between("the least loss", a.Low, 0, 0.02)(t)
			}
		}, nil},
		{"a win is given away for a certain draw", queening, "c8=N", func(t *testing.T, a *Answer) {
			if most := a.Choice.Expected.High - 0.5; a.Loss != nil {
				between("the loss", a.Loss, 0.1, most)(t)
				between("the largest loss", a.High, *a.Loss, most)(t)
			}
		}, nil},
	} {
		for _, name := range []string{"lazysmp", "bestfirst", "puct"} {
			t.Run(name+", "+c.name, func(t *testing.T) {
				set := engine.Default()
				set.Search, set.Backend, set.Threads, set.Hash, set.TreeMemory, set.VerboseMoveStats = name, "nnue", 1, 16, 16, true
				s, _, err := engine.Open(set)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				limits := search.Limits{Evals: 60}
				if name == "lazysmp" {
					limits = search.Limits{Nodes: 20_000}
				}
				p, err := board.ParseFEN(c.fen)
				if err != nil {
					t.Fatal(err)
				}
				m, err := pgn.ParseSAN(&p, c.move)
				if err != nil {
					t.Fatal(err)
				}
				a, err := Ask(context.Background(), s, name, board.NewGame(p), m, limits)
				if err != nil {
					t.Fatal(err)
				}
				if s.StatesSureness() {
					c.check(t, a)
				} else if a.Loss != nil || a.AsGood != nil || a.Best != 0 {
					t.Errorf("it states what was never fitted: %+v", a)
				}
				var text strings.Builder
				if err := a.Text(&text); err != nil {
					t.Fatal(err)
				}
				for _, want := range c.text {
					if !strings.Contains(text.String(), want) && (s.StatesSureness() || !strings.Contains(want, "loses")) {
						t.Errorf("%q is missing in\n%s", want, &text)
					}
				}
				if turn := strings.Contains(text.String(), "What would change the choice"); turn && name != "bestfirst" {
					t.Errorf("it knows what would change its choice:\n%s", &text)
				}
				if _, err := json.Marshal(a); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestTurn checks that a tree names a root move that would have to move, and what that costs.
func TestTurn(t *testing.T) {
	set := engine.Default()
	set.Search, set.Backend, set.VerboseMoveStats = "bestfirst", "nnue", true
	s, _, err := engine.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := board.StartPosition()
	m, err := p.ParseMove("a2a4")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Ask(context.Background(), s, "bestfirst", board.NewGame(p), m, search.Limits{Evals: 60})
	if err != nil {
		t.Fatal(err)
	}
	turn := a.Turn
	if turn == nil || len(turn.Line) == 0 || turn.By == 0 || turn.Error <= 0 || turn.Evals < 0 || turn.Evals > 60 {
		t.Fatalf("%+v", turn)
	}
	if falls := turn.Line[0] == a.Choice.Move; falls != (turn.By < 0) {
		t.Errorf("the choice is %s, and %+v", a.Choice.Move, turn)
	}
	if a.Spent == nil || *a.Spent < 0 || *a.Spent > a.Choice.Evals {
		t.Errorf("%v of %d evaluations were spent on it", a.Spent, a.Choice.Evals)
	}
}

// critic is a searcher that would always look next at 1. e4.
type critic struct{ search.Searcher }

func (critic) Critical() (search.Critical, bool) {
	p := board.StartPosition()
	m, err := p.ParseMove("e2e4")
	return search.Critical{Line: []board.Move{m}, Gap: -2.8, Error: 0.01, N: 5}, err == nil
}

// TestDecided checks that nothing overturns a choice that wins by endgame tables: its value has no error.
func TestDecided(t *testing.T) {
	for cp, want := range map[int]bool{30: true, 29_989: false, -29_989: false, 31_990: false} {
		a := &Answer{Choice: Line{CP: cp}, before: board.StartPosition()}
		if a.turn(critic{}, nil); (a.Turn != nil) != want {
			t.Errorf("%d centipawns: %+v", cp, a.Turn)
		}
	}
}
