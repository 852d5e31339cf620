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
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tesla/board"
	"tesla/scripts/engine"
	"tesla/scripts/games"
)

// mateScore less the plies to mate is the score of a mate.
const mateScore = 32000

func main() {
	path := flag.String("engine", "stockfish", "UCI engine")
	nodes := flag.Int("nodes", 400, "nodes a move")
	plies := flag.Int("plies", 4, "plies after the random moves, 0: to the end of the game")
	random := flag.String("random", "1-2", "random moves, from-to")
	within := flag.Int("within", mateScore, "centipawns: lines that begin further from balance are dropped")
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
	write := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(text)
	}
	end := time.Now().Add(time.Duration(*seconds) * time.Second)
	for w := range *workers {
		e, err := engine.Start(*path, "Threads=1", "Hash=16")
		if err != nil {
			fail(err)
		}
		v := varier{engine: e, games: lines, random: rand.New(rand.NewPCG(*seed, uint64(w))),
			least: least, most: most, nodes: *nodes, plies: *plies, within: *within}
		wg.Go(func() {
			if err := v.run(end, write); err != nil {
				fail(err)
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
	engine      *engine.Engine
	games       []string
	random      *rand.Rand
	least, most int // random moves
	nodes       int // a move
	plies       int // after the random moves; 0: to the end of the game
	within      int // centipawns of the first score
}

// line is one that is being played.
type line struct {
	game           *board.Game
	start          string // FEN
	played, scored string
	white          []int // scores, White's
}

// begin begins a line; nil where the game was over before it began.
func (v *varier) begin() (*line, error) {
	pos, err := v.position()
	if err != nil {
		return nil, err
	}
	for n := v.least + v.random.IntN(v.most-v.least+1); n > 0; n-- {
		moves := pos.LegalMoves(nil)
		if len(moves) == 0 {
			return nil, nil
		}
		last := pos
		last.Make(moves[v.random.IntN(len(moves))], &pos)
	}
	g := board.NewGame(pos)
	if g.Outcome() != board.Ongoing {
		return nil, nil
	}
	return &line{game: g, start: pos.FEN(false)}, nil
}

// wanted tells whether a line began near enough to balance.
func (v *varier) wanted(l *line) bool { return max(l.white[0], -l.white[0]) <= v.within }

// over tells whether a line has been played to its end.
func (v *varier) over(l *line) bool {
	return l.game.Outcome() != board.Ongoing || decided(l.white) || v.plies > 0 && len(l.white) >= v.plies
}

// text is the line as it is written.
func (v *varier) text(l *line) string {
	return l.start + ";" + v.result(l.game, l.white) + ";" + l.scored[1:]
}

// round plays a move of each line: the engine is asked for all of them at once, for it takes as long to wake it as to
// search a hundred nodes.
func (v *varier) round(lines []*line) error {
	var ask strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&ask, "position fen %s moves%s\ngo nodes %d\n", l.start, l.played, v.nodes)
	}
	if err := v.engine.Write(ask.String()); err != nil {
		return err
	}
	for _, l := range lines {
		best, score, err := v.answer()
		if err != nil {
			return err
		}
		m, err := l.game.Pos.ParseMove(best, false)
		if err != nil {
			return fmt.Errorf("engine's move: %w", err)
		}
		l.played += " " + best
		l.scored += fmt.Sprintf(" %s:%d", best, score)
		if l.game.Pos.Black {
			score = -score
		}
		l.white = append(l.white, score)
		l.game.Play(m)
	}
	return nil
}

// ahead is how many lines are played side by side. What is asked and answered in a round fits into pipes.
const ahead = 16

// run makes lines until the end.
func (v *varier) run(end time.Time, write func(string)) error {
	var lines []*line
	for time.Now().Before(end) {
		for len(lines) < ahead {
			l, err := v.begin()
			if err != nil {
				return err
			}
			if l != nil {
				lines = append(lines, l)
			}
		}
		if err := v.round(lines); err != nil {
			return err
		}
		lines = slices.DeleteFunc(lines, func(l *line) bool {
			if !v.wanted(l) {
				return true
			}
			over := v.over(l)
			if over {
				write(v.text(l))
			}
			return over
		})
	}
	return nil
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

// answer is the best move of the next search that was asked for, and its score for the side to move.
func (v *varier) answer() (best string, score int, err error) {
	err = v.engine.Read("bestmove", func(words []string) (err error) {
		if len(words) > 1 && words[0] == "bestmove" {
			best = words[1]
		}
		for i := 0; i+2 < len(words); i++ {
			if words[i] != "score" {
				continue
			}
			if score, err = strconv.Atoi(words[i+2]); err != nil {
				return err
			}
			if words[i+1] == "mate" {
				score = mateIn(score)
			}
		}
		return nil
	})
	return best, score, err
}

// mateIn is the score of a mate in so many moves, negative where the side to move is mated.
func mateIn(moves int) int {
	if moves <= 0 {
		return -(mateScore + 2*moves)
	}
	return mateScore - (2*moves - 1)
}
