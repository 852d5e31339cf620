package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"tesla/board"
	"tesla/search"
)

// lastReports are the words of the last report before each bestmove of a session's output.
func lastReports(out string) (all [][]string) {
	var last []string
	for _, line := range strings.Split(out, "\n") {
		switch {
		case strings.HasPrefix(line, "info depth"):
			last = strings.Fields(line)
		case strings.HasPrefix(line, "bestmove"):
			all, last = append(all, last), nil
		}
	}
	return all
}

// after is the words after one of a report.
func after(words []string, word string) []string {
	for i, w := range words {
		if w == word {
			return words[i+1:]
		}
	}
	return nil
}

// turns is a session's output. It tells turn of each bestmove.
type turns struct {
	strings.Builder
	turn chan struct{}
}

func (o *turns) Write(b []byte) (int, error) {
	for range bytes.Count(b, []byte("bestmove")) {
		o.turn <- struct{}{}
	}
	return o.Builder.Write(b)
}

// converse is the output of a session that begins with some commands and then searches positions one after the other.
func converse(t *testing.T, begin, search string, positions ...string) string {
	t.Helper()
	out := turns{turn: make(chan struct{}, len(positions))}
	in, input := io.Pipe()
	go func() {
		fmt.Fprint(input, begin)
		for _, p := range positions {
			fmt.Fprintf(input, "position fen %s\n%s\n", p, search)
			<-out.turn
		}
		input.Close()
	}()
	var errOut strings.Builder
	if code := execute(nil, in, &out, &errOut); code != exitDone {
		t.Fatalf("code %d\n%s%s", code, out.String(), errOut.String())
	}
	return out.String()
}

// The side that is lost does not take the second occurrence of a played position for a draw; a mate has a whole line;
// the probabilities of a mate and of a draw are certain.
func TestTreesEndings(t *testing.T) {
	for _, name := range []string{"bestfirst", "puct"} {
		reports := lastReports(converse(t, session(name)+"setoption name UCI_ShowWDL value true\n", "go evals 60",
			"5k2/8/8/8/8/8/3Q4/4K3 w - - 0 1 moves d2c2 f8e8 c2d2",
			"rn2N3/8/4R2b/B3R3/3kP1N1/K2n4/8/1q6 w - - 0 1",
			"7k/8/8/8/8/8/R7/K7 w - - 99 90",
			"7k/8/8/8/8/8/8/K7 w - - 0 1"))
		if len(reports) != 4 {
			t.Fatalf("%s: %d reports", name, len(reports))
		}
		var lost search.Score
		if score := after(reports[0], "score"); score[0] == "mate" {
			fmt.Sscan(score[1], &lost.Mate)
		} else {
			fmt.Sscan(score[1], &lost.CP)
		}
		if lost.Mate > 0 || lost.Mate == 0 && lost.CP > -500 {
			t.Errorf("%s: a bare king's score is %+v", name, lost)
		}
		p, err := board.ParseFEN("rn2N3/8/4R2b/B3R3/3kP1N1/K2n4/8/1q6 w - - 0 1")
		if err != nil {
			t.Fatal(err)
		}
		g, pv := board.NewGame(p), after(reports[1], "pv")
		for _, text := range pv {
			m, err := g.Pos.ParseMove(text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			g.Play(m)
		}
		if text := strings.Join(reports[1], " "); !strings.Contains(text, "score mate 2 wdl 1000 0 0") || len(pv) != 3 || g.Outcome() != board.Checkmate {
			t.Errorf("%s: %s", name, text)
		}
		for _, r := range reports[2:] {
			if text := strings.Join(r, " "); !strings.Contains(text, "score cp 0 wdl 0 1000 0") {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}
