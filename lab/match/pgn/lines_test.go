package pgn

import (
	"strings"
	"testing"

	"tesla/board"
)

func FuzzReadLines(f *testing.F) {
	f.Add("[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O Ke7 2. Rf7+ *")
	f.Add("1. e4 {a} (1. d4 d5) e5 $1 ; c\n2. Nf3! 1/2-1/2")
	f.Fuzz(func(t *testing.T, text string) {
		games, _ := ReadLines(text, 20)
		for _, o := range games {
			if o.Game().Outcome() != board.Ongoing {
				t.Errorf("%q: a line ends a game", text)
			}
		}
	})
}

func TestReadLines(t *testing.T) {
	const text = "\xef\xbb\xbf[Event \"x\"]\n[White \"A [B]\"]\n\n1. e4 {best (by test)} e5 (1... c5 2. Nf3 (2. c3)) 2.Nf3 $1 Nc6 ; rest\n3. Bb5 a6 1/2-1/2\n\n" +
		"[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n[SetUp \"1\"]\n\n1. O-O Ke7 *\n\n" +
		"[Event \"short\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"
	list, notes := ReadLines(text, 5)
	if notes != nil {
		t.Error(notes)
	}
	var got []string
	for _, o := range list {
		got = append(got, o.Game().Pos.FEN(false))
	}
	want := []string{
		"r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
		"8/4k3/8/8/8/8/8/5RK1 w - - 2 2",
		"rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", // without the mate
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestLaxLines reads games as various programs and people write them.
func TestLaxLines(t *testing.T) {
	const fourFields = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K -\"]\n"
	for _, c := range []struct{ text, moves string }{
		{"1. e4 e5 2. Nf31-0", "e2e4 e7e5 g1f3"},
		{"1. e4 e51/2-1/2", "e2e4 e7e5"},
		{"1. e4 e5 1/2", "e2e4 e7e5"},
		{"1. e4 e51/2", "e2e4 e7e5"},
		{"1. e4 e5* ", "e2e4 e7e5"},
		{"1. e4 e5+0-1", "e2e4 e7e5"},
		{"1. e4 e5 ½–½", "e2e4 e7e5"},
		{"1. e4 e5 1/2 - 1/2", "e2e4 e7e5"},
		{"1.Nf3 Nf6 2.g3 g6 3.Bg2 Bg7 4.O-O O-O0-1", "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8"},
		{"1.Nf3 Nf6 2.g3 g6 3.Bg2 Bg7 4.0-0 o-o1-0", "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8"},
		{"1. e4 a6 2. e5 d5 3. exd6 e.p. h6 *", "e2e4 a7a6 e4e5 d7d5 e5d6 h7h6"},
		{"1. e4 a6 2. e5 d5 3. exd6e.p.+ h6 *", "e2e4 a7a6 e4e5 d7d5 e5d6 h7h6"},
		{"1. e4 a6 2. e5 d5 3. e5:d6ep h6 *", "e2e4 a7a6 e4e5 d7d5 e5d6 h7h6"},
		{"1. e4 a6 2. e5 d5 3. exd6 ep h6 *", "e2e4 a7a6 e4e5 d7d5 e5d6 h7h6"},
		{"1. e4 +- e5 -+ 2. Nf3 += Nc6 +/- 3. Bb5 = a6 -/+ 4. Ba4 ± Nf6 ∞ 5. d3 N b5 $14 *", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 d2d3 b7b5"},
		{"1. e4+- e5-+ 2. Nf3!? Nc6+/- 3. Bb5= a6?! 4. Ba4\xb1 *", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4"},
		{"1. e2e4 e7e5 2. g1f3 b8c6 3. f1c4 f8c5 4. e1g1 g8f6 1/2", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6"},
		{"e2e4 e7e5 Ng1-f3 Pa6", "e2e4 e7e5 g1f3 a7a6"},
		{"1.♘f3 ♞f6 1…*", "g1f3 g8f6"},
		{"1. e4 (1. d4 {a (b} (1. c4 (1. Nf3 $1)) d5 1-0) 1... e5 ; 2. Qh5 (\n% 2. Qh5 {\n2. Nf3 *", "e2e4 e7e5 g1f3"},
		{"1. e4 [%clk 0:01:00] e5 {[%clk 0:01:00]} 2. Nf3", "e2e4 e7e5 g1f3"},
		{"\ufeff[Event \"M\xfcnchen\"]\r\n\r\n1. e4\r\n e5\r\n1-0\r\n", "e2e4 e7e5"},
		{fourFields + "1. O-O *", "e1g1"},
		{"[FEN \"\"]\n[FEN \"?\"]\n1. e4 *", "e2e4"},
		{fourFields + "[SetUp \"0\"]\n\n1. 0-0 *", "e1g1"},
		{"[FEN \"6k1/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n1. a8(R) Kh7 2. Rb8 *", "a7a8r g8h7 a8b8"},
		{"[FEN \"6k1/P7/8/8/8/8/8/4K2R w - - 0 1\"]\n1. a8/n *", "a7a8n"},
		{"1. e4 e5\x00\x00\x00", "e2e4 e7e5"},
	} {
		list, notes := ReadLines(c.text, 0)
		if len(list) != 1 || notes != nil {
			t.Errorf("%q: %d games, %q", c.text, len(list), notes)
			continue
		}
		if got := movesOf(&list[0]); got != c.moves {
			t.Errorf("%q: %s, want %s", c.text, got, c.moves)
		}
	}
}

func movesOf(l *Line) string {
	var moves []string
	p := l.Start
	for _, m := range l.Moves {
		moves = append(moves, p.UCI(m, false))
		p = p.After(m)
	}
	return strings.Join(moves, " ")
}

// TestLeftOut checks that a bad game costs that game alone.
func TestLeftOut(t *testing.T) {
	const event = "[Event \"x\"]\n"
	for bad, why := range map[string]string{
		"1. e4 {":                          "line 5: a comment is not closed",
		"1. e4 (1. d4 {":                   "line 5: a comment is not closed",
		"1. e4 (1. d4":                     "a variation is not closed",
		"1. e4 )":                          "line 5: a variation ends that did not begin",
		"1. e4 }":                          "line 5: a comment ends that did not begin",
		"1. e4 e5\n2. Ke3":                 `line 6: move "Ke3": no legal move fits`,
		"1. e4 --":                         `line 5: move "--" is a null move, not a legal move here`,
		"[FEN \"bogus\"]":                  "FEN tag: FEN \"bogus\": board: 1 ranks, want 8",
		"[FEN \"7k/5Q2/6K1/8/8/8/8/8 b\"]": "FEN tag: the game is over: stalemate",
		"[White \"y":                       "line 5: a tag is not closed",
	} {
		text := "[White \"a\"]\n1. d4 *\n\n" + event + bad + "\n" + event + "1. c4 *\n"
		list, notes := ReadLines(text, 0)
		var got []string
		for i := range list {
			got = append(got, movesOf(&list[i]))
		}
		if strings.Join(got, ", ") != "d2d4, c2c4" {
			t.Errorf("%q: read as %q", bad, got)
		}
		if len(notes) < 2 || notes[0] != "1 of 3 games are left out" || !strings.Contains(notes[len(notes)-1], "game 2, line 4 is left out: ") ||
			!strings.Contains(notes[len(notes)-1], why) {
			t.Errorf("%q: notes %q, want %q", bad, notes, why)
		}
	}
	// What comes behind the moves that are asked for does not matter.
	if list, notes := ReadLines("1. e4 e5 2. Ke3 ) *", 2); len(list) != 1 || notes != nil {
		t.Errorf("%d games, %q", len(list), notes)
	}
	list, notes := ReadLines("[FEN \"4k3/8/8/8/8/8/8/4K2R w Q - 0 1\"]\n1. Kd2 *", 0)
	if want := "game 1, line 1: FEN tag: castling right Q is dropped: no rook stands there"; len(list) != 1 || len(notes) != 1 || notes[0] != want {
		t.Errorf("%d games, notes %q", len(list), notes)
	}
}
