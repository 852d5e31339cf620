package web

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// The rules of a game: notation, legal moves, check, and how it has ended.
func TestRules(t *testing.T) {
	d := serve(t, nil)
	rules := func(start string, moves ...string) (r ruling) {
		d.post("/api/rules", game{start, moves}, &r)
		return r
	}
	r := rules("", "e2e4", "e7e5", "d1h5")
	if len(r.Plies) != 3 || r.Plies[2].SAN != "Qh5" || r.Plies[2].Number != 2 || !r.Plies[1].Black || !r.Black || len(r.Legal) != len(r.SANs) ||
		!slices.Contains(r.Legal, "b8c6") || r.SANs[slices.Index(r.Legal, "b8c6")] != "Nc6" || !strings.HasPrefix(r.FEN, "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/") {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct {
		start                  string
		moves                  []string
		outcome, result, check string
	}{
		{"", []string{"f2f3", "e7e5", "g2g4", "d8h4"}, "checkmate", "0-1", "e1"},
		{"7k/5Q2/8/8/8/8/8/K7 w - - 0 1", []string{"f7g6"}, "stalemate", "1/2-1/2", ""},
		{"", slices.Repeat([]string{"g1f3", "g8f6", "f3g1", "f6g8"}, 2), "repetition", "1/2-1/2", ""},
		{"8/8/8/8/8/8/8/K1k5 w - - 0 1", nil, "insufficient material", "1/2-1/2", ""},
		{"4k3/8/8/8/8/8/4R3/4K3 b - - 0 1", nil, "", "", "e8"},
	} {
		if r := rules(c.start, c.moves...); r.Outcome != c.outcome || r.Result != c.result || r.Check != c.check {
			t.Errorf("%s %v: %q %q, check %q", c.start, c.moves, r.Outcome, r.Result, r.Check)
		}
	}
	if r := rules("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1"); !slices.Contains(r.Legal, "a7a8q") || !slices.Contains(r.Legal, "e1g1") || !slices.Contains(r.SANs, "a8=Q+") {
		t.Errorf("%v", r.Legal)
	}
	if r := rules("4k3/8/8/8/8/8/8/1R2K1R1 w BG - 0 1"); !slices.Contains(r.Legal, "e1g1") || !slices.Contains(r.SANs, "O-O") {
		t.Errorf("castling of Chess960: %v", r.Legal)
	}
	if r := rules("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1"); len(r.Notes) != 1 {
		t.Errorf("a repaired FEN: %q", r.Notes)
	}
}

// Games in PGN come back with their moves; what cannot be read is told.
func TestPGN(t *testing.T) {
	d := serve(t, nil)
	var written struct{ PGN string }
	d.post("/api/pgn/write", map[string]any{"start": "", "moves": []string{"e2e4", "c7c5"}, "white": "You", "black": "Tesla", "result": "1-0", "ending": "Black resigns",
		"clock": "300+3", "comments": []string{"", "+0.30 1.0s"}}, &written)
	if !strings.Contains(written.PGN, `[TimeControl "300+3"]`) || !strings.Contains(written.PGN, "1. e4 c5 {+0.30 1.0s, Black resigns} 1-0") {
		t.Errorf("%s", written.PGN)
	}
	var read struct {
		Games []record
		More  bool
	}
	text := written.PGN + "[Event \"second\"]\n[FEN \"1k6/8/8/8/8/8/R7/K7 w - - 0 1\"]\n\n1. Ra3 Kb7 (1... Kc8 2. Kb2) 2. Qxh8 *\n"
	d.post("/api/pgn/read", map[string]string{"text": text}, &read)
	if len(read.Games) != 2 || read.More || !slices.Equal(read.Games[0].Moves, []string{"e2e4", "c7c5"}) || read.Games[0].Result != "1-0" ||
		!strings.HasPrefix(read.Games[0].Title, "You – Tesla, game against Tesla") {
		t.Fatalf("%+v", read)
	}
	if second := read.Games[1]; len(second.Moves) != 2 || len(second.Notes) != 1 || !strings.Contains(second.Notes[0], "Qxh8") || second.Start != "1k6/8/8/8/8/8/R7/K7 w - - 0 1" {
		t.Errorf("%+v", second)
	}
	d.post("/api/pgn/read", map[string]string{"text": strings.Repeat("1. e4 *\n\n", mostGames+1)}, &read)
	if len(read.Games) != mostGames || !read.More {
		t.Errorf("%d games, more: %t", len(read.Games), read.More)
	}
}

// A game comes with its comments, marks and variations, in any encoding, with null moves; what is left out is told.
func TestPGNRemarks(t *testing.T) {
	d := serve(t, nil)
	var read struct{ Games []record }
	d.post("/api/pgn/read", map[string]string{"text": "{before} 1. e4 {c1} e5! 2. Nf3 (2. Bc4 {in var} Nc6 (2... d6) 3. Qh5) (2. --) 2... Nc6 $14 {end} *"}, &read)
	want := []remark{{0, "before", nil}, {1, "c1", nil}, {2, "!", nil}, {3, "2. Bc4 {in var} 2... Nc6 (2... d6) 3. Qh5", []string{"f1c4", "b8c6", "d1h5"}},
		{3, "2. --", []string{"0000"}}, {4, "+/= end", nil}}
	if len(read.Games) != 1 || len(read.Games[0].Moves) != 4 || len(read.Games[0].Notes) != 0 || !reflect.DeepEqual(read.Games[0].Remarks, want) {
		t.Errorf("%+v", read.Games)
	}
	d.post("/api/pgn/read", map[string]string{"text": "1. e4 (1. d4 Ke3) e5 2. -- Nf6 *"}, &read)
	if g := read.Games[0]; !slices.Equal(g.Moves, []string{"e2e4", "e7e5", "0000", "g8f6"}) || len(g.Notes) != 1 || !strings.Contains(g.Notes[0], "move 1... of a variation") {
		t.Errorf("%+v", g)
	}
	var r ruling
	d.post("/api/rules", game{"", read.Games[0].Moves}, &r)
	if len(r.Plies) != 4 || r.Plies[2].SAN != "--" || !r.Plies[3].Black || r.FEN != "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 2 3" {
		t.Errorf("%+v", r)
	}
	var written struct{ PGN string }
	d.post("/api/pgn/write", map[string]any{"start": "", "moves": read.Games[0].Moves, "white": "", "black": "", "result": "*", "ending": "", "clock": "", "comments": []string{}}, &written)
	if !strings.Contains(written.PGN, "1. e4 e5 2. -- Nf6 *") {
		t.Errorf("%s", written.PGN)
	}
	long := "1. Nf3 Nf6 2. Ng1 Ng8 " + strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", 324) + "Nf3 *"
	d.post("/api/pgn/read", map[string]string{"text": long}, &read)
	if g := read.Games[0]; len(g.Moves) != mostPlies || len(g.Notes) != 1 || g.Notes[0] != "game 1, the last 101 of 1301 plies are left out: at most 1200 are taken" {
		t.Errorf("%d plies, %q", len(g.Moves), g.Notes)
	}
	for name, data := range map[string]string{"Windows-1252": "[White \"Mu\x92s\"]\n1. e4 {\x93a\x94} *", "UTF-16": "\xff\xfe" + wide("[White \"Mu’s\"]\n1. e4 {“a”} *"),
		"UTF-16 without a mark": wide("[White \"Mu’s\"]\n1. e4 {“a”} *"), "UTF-8": "[White \"Mu’s\"]\n1. e4 {“a”} *"} {
		d.postAs("/api/pgn/read", pgnType, data, &read)
		if g := read.Games[0]; !strings.HasPrefix(g.Title, "Mu’s") || len(g.Moves) != 1 || g.Remarks[0].Text != "“a”" {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

// wide is a text in UTF-16, little-endian.
func wide(text string) string {
	var b []byte
	for _, c := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return string(b)
}
