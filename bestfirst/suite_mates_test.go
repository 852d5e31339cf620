package bestfirst

import (
	"context"
	"testing"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/search"
)

// mateLines tests that every report of a mate has a line of its length that ends in mate, also while other moves are
// reported, and that no mate comes after the fifty moves.
func mateLines(t *testing.T, open opener) {
	slow.Test(t)
	for fen, least := range map[string]int{ // moves to mate, Stockfish's; negative where the side to move is mated
		"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1":                   1,
		"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1":                  2,
		"rn2N3/8/4R2b/B3R3/3kP1N1/K2n4/8/1q6 w - - 0 1":      2,
		"6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1": 2,
		"3K4/8/3k4/8/3r4/8/8/8 w - - 0 1":                    -2,
		"7k/R7/8/8/8/8/1R6/7K b - - 0 1":                     -1,
		"kbK5/pp6/1P6/8/8/8/8/R7 w - - 97 90":                2, // mate on the hundredth ply
		"kbK5/pp6/1P6/8/8/8/8/R7 w - - 98 90":                0, // too late
	} {
		g, told := gameOf(t, fen), 0
		_, err := open(t, newMock(t), setup{}).Search(context.Background(), g, search.Limits{Evals: 20000, MultiPV: 3}, func(i search.Info) {
			if i.MultiPV == 1 {
				told = i.Score.Mate
			}
			checkMate(t, g, &i)
		})
		if err != nil || told < min(least, 2*least) || told > max(least, 2*least) || told*least < least*least {
			t.Errorf("%s: mate %d, want %d or a little farther, %v", fen, told, least, err)
		}
	}
}

// checkMate tests that the line of a mate has its length and ends in it, and that no draw by rule comes before.
func checkMate(t *testing.T, g *board.Game, i *search.Info) {
	t.Helper()
	if i.Score.Mate == 0 || i.PV == nil {
		return
	}
	after := g.Clone()
	for k, m := range i.PV {
		if !after.Pos.IsLegal(m) {
			t.Fatalf("%s: %s is not legal", g.Pos.FEN(false), after.Pos.UCI(m, false))
		}
		if after.Play(m); k < len(i.PV)-1 && after.Outcome() != board.Ongoing {
			t.Errorf("%s: %v after %d plies of a mate in %d", g.Pos.FEN(false), after.Outcome(), k+1, i.Score.Mate)
		}
	}
	want := 2*i.Score.Mate - 1
	if i.Score.Mate < 0 {
		want = -2 * i.Score.Mate
	}
	if len(i.PV) != want || after.Outcome() != board.Checkmate {
		t.Errorf("%s, depth %d, line %d: mate %d with %d plies, %v", g.Pos.FEN(false), i.Depth, i.MultiPV, i.Score.Mate, len(i.PV), after.Outcome())
	}
}
