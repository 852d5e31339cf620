package speedup

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
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

// ParsePositions reads the [board.Lines] of EPD with the operations bm (best moves in SAN) and id. Other operations are
// ignored. The id of a position without one is its place, from 1.
func ParsePositions(text string) ([]Position, error) {
	var all []Position
	for number, line := range board.Lines(text) {
		p, err := parsePosition(line)
		if err != nil {
			return nil, fmt.Errorf("positions, line %d: %w", number, err)
		}
		if p.ID == "" {
			p.ID = fmt.Sprint(len(all) + 1)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, errors.New("no positions")
	}
	return all, nil
}

func parsePosition(line string) (p Position, err error) {
	if p.Board, _, err = board.ParseEPD(line); err != nil {
		return p, err
	}
	for _, op := range board.Operations(line) {
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

// solvedBy reports whether a move in UCI form is one of the best moves.
func (p *Position) solvedBy(move string) bool {
	return slices.ContainsFunc(p.Best, func(m board.Move) bool { return p.Board.UCI(m, false) == move })
}
