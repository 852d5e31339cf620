// Command vary leaves the games of good players: it plays one or two random moves in positions of games and lets a UCI
// engine play on for a few plies, with scores. A search meets such positions all the time, games hardly ever: a net
// trained on games alone takes a hanging piece for a poisoned one.
//
//	xz -dc games.txt.xz | vary -engine stockfish -nodes 400 -seconds 600 -seed 1 > varied.txt
//
// Lines in and out are of the form startFEN;result;move:score ..., see prepare. The result of a line that is not played
// to its end is drawn at random with the last score's odds.
//
// Without an end of the line, from the start position and after more random moves, it makes games:
//
//	echo 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1;0.5;' |
//		vary -engine stockfish -nodes 1200 -plies 0 -random 6-12 -seconds 3600 -seed 1 > games.txt
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"tesla/board"
	"tesla/scripts/games"
)

// mateScore less the plies to mate is the score of a mate.
const mateScore = 32000

func main() {
	path := flag.String("engine", "stockfish", "UCI engine")
	nodes := flag.Int("nodes", 400, "nodes a move")
	plies := flag.Int("plies", 4, "plies after the random moves, 0: to the end of the game")
	random := flag.String("random", "1-2", "random moves, from-to")
	seconds := flag.Int("seconds", 600, "when to stop")
	workers := flag.Int("workers", 1, "engines side by side")
	seed := flag.Uint64("seed", 1, "")
	flag.Parse()
	var least, most int
	if _, err := fmt.Sscanf(*random, "%d-%d", &least, &most); err != nil || least < 0 || most < least {
		fail(fmt.Errorf("-random %s: want from-to", *random))
	}
	lines, err := readGames(os.Stdin)
	if err != nil {
		fail(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	end := time.Now().Add(time.Duration(*seconds) * time.Second)
	for w := range *workers {
		e, err := start(*path)
		if err != nil {
			fail(err)
		}
		v := varier{engine: e, games: lines, random: rand.New(rand.NewPCG(*seed, uint64(w))),
			least: least, most: most, nodes: *nodes, plies: *plies}
		wg.Go(func() {
			for time.Now().Before(end) {
				line, err := v.vary()
				if err != nil {
					fail(err)
				}
				if line != "" {
					mu.Lock()
					fmt.Println(line)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "vary:", err)
	os.Exit(1)
}

// readGames reads lines of games.
func readGames(in io.Reader) ([]string, error) {
	var lines []string
	err := games.Lines(in, func(_ int, line string) error {
		lines = append(lines, line)
		return nil
	})
	if err == nil && len(lines) == 0 {
		err = errors.New("no games on standard input")
	}
	return lines, err
}

// varier makes lines with one engine.
type varier struct {
	engine      *engine
	games       []string
	random      *rand.Rand
	least, most int // random moves
	nodes       int // a move
	plies       int // after the random moves; 0: to the end of the game
}

// vary is one line; empty where the game was over before it began.
func (v *varier) vary() (string, error) {
	pos, err := v.position()
	if err != nil {
		return "", err
	}
	for n := v.least + v.random.IntN(v.most-v.least+1); n > 0; n-- {
		moves := pos.LegalMoves(nil)
		if len(moves) == 0 {
			return "", nil
		}
		last := pos
		last.Make(moves[v.random.IntN(len(moves))], &pos)
	}
	g := board.NewGame(pos)
	start, played, scored := pos.FEN(false), "", ""
	var white []int // scores, White's
	for g.Outcome() == board.Ongoing && !decided(white) && (v.plies == 0 || len(white) < v.plies) {
		best, score, err := v.engine.search(start, played, v.nodes)
		if err != nil {
			return "", err
		}
		m, err := g.Pos.ParseMove(best, false)
		if err != nil {
			return "", fmt.Errorf("engine's move: %w", err)
		}
		played += " " + best
		scored += fmt.Sprintf(" %s:%d", best, score)
		if g.Pos.Black {
			score = -score
		}
		white = append(white, score)
		g.Play(m)
	}
	if len(white) == 0 {
		return "", nil
	}
	return start + ";" + v.result(g, white) + ";" + scored[1:], nil
}

// decided reports a game that need not go on: six plies beyond 2,000 centipawns, or a dozen zeros after ply 60.
func decided(white []int) bool {
	won, lost, level := 0, 0, 0
	for i, score := range white {
		won, lost, level = run(won, score > 2000), run(lost, score < -2000), run(level, score == 0 && i >= 60)
	}
	return won >= 6 || lost >= 6 || level >= 12
}

// run is the length of a run that goes on or ends.
func run(n int, on bool) int {
	if on {
		return n + 1
	}
	return 0
}

// position is a random position of a random game.
func (v *varier) position() (board.Position, error) {
	g, err := games.Parse(v.games[v.random.IntN(len(v.games))])
	if err != nil {
		return board.Position{}, err
	}
	return g.Play(v.random.IntN(len(g.Plies)+1), func(int, *board.Position, board.Move) error { return nil })
}

// result is White's: that of the rules or, where the game was left before its end, drawn with the odds of the last
// score: a win with the probability e squared, a loss with 1-e squared, where e is the expected score.
func (v *varier) result(g *board.Game, white []int) string {
	switch outcome := g.Outcome(); {
	case outcome == board.Checkmate && g.Pos.Black:
		return "1"
	case outcome == board.Checkmate:
		return "0"
	case outcome != board.Ongoing:
		return "0.5"
	}
	if v.plies == 0 && white[len(white)-1] == 0 {
		return "0.5" // left for its zeros
	}
	e := 1 / (1 + math.Exp(-float64(white[len(white)-1])/350))
	switch x := v.random.Float64(); {
	case x < e*e:
		return "1"
	case x < e*e+(1-e)*(1-e):
		return "0"
	}
	return "0.5"
}

// engine is a running UCI engine.
type engine struct {
	in  io.Writer
	out *bufio.Scanner
}

func start(path string) (*engine, error) {
	command := exec.Command(path)
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	e := &engine{in: in, out: bufio.NewScanner(out)}
	fmt.Fprintln(in, "uci\nsetoption name Threads value 1\nsetoption name Hash value 16\nisready")
	_, err = e.until("readyok")
	return e, err
}

// until reads lines up to the one that begins with word, which it returns.
func (e *engine) until(word string) (string, error) {
	for e.out.Scan() {
		if strings.HasPrefix(e.out.Text(), word) {
			return e.out.Text(), nil
		}
	}
	return "", errors.Join(fmt.Errorf("engine ended before it said %s", word), e.out.Err())
}

// search is the best move after the moves from a position and its score, for the side to move.
func (e *engine) search(fen, moves string, nodes int) (best string, score int, err error) {
	fmt.Fprintf(e.in, "position fen %s moves%s\ngo nodes %d\n", fen, moves, nodes)
	for e.out.Scan() {
		words := strings.Fields(e.out.Text())
		for i := 0; i+2 < len(words); i++ {
			if words[i] != "score" {
				continue
			}
			v, err := strconv.Atoi(words[i+2])
			if err != nil {
				return "", 0, fmt.Errorf("engine's score %q", e.out.Text())
			}
			score = v
			if words[i+1] == "mate" {
				if score = mateScore - (2*v - 1); v <= 0 {
					score = -(mateScore + 2*v)
				}
			}
		}
		if len(words) > 1 && words[0] == "bestmove" {
			return words[1], score, nil
		}
	}
	return "", 0, errors.Join(errors.New("engine ended in a search"), e.out.Err())
}
