package pgn

import (
	"strings"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// sample is a game from a position in which Black moves, with all that needs care: quotes, a backslash, braces, a long
// word.
func sample(t *testing.T) *Game {
	t.Helper()
	p := boardtest.Position(t, "4k2r/8/8/8/8/8/4P3/4K3 b k - 0 30")
	g := &Game{
		Tags: []Tag{{"Event", `a "quoted" \ event`}, {"White", "x"}, {"Black", "y\nz"}, {"Result", "0-1"}, {"FEN",
			p.FEN(false)}},
		Line: Line{Start: p}, Ending: "Black {braces} wins", Result: "0-1",
	}
	for i, san := range []string{"O-O", "e4", "Kg7", "e5"} {
		played := g.Game()
		m, err := ParseSAN(&played.Pos, san)
		if err != nil {
			t.Fatal(err)
		}
		g.Moves = append(g.Moves, m)
		g.Comments = append(g.Comments, []string{"book", strings.Repeat("w", 100), "+0.35/12 0.104s", "so {it} is"}[i])
	}
	return g
}

func TestText(t *testing.T) {
	g := sample(t)
	text := g.Text()
	const want = `[Event "a \"quoted\" \\ event"]
[White "x"]
[Black "y z"]
[Result "0-1"]
[FEN "4k2r/8/8/8/8/8/4P3/4K3 b k - 0 30"]

30... O-O {book} 31. e4
{wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww}
Kg7 {+0.35/12 0.104s} 32. e5 {so (it) is, Black (braces) wins} 0-1

`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	lines, notes := ReadLines(text+text, 0)
	if notes != nil || len(lines) != 2 || lines[1].Start != g.Start || len(lines[1].Moves) != 4 ||
		lines[1].Moves[0] != g.Moves[0] {
		t.Errorf("read as %v, %v", lines, notes)
	}
	games, skipped := ReadSummaries(text)
	if len(games) != 1 || skipped != nil {
		t.Fatalf("%v, %v", games, skipped)
	}
	s := games[0]
	if s.Tags["Event"] != g.Tags[0].Value || s.Result != "0-1" || s.Plies != 4 || len(s.Book) != 1 ||
		s.Book[0] != "O-O" || s.Line != 1 {
		t.Errorf("%+v", s)
	}
}

// TestLineGame checks that the moves of a line are played from its start.
func TestLineGame(t *testing.T) {
	g := sample(t)
	if got := g.Game().Pos.FEN(false); got != "5r2/6k1/8/4P3/8/8/8/4K3 b - - 0 32" || g.Game().Outcome() != board.Ongoing {
		t.Error(got)
	}
}
