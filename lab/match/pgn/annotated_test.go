package pgn

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
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
			"{a} 1. e4 {b c g} (1. d4 {d f} (1. c4 {e})) 1... e5 {h i} *"},
		{"glyphs", "1. e4 $1 $14 e5 $146 2. Nf3!? Nc6 ?! 3. Bb5 +/- a6+- N *", "1. e4 $1 $14 e5 $146 2. Nf3 $5 Nc6 $6 3. Bb5 $16 a6 $18 $146 *"},
		{"both forms of comments", "1. e4 ; to } the ( end\ne5 {a { b} *", "1. e4 {to ) the ( end} 1... e5 {a ( b} *"},
		{"escapes", "1. e4\n%eval 1 2\ne5 (1... c5\n% in it\n2. c3) *", "1. e4\n%eval 1 2\n1... e5 (1... c5\n% in it\n2. c3) *"},
		{"null move", "1. e4 e5 (1... -- 2. d4 Z0 3. d5) *", "1. e4 e5 (1... -- 2. d4 -- 3. d5) *"},
		{"null moves in the game", "1. -- e5 2. Z0!? Nf6 3. 0000 Nc6 4. @@@@ d6 5. null d5 6. <> *", "1. -- e5 2. -- $5 Nf6 3. -- Nc6 4. -- d6 5. -- d5 6. -- *"},
		{"glyphs behind comments", "$1 1. e4 {a} $2 {b} (1. d4) $14 e5 () ({x}) ({y} $1 1... c5) *", "1. e4 $1 $2 $14 {a b} (1. d4) 1... e5 {x} ({y} 1... c5 $1) *"},
		{"escapes behind comments", "1. e4\n%x\n{a}\n%y\n(1. d4) e5 *", "1. e4 {a}\n%x\n%y\n(1. d4) 1... e5 *"},
		{"other signs", "1. e4 d5 2. e×d5 ♛︎×d5 3. ♘c3!? Qa5++ *", "1. e4 d5 2. exd5 Qxd5 3. Nc3 $5 Qa5 *"},
		{"white space", "\t1.\te4\u00a0e5\u20092.\u200bNf3\t*", "1. e4 e5 2. Nf3 *"},
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
		"[ECO \"A00\"]\n\n{second}\n% first\n1. g4 {behind} 1-0\n\n"
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
		"(1. e4) d4":                       "line 5, move 1.: variation before the first move that it could replace",
		"1. e4 f6 2. Qh5+ --":              `line 5, move 2...: move "--": a null move in check`,
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

// TestResults reads results in odd forms, at the end of a game and as a tag.
func TestResults(t *testing.T) {
	for form, want := range map[string]string{
		"1-0": "1-0", "1:0": "1-0", "1 - 0": "1-0", "1 : 0": "1-0", "1–0": "1-0", "0:1": "0-1", "0 - 1": "0-1", "0—1": "0-1", "1/2:1/2": "1/2-1/2", "½-½": "1/2-1/2",
		"½ : ½": "1/2-1/2", "0.5-0.5": "1/2-1/2", "0,5:0,5": "1/2-1/2", "1/2": "1/2-1/2", "½": "1/2-1/2", "*": "*",
	} {
		for _, text := range []string{"1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O 0-0 " + form, "[Result \"" + form + "\"]\n\n1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0 O-O"} {
			games := ReadAnnotated(text)
			if len(games) != 1 || games[0].Err != nil || games[0].Result != want || len(games[0].Moves) != 8 || !strings.Contains(games[0].Text(), "[Result \""+want+"\"]") {
				t.Errorf("%q: %d games, %v, result %q\n%s", text, len(games), games[0].Err, games[0].Result, games[0].Text())
			}
		}
	}
}

