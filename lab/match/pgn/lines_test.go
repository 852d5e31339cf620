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
		games, err := ReadLines(text, 20)
		for _, o := range games {
			if err == nil && o.Game().Outcome() != board.Ongoing {
				t.Errorf("%q: a line ends a game", text)
			}
		}
	})
}

func TestReadLines(t *testing.T) {
	const text = "\xef\xbb\xbf[Event \"x\"]\n[White \"A [B]\"]\n\n1. e4 {best (by test)} e5 (1... c5 2. Nf3 (2. c3)) 2.Nf3 $1 Nc6 ; rest\n3. Bb5 a6 1/2-1/2\n\n" +
		"[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n[SetUp \"1\"]\n\n1. O-O Ke7 *\n\n" +
		"[Event \"short\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n"
	list, err := ReadLines(text, 5)
	if err != nil {
		t.Fatal(err)
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
	for _, bad := range []string{"1. e4 {", "1. e5", "[FEN \"bogus\"]", "1. e4 (", "1. e4 )", "[Event"} {
		if _, err := ReadLines("\n"+bad, 0); err == nil || !strings.Contains(err.Error(), "line") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
