package web

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"tesla/lab/match/pgn"
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

// fileRead is the answer to a file of games.
type fileRead struct {
	Games []titled
	More  bool
	Game  record
}

// moves are the moves of the main line, or of the variation that begins with a node.
func (g *record) moves() (all []string) {
	for at, i := 0, 0; i < len(g.Nodes); i++ {
		if g.Nodes[i].Parent == at {
			all, at = append(all, g.Nodes[i].UCI), i+1
		}
	}
	return all
}

// Games in PGN come back with their moves; what cannot be read is told.
func TestPGN(t *testing.T) {
	d := serve(t, nil)
	var written struct{ PGN string }
	d.post("/api/pgn/write", map[string]any{"start": "", "tags": []pgn.Tag{{Name: "White", Value: "You"}, {Name: "Black", Value: "Tesla"}, {Name: "Event", Value: "game against Tesla"},
		{Name: "TimeControl", Value: "300+3"}}, "nodes": []map[string]any{{"parent": 0, "uci": "e2e4"}, {"parent": 1, "uci": "c7c5", "comment": "+0.30 1.0s, Black resigns"}}, "result": "1-0"}, &written)
	if !strings.Contains(written.PGN, `[TimeControl "300+3"]`) || !strings.Contains(written.PGN, `[Result "1-0"]`) || !strings.Contains(written.PGN, "1. e4 c5 {+0.30 1.0s, Black resigns} 1-0") {
		t.Errorf("%s", written.PGN)
	}
	var read fileRead
	text := written.PGN + "[Event \"second\"]\n[FEN \"1k6/8/8/8/8/8/R7/K7 w - - 0 1\"]\n\n1. Ra3 Kb7 (1... Kc8 2. Kb2) 2. Qxh8 *\n"
	d.postAs("/api/pgn/read", pgnType, text, &read)
	if len(read.Games) != 2 || read.More || !slices.Equal(read.Game.moves(), []string{"e2e4", "c7c5"}) || read.Games[0].Result != "1-0" ||
		!strings.HasPrefix(read.Games[0].Title, "You – Tesla, game against Tesla") {
		t.Fatalf("%+v", read)
	}
	read = fileRead{}
	d.postAs("/api/pgn/read?game=1", pgnType, text, &read)
	if second := read.Game; len(second.moves()) != 2 || len(second.Nodes) != 4 || len(second.Notes) != 1 || !strings.Contains(second.Notes[0], "Qxh8") ||
		second.Start != "1k6/8/8/8/8/8/R7/K7 w - - 0 1" {
		t.Errorf("%+v", second)
	}
	read = fileRead{}
	d.postAs("/api/pgn/read", pgnType, strings.Repeat("1. e4 *\n\n", mostGames+1), &read)
	if len(read.Games) != mostGames || !read.More {
		t.Errorf("%d games, more: %t", len(read.Games), read.More)
	}
}

// A game comes with its comments, marks and variations, and is written as it was read, null moves too; what is left out is told.
func TestPGNTree(t *testing.T) {
	d := serve(t, nil)
	for _, text := range []string{
		"{before} 1. e4 {c1} 1... e5 $1 {[%clk 0:09:58]} 2. Nf3 (2. Bc4 {in var} 2... Nc6 (2... d6 3. Qh5 (3. d3) 3... Nf6) 3. Qh5) (2. -- $4) 2... Nc6 $14 {end} *",
		"1. e4 ({why not} 1. d4 d5) ({or} 1. c4) 1... e5 2. -- Nf6 1/2-1/2",
	} {
		var read fileRead
		d.postAs("/api/pgn/read", pgnType, text, &read)
		if len(read.Game.Notes) > 0 {
			t.Errorf("%s: %q", text, read.Game.Notes)
		}
		var written struct{ PGN string }
		d.post("/api/pgn/write", read.Game, &written)
		if got := strings.Join(strings.Fields(written.PGN[strings.Index(written.PGN, "\n\n"):]), " "); got != text {
			t.Errorf("%s\nis written as\n%s", text, got)
		}
	}
	var read fileRead
	d.postAs("/api/pgn/read", pgnType, "1. e4 (1. d4 Ke3) e5 2. -- Nf6!? *", &read)
	if g := read.Game; !slices.Equal(g.moves(), []string{"e2e4", "e7e5", "0000", "g8f6"}) || len(g.Notes) != 1 || !strings.Contains(g.Notes[0], "move 1... of a variation") ||
		!slices.Equal(g.Nodes[len(g.Nodes)-1].Marks, []string{"!?"}) {
		t.Errorf("%+v", g)
	}
	read = fileRead{}
	d.postAs("/api/pgn/read", pgnType, "1. Nf3 Nf6 2. Ng1 Ng8 "+strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", 324)+"Nf3 (Nc3) *", &read)
	if g := read.Game; len(g.Nodes) != mostPlies || len(g.Notes) != 1 || !strings.HasPrefix(g.Notes[0], "game 1, 102 moves are left out: ") {
		t.Errorf("%d moves, %q", len(g.Nodes), g.Notes)
	}
	for name, data := range map[string]string{"Windows-1252": "[White \"Mu\x92s\"]\n1. e4 {\x93a\x94} *", "UTF-16": "\xff\xfe" + wide("[White \"Mu’s\"]\n1. e4 {“a”} *"),
		"UTF-16 without a mark": wide("[White \"Mu’s\"]\n1. e4 {“a”} *"), "UTF-8": "[White \"Mu’s\"]\n1. e4 {“a”} *"} {
		read = fileRead{}
		d.postAs("/api/pgn/read", pgnType, data, &read)
		if !strings.HasPrefix(read.Games[0].Title, "Mu’s") || len(read.Game.Nodes) != 1 || read.Game.Nodes[0].Comment != "“a”" {
			t.Errorf("%s: %+v", name, read)
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
