package uci

import (
	"strings"
	"testing"

	"tesla/board"
)

// A position that cannot be read is never answered by a move of another one, nor shown as another one.
func TestRefusedPosition(t *testing.T) {
	g := play(t, config(t))
	g.send("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "isready")
	if text := strings.Join(g.until("readyok"), "\n"); !strings.Contains(text, "white has 0 kings, want 1; black has") {
		t.Errorf("two errors are not told apart: %q", text)
	}
	for _, bad := range []string{
		"position", "position moves e2e4", "position fen", "position nonsense", "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
		"position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - - 0 1", "position fen startpos",
		"position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
		"position fen 4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1 moves e1e2", "position fen " + strings.Repeat("8/", 100000),
	} {
		g.send("position startpos moves e2e4", bad, "isready")
		text := strings.Join(g.until("readyok"), "\n")
		if !strings.Contains(text, "info string error: position: ") || !strings.Contains(text, "no position now") || len(text) > 600 {
			t.Errorf("%.60s: %q", bad, text)
		}
		for _, command := range []string{"go evals 20", "go wtime 100 btime 100", "go depth 2 searchmoves d7d5", "go"} {
			g.send(command)
			if lines := g.until("bestmove"); len(lines) != 3 || lines[2] != "bestmove 0000" || !infoForm.MatchString(lines[1]) || !strings.Contains(lines[0], "error: go: there is no position") {
				t.Errorf("%.60s, %s: %q", bad, command, lines)
			}
		}
		g.send("d", "eval", "go perft 2", "isready")
		lines := g.until("readyok")
		for i, command := range []string{"d", "eval", "go perft"} {
			if !strings.HasPrefix(lines[i], "info string error: "+command+": there is no position") {
				t.Errorf("%.60s, %s: %q", bad, command, lines)
			}
		}
		g.send("bench")
		g.until("1 nodes 1 nps")
	}
	g.send("go infinite")
	g.quiet()
	g.send("stop", "go ponder wtime 100 btime 100")
	g.until("bestmove 0000")
	g.quiet()
	g.send("ponderhit")
	g.until("bestmove 0000")
	g.send("position startpos", "go evals 20") // a good one ends it
	check(t, board.StartPosition(), false, g.until("bestmove"))
}

// Where only a move is wrong the game is what was given before it, and the user is told.
func TestRefusedMoves(t *testing.T) {
	g := play(t, config(t))
	for given, want := range map[string]string{ // the position that is played
		"startpos moves e2e5":                             "startpos",
		"startpos moves e2e4 e7e5 zzzz g1f3":              "startpos moves e2e4 e7e5",
		"startpos moves e2e4 e7e5 e1e3":                   "startpos moves e2e4 e7e5",
		"startpos moves e2e4 0000":                        "startpos moves e2e4",
		"startpos moves e2e4 e7":                          "startpos moves e2e4",
		"startpos moves e2e4 " + strings.Repeat("x", 1e6): "startpos moves e2e4",
		"fen 4k3/P7/8/8/8/8/8/4K3 w - - 0 1 moves a7a8":   "fen 4k3/P7/8/8/8/8/8/4K3 w - - 0 1",
	} {
		g.send("position startpos moves d2d4", "position "+given, "d", "go evals 20")
		pos := parse(t, want)
		text := strings.Join(g.until("Checkers"), "\n")
		if !strings.Contains(text, "Fen: "+pos.FEN(false)) || !strings.Contains(text, "info string error: position: move ") || len(text) > 2000 {
			t.Errorf("%.60s: %.2000s", given, text)
		}
		check(t, pos, false, g.until("bestmove"))
	}
}

// What other programs write is read, and said where it is not plain.
func TestLaxPosition(t *testing.T) {
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
	castling, pawn := "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves ", "fen 1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1 moves "
	g := play(t, config(t))
	for _, c := range []struct{ given, fen, note string }{
		{"fen " + start, start + " 0 1", ""},
		{"fen " + start + " moves e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", ""},
		{start + " 3 9", start + " 3 9", `"fen" is missing`},
		{"hello startpos", start + " 0 1", `skipped "hello"`},
		{"startpos hello moves", start + " 0 1", `skipped "hello"`},
		{"fen " + start + " 0 1 c9 acd moves", start + " 0 1", `skipped "c9 acd"`},
		{"fen " + start + " foo bar", start + " 0 1", `skipped "foo bar"`},
		{"fen " + start + " e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", `"moves" is missing`},
		{"startpos e2e4 moves e7e5", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", `"moves" is missing`},
		{"fen " + start + " 0 1 e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", `"moves" is missing`},
		{"startpos moves E2E4 e7-e5", "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", ""},
		{castling + "e1h1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1", ""},
		{castling + "e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1", ""},
		{castling + "e1a1 e8h8", "r4rk1/8/8/8/8/8/8/2KR3R w - - 2 2", ""},
		{pawn + "a7a8Q", "Qn2k3/8/8/8/8/8/8/4K3 b - - 0 1", ""},
		{pawn + "a7a8=N", "Nn2k3/8/8/8/8/8/8/4K3 b - - 0 1", ""},
		{pawn + "A7B8R", "1R2k3/8/8/8/8/8/8/4K3 b - - 0 1", ""},
	} {
		g.send("position startpos moves d2d4", "position "+c.given, "d")
		text := strings.Join(g.until("Checkers"), "\n")
		if !strings.Contains(text, "Fen: "+c.fen) || !strings.Contains(text, "info string position: ") == (c.note != "") ||
			!strings.Contains(text, c.note) || strings.Contains(text, "error") {
			t.Errorf("%s: want %s with %q\n%s", c.given, c.fen, c.note, text)
		}
	}
}
