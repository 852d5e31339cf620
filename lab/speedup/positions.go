package speedup

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// BratkoKopec is the EPD text of the 24 positions of I. Bratko and D. Kopec (1982), as printed in Marsland, Olafsson
// and Schaeffer (1984); lines that begin with # are comments.
//
//go:embed bratko-kopec.epd
var BratkoKopec string

// Position is a position to search.
type Position struct {
	ID    string // unique within a run
	Board board.Position
	Best  []board.Move // any of these moves solves it; empty: not known
}

// ParsePositions reads EPD lines with the operations bm (best moves in SAN) and id. Other operations, empty lines and
// comments are ignored. The id of a position without one is its place, from 1.
func ParsePositions(text string) ([]Position, error) {
	var all []Position
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p, err := parsePosition(line)
		if err != nil {
			return nil, fmt.Errorf("positions, line %d: %w", i+1, err)
		}
		if p.ID == "" {
			p.ID = fmt.Sprint(len(all) + 1)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, errors.New("positions: there are none")
	}
	return all, nil
}

func parsePosition(line string) (p Position, err error) {
	if p.Board, _, err = board.ParseEPD(line); err != nil {
		return p, err
	}
	for _, op := range operations(line) {
		switch op[0] {
		case "id":
			p.ID = strings.Join(op[1:], " ")
		case "bm":
			for _, text := range op[1:] {
				m, err := pgn.ParseSAN(&p.Board, text)
				if err != nil {
					return p, fmt.Errorf("bm: %w", err)
				}
				p.Best = append(p.Best, m)
			}
		}
	}
	return p, nil
}

// operations splits what follows the four fields of an EPD line into operations, and these into words. Quotes keep
// blanks and semicolons in one word.
func operations(line string) (all [][]string) {
	rest := line
	for range 4 {
		rest = strings.TrimLeft(rest, " \t")
		if end := strings.IndexAny(rest, " \t"); end >= 0 {
			rest = rest[end:]
		} else {
			rest = ""
		}
	}
	var op []string
	var word strings.Builder
	quoted, started := false, false
	end := func() {
		if started {
			op = append(op, word.String())
		}
		word.Reset()
		started = false
	}
	for _, c := range rest + ";" {
		switch {
		case c == '"':
			quoted, started = !quoted, true
		case c == ';' && !quoted:
			if end(); len(op) > 0 {
				all = append(all, op)
			}
			op = nil
		case (c == ' ' || c == '\t') && !quoted:
			end()
		default:
			word.WriteRune(c)
			started = true
		}
	}
	return all
}

// solvedBy tells whether a move in UCI form is one of the best moves.
func (p *Position) solvedBy(move string) bool {
	for _, m := range p.Best {
		if p.Board.UCI(m, false) == move {
			return true
		}
	}
	return false
}
