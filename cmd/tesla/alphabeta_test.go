package main

import (
	"strings"
	"testing"

	"tesla/alphabeta"
	"tesla/board/boardtest"
)

// session begins a session of a searcher with two threads.
func session(name string) string {
	return "setoption name Hash value 16\nsetoption name Backend value nnue\nsetoption name Threads value 2\nsetoption name Search value " +
		name + "\nisready\n"
}

// bestMoves are the moves of a session's output, in order.
func bestMoves(out string) (moves []string) {
	for _, line := range strings.Split(out, "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "bestmove" {
			moves = append(moves, words[1])
		}
	}
	return moves
}

// Every go has its legal move, whatever happens around it.
func TestHurry(t *testing.T) {
	p := boardtest.Position(t, kiwipete)
	hurry := []string{
		"go movetime 1", "go wtime 1 btime 1", "go wtime 1 btime 1 winc 1 binc 1 movestogo 1", "go wtime -5 btime -5", "go depth 1", "go nodes 1",
		"go infinite\nsetoption name Threads value 3\nstop", "go infinite\nsetoption name Hash value 1\nstop\nisready",
		"setoption name Hash value 33554432\nisready\ngo movetime 20", // MiB: more than there is
	}
	for range 100 {
		hurry = append(hurry, "go infinite\nstop")
	}
	for _, name := range alphabeta.Names {
		in := session(name)
		for _, h := range hurry {
			in += "position fen " + kiwipete + "\n" + h + "\n"
		}
		code, out, errOut := run(t, in+"quit\n")
		moves := bestMoves(out)
		if code != exitDone || len(moves) != len(hurry) || !strings.Contains(out, "error: ") {
			t.Errorf("%s: code %d, %d moves of %d\n%s%s", name, code, len(moves), len(hurry), out, errOut)
		}
		for i, text := range moves {
			if _, err := p.ParseMove(text); err != nil {
				t.Errorf("%s: %q: %v", name, hurry[i], err)
			}
		}
	}
}
