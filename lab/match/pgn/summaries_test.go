package pgn

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadSummaries(t *testing.T) {
	const head = "[Event \"e\"]\n[White \"x\"]\n[Black \"y\"]\n"
	for _, c := range []struct{ name, text, results, skipped string }{
		{"empty", "", "", ""},
		{"two", head + "1. e4 1-0\n\n" + head + "1. d4 1/2-1/2\n", "1-0 1/2-1/2", ""},
		{"byte order mark", "\ufeff" + head + "1. e4 0-1", "0-1", ""},
		{"files joined", head + "1. e4 0-1\n\ufeff" + head + "1. e4 1-0", "0-1 1-0", ""},
		{"CRLF", strings.ReplaceAll(head+"[Result \"1-0\"]\n\n1. e4 1-0\n", "\n", "\r\n"), "1-0", ""},
		{"glued", head + "1. e4 e51-0\n" + head + "1. e4 e51/2", "1-0 1/2-1/2", ""},
		{"half a point", head + "[Result \"1/2\"]\n1. e4 1/2\n" + head + "1. e4 1/2 - 1/2\n" + head + "1. d4 1/2-1/2", "1/2-1/2 1/2-1/2 1/2-1/2", ""},
		{"annotations", head + "1. e4 +- exd6 e.p. e2e4 0-0 Nf3+/- -- ±1-0", "1-0", ""},
		{"unfinished", head + "1. e4 *\n" + head + "0-1", "0-1", "1 1 x y unfinished"},
		{"no result", head + "1. e4 e5\n" + head + "1. e4 1-0", "1-0", "1 1 x y no result"},
		{"cut off in a tag", "[Event \"e\"]\n[Whi" + "\n" + head + "1. e4 1-0", "1-0", "1 1   line 2: a tag is not closed"},
		{"cut off in a comment", head + "1. e4 {a\n" + head + "1. e4 {b} 1-0", "1-0", "1 1 x y line 4: a comment is not closed"},
		{"cut off in a variation", head + "1. e4 (1. d4\n" + head + "1. e4 1-0", "1-0", "1 1 x y line 4: a variation is not closed"},
		{"cut off at the end", head + "1. e4 {a", "", "1 1 x y line 4: a comment is not closed"},
		{"variations", head + "1. e4 (1. d4 {x} (1. c4) d5) e5 $3 1-0", "1-0", ""},
		{"no player", "[White \"x\"]\n1. e4 1-0\n" + head + "0-1", "0-1", "1 1 x  no Black tag"},
		{"contradiction", head + "[Result \"0-1\"]\n1. e4 1-0\n" + head + "0-1", "0-1", `1 1 x y it ends with 1-0, its Result tag is "0-1"`},
		{"no game", "1-0", "", "1 1   no White tag"},
		{"a word", head + "1. e4 castles 1-0\n" + head + "0-1", "0-1", `1 1 x y line 4: "castles" is not a move`},
		{"parenthesis", head + "1. e4 ) 1-0\n" + head + "0-1", "0-1", "1 1 x y line 4: a variation ends that did not begin"},
		{"Latin-1", strings.Replace(head, "x", "M\xfcller", 1) + "1. e4 *", "", "1 1 Müller y unfinished"},
		{"quotation marks", strings.Replace(head, "x", `a "b" [c]`, 1) + "1. e4 *", "", `1 1 a "b" [c] y unfinished`},
		{"no PGN", "some text\nof words\n", "", ""},
	} {
		games, list := ReadSummaries(c.text)
		var results, skipped []string
		for _, g := range games {
			results = append(results, g.Result)
		}
		for _, s := range list {
			skipped = append(skipped, fmt.Sprintf("%d %d %s %s %s", s.Game, s.Line, s.White, s.Black, s.Why))
		}
		if got := strings.Join(results, " "); got != c.results {
			t.Errorf("%s: %q, want %q", c.name, got, c.results)
		}
		if got := strings.Join(skipped, "\n"); got != c.skipped {
			t.Errorf("%s: skipped %q, want %q", c.name, got, c.skipped)
		}
	}
}

func FuzzReadSummaries(f *testing.F) {
	f.Add("[White \"x\"]\n[Black \"y\"]\n\n1. e4 {book} e5 1-0")
	f.Add("[Event \"a\"]\n1. e4 {\n[Event \"b\"]\n*")
	f.Add("\ufeff[White \"M\xfc\"]\r\n1. e4 +- (1. d4 exd6e.p.) 1... e51/2\n1-0")
	f.Fuzz(func(t *testing.T, text string) {
		games, skipped := ReadSummaries(text)
		for _, g := range games {
			if g.Plies < len(g.Book) || g.Line < 1 || g.Tags["White"] == "" {
				t.Errorf("%q: %+v", text, g)
			}
		}
		for _, s := range skipped {
			if s.Why == "" || s.Game < 1 || s.Line < 1 || s.Line > 1+strings.Count(text, "\n") {
				t.Errorf("%q: %+v", text, s)
			}
		}
	})
}
