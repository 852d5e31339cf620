package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tesla/board"
)

// TestMain is also the program that scores: with the variable TESLA_TEST_SCORES this test scores what it is asked.
func TestMain(m *testing.M) {
	if how := os.Getenv("TESLA_TEST_SCORES"); how != "" {
		if err := scoreForTest(how); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// scoreForTest answers as scripts/labels/stockfish.sh says, the moves in another order than board's: a move is worth more the higher its
// square of origin, but a mate is a mate. It ends early or leaves out a move if it is told to.
func scoreForTest(how string) error {
	fmt.Println("a program")
	in := bufio.NewScanner(os.Stdin)
	if in.Scan(); in.Text() != "scores 3 1000" {
		return fmt.Errorf("asked %q", in.Text())
	}
	for n := 0; in.Scan(); n++ {
		if how == "ends" && n == 200 {
			return nil
		}
		p, err := board.ParseFEN(in.Text())
		if err != nil {
			return err
		}
		var words []string
		for _, m := range p.LegalMoves(nil) {
			words = append(words, fmt.Sprintf("%s:%d", p.UCI(m, false), 10*int(m.From())-300))
		}
		slices.Reverse(words)
		if how == "leaves out" {
			words = words[1:]
		}
		fmt.Println(strings.Join(words, " "))
	}
	return in.Err()
}

// TestScores checks the bytes of scores by what they mean, that shards which have them are left alone, and what is refused.
func TestScores(t *testing.T) {
	dir := t.TempDir()
	w, err := newWriter(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.size = 400
	odd, err := board.ParseFEN("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	all := append(slices.Clone(gamePositions(t)[:1100]), labelled{odd, odd.LegalMoves(nil)[0]})
	castling := 0
	for i := range all {
		r, err := newRecord(&all[i].Position, all[i].best, [2]int16{}, 0)
		if err == nil {
			err = w.add(&r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	how := scoring{Depth: 3, Window: 1000}
	for kind, want := range map[string]string{"ends": "no answer for", "leaves out": "scores of"} {
		t.Setenv("TESLA_TEST_SCORES", kind)
		if err := score(dir, program, how); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("a program that %s: %v", kind, err)
		}
	}
	t.Setenv("TESLA_TEST_SCORES", "all")
	if err := score(dir, program, how); err != nil {
		t.Fatal(err)
	}
	var found []byte
	for shard := range (len(all) + w.size - 1) / w.size {
		data, err := os.ReadFile(shardPath(dir, shard, "scores"))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, data...)
	}
	for i := range all {
		p := &all[i].Position
		legal := p.LegalMoves(nil)
		bytes := found[:len(legal)]
		found = found[len(legal):]
		best := slices.MaxFunc(legal, func(a, b board.Move) int { return int(a.From()) - int(b.From()) })
		for k, m := range legal {
			switch {
			case p.NeedsChess960():
				if castling++; bytes[k] != notJudged {
					t.Fatalf("%s: byte %d in a position that engines name in several ways", p.FEN(true), bytes[k])
				}
			case (m.From() == best.From()) != (bytes[k] == 0) || bytes[k] == notJudged:
				t.Fatalf("%s: %s has byte %d, the best move is %s", p.FEN(true), p.UCI(m, false), bytes[k], p.UCI(best, false))
			// Between -300 and 330 centipawns the tangent is nearly straight: ten centipawns are 8.4 to 10.
			case bytes[k] > 0 && !(bytes[k] >= uint8(8*int(best.From()-m.From())/4) && int(bytes[k]) <= (10*int(best.From()-m.From())+2)/4+1):
				t.Fatalf("%s: %s has byte %d, %d squares below the best", p.FEN(true), p.UCI(m, false), bytes[k], best.From()-m.From())
			}
		}
	}
	if len(found) > 0 || castling == 0 {
		t.Errorf("%d bytes too many; %d moves of Chess960", len(found), castling)
	}
	how.Depth = 5
	if err := score(dir, program, how); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("another depth: %v", err)
	}
}

// TestPutScores checks the bytes of lines that are known.
func TestPutScores(t *testing.T) {
	p, err := board.ParseFEN("7k/5K2/6R1/8/8/8/8/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	legal := p.LegalMoves(nil)
	var words []string
	for _, m := range legal {
		score := 0
		switch p.UCI(m, false) {
		case "g6h6":
			score = 31999
		case "g6g5":
			score = 100
		case "g6g4":
			score = -31999
		}
		words = append(words, fmt.Sprintf("%s:%d", p.UCI(m, false), score))
	}
	bytes := make([]uint8, len(legal))
	if err := putScores(bytes, &p, legal, strings.Join(words, " ")); err != nil {
		t.Fatal(err)
	}
	for k, m := range legal {
		want := uint8(175) // 700 / 4
		switch p.UCI(m, false) {
		case "g6h6":
			want = 0
		case "g6g5":
			want = 150 // (700 - 700 tanh(1/7)) / 4
		case "g6g4":
			want = 254
		}
		if bytes[k] != want {
			t.Errorf("%s has byte %d, want %d", p.UCI(m, false), bytes[k], want)
		}
	}
	for _, line := range []string{"", strings.Join(words[1:], " "), strings.Join(append([]string{"a1a2:3"}, words[1:]...), " "),
		strings.Join(append([]string{"g6g5"}, words[1:]...), " ")} {
		if err := putScores(bytes, &p, legal, line); err == nil {
			t.Errorf("%q is no error", line)
		}
	}
}