// TestTags reads tags that are none of the standard: the game stays, and a word says what became of them.
func TestTags(t *testing.T) {
	for text, want := range map[string]string{
		"[BlackType: \"program\"]":          `BlackType=program line 1: "BlackType:" is not the name of a tag: it becomes BlackType`,
		"[White-Elo \"1\"]":                 `WhiteElo=1 line 1: "White-Elo" is not the name of a tag: it becomes WhiteElo`,
		"[White: \"a\"]\n[White \"b\"]":     `White=b line 1: "White:" is not the name of a tag: it is dropped`,
		"[:- \"a\"]":                        ` line 1: ":-" is not the name of a tag: it is dropped`,
		"[Größe \"a\"]":                     `Gre=a line 1: "Größe" is not the name of a tag: it becomes Gre`,
		"[Event\t\"E\"]\n[Site \t \"S\"\t]": "Event=E Site=S ",
		"[Event\"E\"][Site \"S\"]":          "Event=E Site=S ",
		"[ Event\n\"E\"\n]":                 "Event=E ",
		"[Event \"E\"\n[Site \"S\"]":        "Event=E Site=S line 1: a tag is not closed",
		"[Event E]":                         "Event=E ",
		"[White \"a ] \\\" [b\"]":           `White=a ] " [b `,
		"[White \"a \"b\" c\"]":             `White=a "b" c `,
	} {
		games := ReadAnnotated(text + "\n\n1. e4 e5 *")
		if len(games) != 1 || games[0].Err != nil || len(games[0].Moves) != 2 {
			t.Errorf("%q: %d games, %v", text, len(games), games[0].Err)
			continue
		}
		got := ""
		for _, tag := range games[0].Tags {
			got += tag.Name + "=" + tag.Value + " "
		}
		if got += strings.Join(games[0].Notes, "; "); got != want && got != strings.TrimSpace(want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestGlued reads a result that is glued to castling, in the first word of a line.
func TestGlued(t *testing.T) {
	for text, want := range map[string]string{"O-O*": "*", "O-O-O1-0": "1-0", "0-01/2": "1/2-1/2", "Kd2*": "*"} {
		games := ReadAnnotated("[FEN \"4k3/8/8/8/8/8/8/R3K2R w KQ -\"]\n\n1. " + text + "\n\n1. e4 *\n")
		if len(games) != 2 || len(games[0].Moves) != 1 || games[0].Result != want || games[1].Err != nil {
			t.Errorf("%s: %+v", text, games)
		}
	}
}

// TestProse reads games with text around them, by all readers.
func TestProse(t *testing.T) {
	const e4, d4 = "[Event \"E\"]\n[White \"a\"]\n[Black \"b\"]\n\n1. e4 e5 1-0\n", "[Event \"F\"]\n[White \"a\"]\n[Black \"b\"]\n\n1. d4 1-0\n"
	for name, text := range map[string]string{
		"letter":      "Dear friend,\n\nhere are (two) games {of mine}:\n" + e4 + "\nand another one\n\n" + d4 + "\nBest wishes :)\nA. B.\n",
		"page":        "<html>\n<body>\n<h1>Games</h1>\n<pre>" + e4 + "</pre>\n<p>and (one) more\n<pre>" + d4 + "</pre>\n</body></html>\n",
		"mail":        "On 12.05.2024 A. wrote:\n" + strings.ReplaceAll("> "+e4+d4, "\n", "\n> ") + "\n",
		"numbers":     "12.05.2024 Berlin\n3 games, the 2nd is best\n" + e4 + "Round 3: e4 is\n1. e4 is best\n" + d4,
		"lines":       "*** Games ***\n=========\n" + e4 + "---------\n" + d4,
		"same line":   "See " + e4 + "was won. See " + d4,
		"no result":   strings.Replace(e4, " 1-0", "", 1) + "\nand another one\nof mine\n\n" + d4,
		"before move": strings.Replace(e4, "1. e4", "Here White begins.\n\n1. e4", 1) + d4,
	} {
		games := ReadAnnotated(text)
		if len(games) != 2 || games[0].Err != nil || games[1].Err != nil || len(games[0].Moves) != 2 || len(games[1].Moves) != 1 || games[1].Number != 2 {
			t.Errorf("%s: %d games: %+v", name, len(games), games)
			continue
		}
		if notes := strings.Join(append(games[0].Notes, games[1].Notes...), "; "); !strings.Contains(notes, "text that is no part of a game is passed over: ") {
			t.Errorf("%s: notes %q", name, notes)
		}
		if lines, notes := ReadLines(text, 0); len(lines) != 2 || len(notes) > 0 {
			t.Errorf("%s: %d lines, %q", name, len(lines), notes)
		}
		if games, more := ReadSome(text, 1); len(games) != 1 || !more || len(games[0].Moves) != 2 {
			t.Errorf("%s: %d games, more: %t", name, len(games), more)
		}
		if all, skipped := ReadSummaries(text); name != "no result" && (len(all) != 2 || len(skipped) > 0) {
			t.Errorf("%s: %v, %v", name, all, skipped)
		}
	}
	if games := ReadAnnotated("some text\nof words\n"); len(games) != 0 {
		t.Errorf("text alone: %d games", len(games))
	}
}

// TestEncodings reads one game in all encodings.
func TestEncodings(t *testing.T) {
	const text = "[White \"Müller’s\"]\n\n1. e4 {“a” – ä €} e5 *\n"
	latin := strings.NewReplacer("ü", "\xfc", "’", "\x92", "“", "\x93", "”", "\x94", "–", "\x96", "ä", "\xe4", "€", "\x80").Replace(text)
	wide := func(low int) string {
		var b []byte
		for _, c := range utf16.Encode([]rune(text)) {
			pair := []byte{byte(c), byte(c >> 8)}
			b = append(b, pair[low], pair[1-low])
		}
		return string(b)
	}
	for name, c := range map[string]struct{ data, note string }{
		"UTF-8":                     {text, ""},
		"UTF-8 with BOM":            {"\ufeff" + text, ""},
		"CRLF":                      {strings.ReplaceAll(text, "\n", "\r\n"), ""},
		"CR":                        {strings.ReplaceAll(text, "\n", "\r"), ""},
		"Windows-1252":              {latin, "line 1 is not UTF-8: such lines are read as Windows-1252"},
		"Windows-1252 and UTF-8":    {latin[:strings.Index(latin, "1.")] + text[strings.Index(text, "1."):], "line 1 is not UTF-8: such lines are read as Windows-1252"},
		"UTF-16LE with BOM":         {"\xff\xfe" + wide(0), "the text is UTF-16"},
		"UTF-16BE with BOM":         {"\xfe\xff" + wide(1), "the text is UTF-16"},
		"UTF-16LE":                  {wide(0), "the text is UTF-16 without a byte order mark"},
		"UTF-16BE":                  {wide(1), "the text is UTF-16 without a byte order mark"},
		"UTF-16LE, CRLF":            {strings.ReplaceAll(wide(0), "\n\x00", "\r\x00\n\x00"), "the text is UTF-16 without a byte order mark"},
		"zeros behind a short text": {text + strings.Repeat("\x00", 5), ""},
	} {
		games := ReadAnnotated(c.data)
		if len(games) != 1 || games[0].Err != nil || len(games[0].Moves) != 2 || games[0].Tag("White") != "Müller’s" ||
			!strings.Contains(games[0].Text(), "1. e4 {“a” – ä €} 1... e5 *") {
			t.Errorf("%s: %+v", name, games)
			continue
		}
		if notes := strings.Join(games[0].Notes, "; "); notes != c.note {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}
