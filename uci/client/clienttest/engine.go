package clienttest

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"tesla/board"
)

// engine plays random moves, the same in each run, and misbehaves as its mode says.
type engine struct {
	mode      string
	heard     map[string]int // commands so far
	game      *board.Game
	chess960  bool
	moves     int  // searches so far
	pondering bool // its move comes after ponderhit or stop
	random    *rand.Rand
}

func run(mode string) {
	e := &engine{mode: mode, heard: map[string]int{}, random: rand.New(rand.NewPCG(7, 7))}
	switch mode {
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "children":
		child := exec.Command("sleep", "60")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) > 0 && !e.misbehave(words[0]) && !e.obey(words) {
			return
		}
	}
}

// obey follows a command and reports whether to go on.
func (e *engine) obey(words []string) bool {
	switch words[0] {
	case "uci":
		e.introduce()
		fmt.Print("option name Hash type spin default 1 max 64\n",
			"option name UCI_Chess960 type check\noption name MultiPV type spin default 1 min 1\n",
			"option name Style type combo default A bit var A bit var Wild\n")
		if strings.HasPrefix(e.mode, "ponder") {
			fmt.Println("option name Ponder type check default false")
		}
		fmt.Println("uciok")
	case "setoption":
		e.chess960 = e.chess960 || strings.Join(words[1:], " ") == "name UCI_Chess960 value true"
		if e.mode == "refuses" {
			fmt.Println("No such option: " + words[2])
		}
	case "isready":
		fmt.Println("readyok")
	case "position":
		e.game = setUp(words, e.chess960)
	case "go":
		e.moves++
		if len(words) > 1 && words[1] == "ponder" {
			e.pondering = true
			return true
		}
		if e.mode == "asynchronous" {
			go func() { // it searches the position that it has when the time is over
				time.Sleep(2 * time.Millisecond)
				e.search()
			}()
		} else {
			e.search()
		}
	case "ponderhit", "stop":
		if e.pondering {
			e.pondering = false
			e.search()
		}
	case "quit":
		return false
	}
	return true
}

// ponder says which reply the engine expects, the first legal one, behind its move.
func (e *engine) ponder(move string) {
	m, err := e.game.Pos.ParseMove(move)
	if err != nil {
		panic(err)
	}
	e.game.Play(m)
	text := "bestmove " + move
	if replies := e.game.Pos.LegalMoves(nil); len(replies) > 0 {
		text += " ponder " + e.game.Pos.UCI(replies[0], e.chess960)
	}
	fmt.Println(text)
}

// castles writes a castling move where one is legal, as an engine does that is not in Chess960: the two squares of the
// king. In the mode UCI_Chess960 the rook's square is the second one.
func (e *engine) castles() (move string, ok bool) {
	p := &e.game.Pos
	for _, m := range p.LegalMoves(nil) {
		if !m.IsCastling() {
			continue
		}
		move = p.UCI(m, true)
		if !e.chess960 && m.To() > m.From() {
			return move[:2] + "g" + move[3:], true
		} else if !e.chess960 {
			return move[:2] + "c" + move[3:], true
		}
		return move, true
	}
	return "", false
}

// search reports a random move of the position, or castling in the mode castles.
func (e *engine) search() {
	legal := e.game.Pos.LegalMoves(nil)
	m := e.game.Pos.UCI(legal[e.random.IntN(len(legal))], e.chess960)
	if castling, ok := e.castles(); ok && e.mode == "castles" {
		m = castling
	}
	fmt.Print("info depth 3 multipv 1 score cp 12 nodes 99 nps 700 pv ", m, "\n",
		"info depth 4 multipv 2 score cp -50 pv ", m, "\n")
	if strings.HasPrefix(e.mode, "tesla") {
		e.tellBackend()
	}
	if e.mode == "slow" {
		time.Sleep(300 * time.Millisecond)
	}
	if e.moves == 3 {
		switch e.mode {
		case "crash", "teslachanges":
			fmt.Fprintln(os.Stderr, "the test engine crashes")
			os.Exit(3)
		case "hang":
			hang()
		case "late":
			time.Sleep(600 * time.Millisecond)
		case "illegal":
			m = "e1e5"
		}
	}
	if !e.badMove(m) {
		fmt.Println("bestmove " + m)
	}
}

// introduce is the beginning of the answer to uci. The modes that begin with tesla name the engine so.
func (e *engine) introduce() {
	if !strings.HasPrefix(e.mode, "tesla") {
		fmt.Println("id name test")
		return
	}
	fmt.Print("id name Tesla test\noption name Backend type combo default auto var auto var cpu var cuda var nnue\n")
}

