package pgn

import (
	"slices"
	"strings"
	"testing"
)

const (
	sevenTags = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n"
	chess960  = "[FEN \"1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HBhb - 2 9\"]\n"
)

// TestAnnotated reads games and compares what is written again, without the seven tags of every game.
func TestAnnotated(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nested variations", "1. e4 e5 (1... c5 2. Nf3 (2. c3 (2. Nc3) d5) d6) (1... e6) 2. Nf3 *",
			"1. e4 e5 (1... c5 2. Nf3 (2. c3 (2. Nc3) 2... d5) 2... d6) (1... e6) 2. Nf3 *"},
		{"comments in variations", "{a} 1. e4 {b} {c} (1. d4 {d} (1. c4 {e}) {f}) {g} e5 {h} * {i}",
			"{a} 1. e4 {b} {c} (1. d4 {d} (1. c4 {e}) {f}) {g} 1... e5 {h} {i} *"},
		{"glyphs", "1. e4 $1 $14 e5 $146 2. Nf3!? Nc6 ?! 3. Bb5 +/- a6+- N *", "1. e4 $1 $14 e5 $146 2. Nf3 $5 Nc6 $6 3. Bb5 $16 a6 $18 $146 *"},
		{"both forms of comments", "1. e4 ; to } the ( end\ne5 {a { b} *", "1. e4 {to ) the ( end} 1... e5 {a ( b} *"},
		{"escapes", "1. e4\n%eval 1 2\ne5 (1... c5\n% in it\n2. c3) *", "1. e4\n%eval 1 2\n1... e5 (1... c5\n% in it\n2. c3) *"},
		{"null move", "1. e4 e5 (1... -- 2. d4 Z0 3. d5) *", "1. e4 e5 (1... -- 2. d4 -- 3. d5) *"},
		{"commands", "1. e4 {[%clk 0:01:00]} e5 [%clk 0:00:59] 2. Nf3 {x [%cal Gg1f3] y} *",
			"1. e4 {[%clk 0:01:00]} 1... e5 {[%clk 0:00:59]} 2. Nf3 {x [%cal Gg1f3] y} *"},
		{"line ends and Latin-1", "1. e4 {Gr\xfcn\r\nfeld} e5\r\n*\r\n", "1. e4 {Grün feld} 1... e5 *"},
		{"result in a variation", "1. e4 (1. d4 1-0) e5", "1. e4 (1. d4 {1-0}) 1... e5 *"},
		{"lax moves", "1.e2e4 e7-e5 2.0-0-0?", ""},
		{"check is no mark", "1. e4 f6 2. Qh5+ g6 3. Qh4+! (3. Qxg6++ hxg6) *", "1. e4 f6 2. Qh5+ g6 3. Qh4 $1 (3. Qxg6+ hxg6) *"},
		{"an unknown mark", "1. e4 ⌓ e5 *", "1. e4 {⌓} 1... e5 *"},
		{"set-up", "[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 40\"]\n\n40... Kd7 41. O-O *",
			"[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 40\"]\n[SetUp \"1\"]\n\n40... Kd7 41. O-O *"},
		{"Chess960", chess960 + "\n9. O-O O-O-O *", chess960 + "[SetUp \"1\"]\n[Variant \"Chess960\"]\n\n9. O-O O-O-O *"},
	} {
		games := ReadAnnotated(c.text)
		if c.want == "" {
			if len(games) != 1 || games[0].Err == nil {
				t.Errorf("%s: %q is read", c.name, c.text)
			}
			continue
		}
		if len(games) != 1 || games[0].Err != nil {
			t.Errorf("%s: %d games, %v", c.name, len(games), games[0].Err)
			continue
		}
		got := strings.TrimSpace(strings.TrimPrefix(games[0].Text(), sevenTags))
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestAnnotatedTags(t *testing.T) {
	const text = "% first\n; second\n[Result \"1-0\"]\n[White \"A \\\"B\\\" \\\\ C\"]\n[ECO \"A00\"]\n[Event \"x\"]\n\n1. g4 1-0 ; behind\n[Event \"y\"]\n1. b4 *"
	games := ReadAnnotated(text)
	const want = "[Event \"x\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A \\\"B\\\" \\\\ C\"]\n[Black \"?\"]\n[Result \"1-0\"]\n" +
		"[ECO \"A00\"]\n\n% first\n{second} 1. g4 {behind} 1-0\n\n"
	if len(games) != 2 || games[0].Text() != want {
		t.Errorf("%d games, the first is\n%s", len(games), games[0].Text())
	}
	if games[0].Source+games[1].Source != text || games[1].Source != "[Event \"y\"]\n1. b4 *" {
		t.Errorf("sources %q and %q", games[0].Source, games[1].Source)
	}
}

// TestAnnotatedErrors checks that a bad game is named by line and move, and costs no other game.
func TestAnnotatedErrors(t *testing.T) {
	for bad, want := range map[string]string{
		"1. e4 e5\n2. Ke3":                 `line 6, move 2.: move "Ke3": no legal move fits`,
		"1. e4 e5\n2. Nf3 (2. d4\nKd3) d6": `line 7, move 2... of a variation: move "Kd3": no legal move fits`,
		"1. e4 {":                          "line 5, move 1...: a comment is not closed",
		"1. e4\n(1. d4":                    "line 6, move 1... of a variation: a variation is not closed",
		"1. e4 )":                          "line 5, move 1...: a variation ends that did not begin",
		"(1. e4) d4":                       "line 5, move 1.: a variation begins before the first move that it could replace",
		"1. e4 -- 2. d4":                   `line 5, move 1...: move "--" is not algebraic notation`,
		"[FEN \"bogus\"]\n1. e4":           `line 4: FEN tag: FEN "bogus": board: 1 ranks, want 8`,
	} {
		games := ReadAnnotated("[White \"a\"]\n1. d4 *\n\n[Event \"x\"]\n" + bad + "\n[Event \"x\"]\n1. c4 *\n")
		if len(games) != 3 || games[0].Err != nil || games[2].Err != nil || games[2].Number != 3 {
			t.Errorf("%q: %d games", bad, len(games))
			continue
		}
		if err := games[1].Err; err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", bad, err, want)
		}
	}
}

// FuzzReadAnnotated checks that a game that is read is written as a text that is read as the same game.
func FuzzReadAnnotated(f *testing.F) {
	f.Add("{a} 1. e4 {b} (1. d4 {d} $3 (1. c4 {e}) {f}) {g} e5 {h}\n%x\n* {i}")
	f.Add(chess960 + "9. O-O!? (9. -- d5 [%clk 1]) d5; c\n1/2")
	f.Fuzz(func(t *testing.T, text string) {
		for _, g := range ReadAnnotated(text) {
			if g.Err != nil {
				continue
			}
			again := ReadAnnotated(g.Text())
			if len(again) != 1 || again[0].Err != nil || !slices.Equal(again[0].Moves, g.Moves) || again[0].Text() != g.Text() {
				t.Errorf("%q is written as %q", text, g.Text())
			}
		}
	})
}
