package treesearch

import (
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// A mating line that was cut is completed; one that cannot be in the time that a report may take stays as it is.
func TestEndMate(t *testing.T) {
	for _, c := range []struct {
		fen  string
		mate int
		line []string // cut
		want int      // plies
	}{
		{"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1, nil, 1},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, []string{"a1a6"}, 3},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, []string{"a1a6", "b7a6"}, 3},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, nil, 3},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 98 9", 2, []string{"a1a6"}, 1}, // the fifty moves
		{"3K4/8/3k4/8/3r4/8/8/8 w - - 0 1", -2, []string{"d8c8"}, 4},
		{"3K4/8/3k4/8/3r4/8/8/8 w - - 0 1", -2, nil, 4},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 9, nil, 0},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 0, []string{"a1a2"}, 1}, // no mate
	} {
		p := boardtest.Position(t, c.fen)
		info, at := search.Info{Score: search.Score{Mate: c.mate}}, p
		for _, text := range c.line {
			m, err := at.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			var next board.Position
			at.Make(m, &next)
			info.PV, at = append(info.PV, m), next
		}
		endMate(p, &info)
		g := board.NewGame(p)
		for _, m := range info.PV {
			g.Play(m)
		}
		if len(info.PV) != c.want || (g.Outcome() == board.Checkmate) != (c.want > 1 || c.mate == 1) {
			t.Errorf("%s after %v: a line of %d plies, want %d, %v", c.fen, c.line, len(info.PV), c.want, g.Outcome())
		}
	}
}