// tellBackend says which backend was opened, as Tesla does in its first search, and later that it has failed. In mode
// teslachanges a second process opens another backend than the first.
func (e *engine) tellBackend() {
	backend, started := "cpu", os.Getenv(tokenVariable)+".started"
	switch {
	case e.moves == 3 && e.mode == "teslafalls":
		fmt.Println("info string error: backend cpu: the device is lost; nnue takes over")
		return
	case e.moves != 1:
		return
	case e.mode == "teslaother":
		fmt.Println("info string error: backend cpu: no library; taking the best backend that loads")
		backend = "nnue"
	case e.mode == "teslachanges":
		if _, err := os.Stat(started); err == nil {
			backend = "nnue"
		}
		if err := os.WriteFile(started, nil, 0o600); err != nil {
			panic(err)
		}
	}
	fmt.Printf("info string backend %s, net eut-s 0123456789ab, 1 threads\n", backend)
}

// setUp is the game of a position command.
func setUp(words []string, chess960 bool) *board.Game {
	start, rest := board.StartPosition(), words[2:]
	if words[1] == "fen" {
		p, err := board.ParseFEN(strings.Join(words[2:8], " "))
		if err != nil {
			panic(err)
		}
		start, rest = p, words[8:]
	}
	g := board.NewGame(start)
	for _, w := range rest {
		if w == "moves" {
			continue
		}
		m, err := g.Pos.ParseMove(w)
		if err != nil {
			panic(err)
		}
		g.Play(m)
	}
	return g
}

// misbehave may take a command out of the engine's hands.
func (e *engine) misbehave(word string) (taken bool) {
	e.heard[word]++
	switch at := e.mode + " " + word; at {
	case "dies uci":
		fmt.Fprintln(os.Stderr, "no net file\nno {hope}")
		os.Exit(5)
	case "saysno uci":
		fmt.Println("Error: no licence")
		os.Exit(0)
	case "hanguci uci", "hangready isready", "hangquit quit", "deaf quit":
		fmt.Fprintln(os.Stderr, "thinking hard")
		hang()
	case "hanggame ucinewgame", "crashgame ucinewgame":
		if e.heard[word] < 2 {
			return false
		}
		if e.mode == "hanggame" {
			hang()
		}
		os.Exit(1)
	case "crashquit quit":
		os.Exit(4)
	case "garbage isready":
		fmt.Print("\x00\xff\xfe\x1b[31m\n\ninfo\ninfo depth\ninfo score cp\nuciok\nreadyok?\ninfo pv\n\xc3\n")
		fmt.Print(strings.Repeat("x", 300000), "\n")
		fmt.Print("read")
		time.Sleep(20 * time.Millisecond)
		fmt.Print("yok\r\n")
		return true
	}
	return false
}

// badMove may say something else than the move.
func (e *engine) badMove(move string) (taken bool) {
	third := e.moves == 3
	switch {
	case e.mode == "none" && third:
		fmt.Println("bestmove (none)")
	case e.mode == "null" && third:
		fmt.Println("bestmove 0000")
	case e.mode == "empty" && third:
		fmt.Println("bestmove")
	case e.mode == "braces" && third:
		fmt.Println("bestmove }{\xff%")
	case e.mode == "ponder":
		e.ponder(move)
	case e.mode == "twice":
		fmt.Println("bestmove " + move + "\nbestmove " + move)
	case e.mode == "close" && third:
		os.Stdout.Close()
		hang()
	case e.mode == "nonewline" && third:
		fmt.Print("bestmove " + move)
		hang()
	case e.mode == "gasp" && third:
		fmt.Println("bestmove " + move)
		os.Exit(0)
	case e.mode == "children" && third:
		os.Exit(0)
	case e.mode == "half":
		for _, part := range []string{"bes", "tmove", " ", move[:2], move[2:], "\n"} {
			fmt.Print(part)
			time.Sleep(time.Millisecond)
		}
	case e.mode == "badpv":
		fmt.Printf("info depth 5 score cp 7 pv %s a1a1 e2e4\nbestmove %s\n", move, move)
	case e.mode == "badhead":
		fmt.Printf("info depth 5 score cp 7 pv a1a1\nbestmove %s\n", move)
	case e.mode == "otherpv":
		fmt.Printf("info depth 5 score cp 7 pv %s\ninfo depth 6 score cp -99 upperbound pv %s\nbestmove %s\n",
			e.other(move), move, move)
	case e.mode == "flood" || e.mode == "complain":
		flood(e.mode, move)
	default:
		return false
	}
	return true
}

// other is a legal move other than the given one, if there is one.
func (e *engine) other(move string) string {
	for _, m := range e.game.Pos.LegalMoves(nil) {
		if name := e.game.Pos.UCI(m, e.chess960); name != move {
			return name
		}
	}
	return move
}

// flood writes FloodBytes of info lines, then the move.
func flood(mode, move string) {
	to := os.Stdout
	if mode == "complain" {
		to = os.Stderr
	}
	line := "info depth 9 seldepth 20 multipv 1 score cp 33 nodes 123456 nps 1000000 time 7 pv " + move + "\n"
	block := bytes.Repeat([]byte(line), 64<<10/len(line))
	for n := 0; n < FloodBytes; n += len(block) {
		if _, err := to.Write(block); err != nil {
			panic(err)
		}
	}
	fmt.Println("bestmove " + move)
}

// hang waits for longer than a test does. An empty select would end the process where no other goroutine runs.
func hang() { time.Sleep(time.Hour) }
