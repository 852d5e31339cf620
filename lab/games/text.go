package games

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"tesla/board"
)

// Text reads games in text form, one on each line, and calls visit with each. Games are numbered from 0:
//
//	startFEN;result;move:score move:score ...
//
// result is that of White: 1, 0.5 or 0. A move is in UCI form (castling as e1g1). Its score is that of the mover before
// the move, in centipawns. Empty lines are skipped. A line in another form, or with an illegal move, is an error that
// names the line.
func Text(in io.Reader, visit func(*Game) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 1<<20), 1<<20)
	number := 0
	line := 0
	for scanner.Scan() {
		line++
		text := strings.TrimSpace(scanner.Text())
		if text == "" {
			continue
		}
		g, err := parseText(text)
		if err == nil {
			g.Number = uint64(number)
			number++
			err = visit(g)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: %w", line+1, err)
	}
	return nil
}

func parseText(line string) (*Game, error) {
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
	g, p := &Game{Start: start, Result: result}, start
	for i, word := range strings.Fields(fields[2]) {
		uci, score, found := strings.Cut(word, ":")
		v, err := strconv.ParseInt(score, 10, 16)
		if err != nil || !found {
			return nil, fmt.Errorf("ply %d %q: no score", i+1, word)
		}
		m, err := p.ParseMove(uci)
		if err != nil {
			return nil, fmt.Errorf("ply %d: %w", i+1, err)
		}
		g.Plies = append(g.Plies, Ply{Choice: Choice{Encode(&p, m), int16(v)}})
		p = p.After(m)
	}
	return g, nil
}

// Correct sets the result where the game ended by mate or stalemate; end is the last position. It is needed because
// in a third of the games of the set advised-01 the side that was mated has half a point.
func (g *Game) Correct(end *board.Position) {
	switch {
	case end.HasLegalMove():
	case !end.InCheck():
		g.Result = 0
	case end.Black:
		g.Result = 1
	default:
		g.Result = -1
	}
}

// Missing marks a score that a game does not have.
const Missing = math.MinInt16

// Scores is the score of the mover at a ply, and that of the same side two plies later.
func (g *Game) Scores(ply int) [2]int16 {
	later := int16(Missing)
	if ply+2 < len(g.Plies) {
		later = g.Plies[ply+2].Score
	}
	return [2]int16{g.Plies[ply].Score, later}
}

// ResultFor is the result for the side to move in p, a position of the game.
func (g *Game) ResultFor(p *board.Position) int8 {
	if p.Black {
		return -g.Result
	}
	return g.Result
}

// Each reads games in either form and calls visit with each. It plays them through and sets their results by the rules.
func Each(in io.Reader, visit func(*Game) error) error {
	checked := func(g *Game) error {
		end, err := g.Play(func(int, *board.Position, board.Move) error { return nil })
		if err != nil {
			return err
		}
		g.Correct(&end)
		return visit(g)
	}
	b := bufio.NewReader(in)
	if head, _ := b.Peek(len(magic)); !bytes.Equal(head, []byte(magic)) {
		return Text(b, checked)
	}
	r, err := NewReader(b)
	if err != nil {
		return err
	}
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = checked(g)
		}
		if err != nil {
			return err
		}
	}
}

// EachOf is Each for a file.
func EachOf(path string, visit func(*Game) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := Each(f, visit); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ReadFile reads all games of a file, in either form; see Each.
func ReadFile(path string) (all []*Game, err error) {
	err = EachOf(path, func(g *Game) error { all = append(all, g); return nil })
	return all, err
}
