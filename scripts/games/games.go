// Package games reads self-play games in text form, one a line:
//
//	startFEN;result;move:score move:score ...
//
// result is White's: 1, 0.5 or 0; see Read. A move is in UCI form (castling as e1g1), its score the mover's in centipawns before
// the move is made, mates at +-32000 less the distance. A line that does not say all that, or plays an illegal move, is
// an error; nothing is skipped in silence.
package games

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tesla/board"
)

// Missing marks a score that the game does not have.
const Missing = -32768

// Game is one line. Its moves are checked when they are played.
type Game struct {
	Start  board.Position
	Result int8 // White's: 1, 0 or -1
	Plies  []Ply
}

// Ply is a move in UCI form and the mover's score before it.
type Ply struct {
	UCI   string
	Score int16
}

// Lines calls visit with each line and its number from 0 on; an error is returned with the line's number from 1 on.
func Lines(in io.Reader, visit func(number int, line string) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 1<<20), 1<<20)
	number := 0
	for ; scanner.Scan(); number++ {
		if err := visit(number, scanner.Text()); err != nil {
			return fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: read games: %w", number+1, err)
	}
	return nil
}

// Read reads a line and corrects its result by the rules: in a third of the games of advised-01 the side that was mated
// has half a point.
func Read(line string) (*Game, error) {
	g, err := Parse(line)
	if err != nil {
		return nil, err
	}
	end, err := g.Play(len(g.Plies), func(int, *board.Position, board.Move) error { return nil })
	if err != nil || end.HasLegalMove() {
		return g, err
	}
	switch {
	case !end.InCheck():
		g.Result = 0
	case end.Black:
		g.Result = 1
	default:
		g.Result = -1
	}
	return g, nil
}

// Parse reads a line as it is.
func Parse(line string) (*Game, error) {
	fields := strings.SplitN(line, ";", 3)
	if len(fields) != 3 {
		return nil, fmt.Errorf("%d fields, want startFEN;result;moves", len(fields))
	}
	result, ok := map[string]int8{"1": 1, "0.5": 0, "0": -1}[fields[1]]
	if !ok {
		return nil, fmt.Errorf("result %q", fields[1])
	}
	start, err := board.ParseFEN(fields[0])
	if err != nil {
		return nil, fmt.Errorf("start position: %w", err)
	}
	words := strings.Fields(fields[2])
	g := &Game{Start: start, Result: result, Plies: make([]Ply, len(words))}
	for i, word := range words {
		uci, score, found := strings.Cut(word, ":")
		v, err := strconv.ParseInt(score, 10, 16)
		if err != nil || !found {
			return nil, fmt.Errorf("ply %d %q: no score", i+1, word)
		}
		g.Plies[i] = Ply{uci, int16(v)}
	}
	return g, nil
}

// Play makes the first n plies, calls visit before each, and returns the position after them.
func (g *Game) Play(n int, visit func(ply int, pos *board.Position, m board.Move) error) (board.Position, error) {
	pos := g.Start
	for i, ply := range g.Plies[:n] {
		m, err := pos.ParseMove(ply.UCI, false)
		if err == nil {
			err = visit(i, &pos, m)
		}
		if err != nil {
			return pos, fmt.Errorf("ply %d: %w", i+1, err)
		}
		last := pos
		last.Make(m, &pos)
	}
	return pos, nil
}

// Scores is the mover's score at a ply and the same side's two plies later.
func (g *Game) Scores(ply int) [2]int16 {
	later := int16(Missing)
	if ply+2 < len(g.Plies) {
		later = g.Plies[ply+2].Score
	}
	return [2]int16{g.Plies[ply].Score, later}
}

// ResultFor is the result of the side to move in pos, a position of the game.
func (g *Game) ResultFor(pos *board.Position) int8 {
	if pos.Black {
		return -g.Result
	}
	return g.Result
}

// Count counts games by their results.
type Count struct{ White, Draws, Black int }

// Add counts a game.
func (c *Count) Add(g *Game) {
	switch g.Result {
	case 1:
		c.White++
	case 0:
		c.Draws++
	default:
		c.Black++
	}
}

// String says how many games and how they ended.
func (c Count) String() string {
	return fmt.Sprintf("games %d (white wins %d, draws %d, black wins %d)", c.White+c.Draws+c.Black, c.White, c.Draws, c.Black)
}
