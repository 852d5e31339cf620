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
Kg7 {+0.35/12 0.104s} 32. e5 {so (it) is} {Black (braces) wins} 0-1

`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	lines, err := ReadLines(text+text, 0)
	if err != nil || len(lines) != 2 || lines[1].Start != g.Start || len(lines[1].Moves) != 4 ||
		lines[1].Moves[0] != g.Moves[0] {
		t.Errorf("read as %v, %v", lines, err)
	}
	games, skipped, err := ReadSummaries(text)
	if err != nil || len(games) != 1 || skipped != nil {
		t.Fatalf("%v, %v, %v", games, skipped, err)
	}
	s := games[0]
	if s.Tags["Event"] != g.Tags[0].Value || s.Result != "0-1" || s.Plies != 4 || len(s.Book) != 1 ||
		s.Book[0] != "O-O" || s.Line != 1 {
		t.Errorf("%+v", s)
	}
}

func TestReadSummaries(t *testing.T) {
	const head = "[Event \"e\"]\n[White \"x\"]\n[Black \"y\"]\n"
	for _, c := range []struct {
		name, text, results string
		skipped             []Skipped
		err                 string
	}{
		{"empty", "", "", nil, ""},
		{"two", head + "1. e4 1-0\n\n" + head + "1. d4 1/2-1/2\n", "1-0 1/2-1/2", nil, ""},
		{"byte order mark", "\ufeff" + head + "1. e4 0-1", "0-1", nil, ""},
		{"unfinished", head + "1. e4 *\n" + head + "0-1", "0-1", []Skipped{{1, "x", "y", "is unfinished"}}, ""},
		{"no result", head + "1. e4 e5\n" + head + "1. e4 1-0", "1-0", []Skipped{{1, "x", "y", "has no result"}}, ""},
		{"cut off in a comment", head + "1. e4 {a\n" + head + "1. e4 {b} 1-0", "1-0", []Skipped{{1, "x", "y",
			"is cut off"}}, ""},
		{"cut off at the end", head + "1. e4 {a", "", []Skipped{{1, "x", "y", "is cut off"}}, ""},
		{"variations", head + "1. e4 (1. d4 {x} (1. c4) d5) e5 $3 1-0", "1-0", nil, ""},
		{"no player", "[White \"x\"]\n1. e4 1-0", "", nil, "line 2: the game has no Black tag"},
		{"contradiction", head + "[Result \"0-1\"]\n1. e4 1-0", "", nil,
			`line 5: the game ends with 1-0, its Result tag is "0-1"`},
		{"no game", "1-0", "", nil, "line 1: 1-0 without a game"},
		{"no PGN", head + "a letter", "", nil, `line 4: "a" is not a move`},
		{"parenthesis", head + "1. e4 )", "", nil, "line 4: "},
	} {
		games, skipped, err := ReadSummaries(c.text)
		var results []string
		for _, g := range games {
			results = append(results, g.Result)
		}
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %s", c.name, err, c.err)
			}
			continue
		}
		if got := strings.Join(results, " "); err != nil || got != c.results {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.results)
		}
		if len(skipped) != len(c.skipped) || len(skipped) == 1 && skipped[0] != c.skipped[0] {
			t.Errorf("%s: skipped %v, want %v", c.name, skipped, c.skipped)
		}
	}
}

func FuzzReadSummaries(f *testing.F) {
	f.Add("[White \"x\"]\n[Black \"y\"]\n\n1. e4 {book} e5 1-0")
	f.Add("[Event \"a\"]\n1. e4 {\n[Event \"b\"]\n*")
	f.Fuzz(func(t *testing.T, text string) {
		games, _, err := ReadSummaries(text)
		for _, g := range games {
			if g.Plies < len(g.Book) || g.Line < 1 || g.Tags["White"] == "" || err != nil {
				t.Errorf("%q: %+v, %v", text, g, err)
			}
		}
	})
}

// TestLineGame checks that the moves of a line are played from its start.
func TestLineGame(t *testing.T) {
	g := sample(t)
	if got := g.Game().Pos.FEN(false); got != "5r2/6k1/8/4P3/8/8/8/4K3 b - - 0 32" || g.Game().Outcome() != board.Ongoing {
		t.Error(got)
	}
}
