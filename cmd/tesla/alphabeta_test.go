package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"tesla/board/boardtest"
	"tesla/search/alphabeta"
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
	for range 6 {
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

// answer is the output of a session. Its done is closed with the first bestmove.
type answer struct {
	strings.Builder
	done chan struct{}
}

func (a *answer) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte("bestmove ")) {
		close(a.done)
	}
	return a.Builder.Write(text)
}

// Read is the end of the input, and comes after the answer. An earlier end would stop the search.
func (a *answer) Read([]byte) (int, error) {
	<-a.done
	return 0, io.EOF
}

// answered runs a session with one go, to its answer.
func answered(t *testing.T, in string) (code int, out, errOut string) {
	t.Helper()
	a, e := &answer{done: make(chan struct{})}, strings.Builder{}
	code = execute(nil, io.MultiReader(strings.NewReader(in), a), a, &e)
	return code, a.String(), e.String()
}

// Reports in the protocol: each has win, draw and loss, the last ones are of different moves, and the nodes are those that
// were asked for, two threads or not.
func TestReports(t *testing.T) {
	const nodes, lines = 6000, 4
	for _, name := range alphabeta.Names {
		in := session(name) + "setoption name UCI_ShowWDL value true\nsetoption name MultiPV value 4\nposition startpos\n"
		code, out, errOut := answered(t, in+fmt.Sprintf("go nodes %d\n", nodes))
		var last [lines]string
		count := 0
		for _, line := range strings.Split(out, "\n") {
			_, scored, isScored := strings.Cut(line, " score ")
			if !isScored {
				continue
			}
			var rank, cp, win, draw, loss, got int
			_, ranked, _ := strings.Cut(line, " multipv ")
			scored = strings.NewReplacer("lowerbound ", "", "upperbound ", "").Replace(scored)
			_, err1 := fmt.Sscan(ranked, &rank)
			_, err2 := fmt.Sscanf(scored, "cp %d wdl %d %d %d nodes %d", &cp, &win, &draw, &loss, &got)
			if err1 != nil || err2 != nil || rank < 1 || rank > lines || win+draw+loss != 1000 || draw <= 0 || (win > loss) != (cp > 0) {
				t.Fatalf("%s: %v, %v: %s", name, err1, err2, line)
			}
			_, pv, _ := strings.Cut(scored, " pv ")
			last[rank-1], _, _ = strings.Cut(pv, " ")
			count = got
		}
		different := map[string]bool{}
		for _, m := range last {
			different[m] = true
		}
		if moves := bestMoves(out); code != exitDone || len(moves) != 1 || moves[0] != last[0] || len(different) != lines || different[""] {
			t.Errorf("%s: code %d, %s, moves %v, lines of %q", name, code, errOut, moves, last)
		}
		if count < nodes*98/100 || count > nodes*102/100 {
			t.Errorf("%s: %d nodes, want %d", name, count, nodes)
		}
	}
}
