package web

import (
	"slices"
	"strings"
	"testing"
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
	if !strings.Contains(written.PGN, `[TimeControl "300+3"]`) || !strings.Contains(written.PGN, "1. e4 c5 {+0.30 1.0s} {Black resigns} 1-0") {
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
