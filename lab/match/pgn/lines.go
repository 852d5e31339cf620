package pgn

import (
	"fmt"
	"slices"

	"tesla/board"
)

// Line is a position and the moves that were played from it.
type Line struct {
	Start board.Position
	Moves []board.Move
}

// Game plays the moves. Behind a null move another game begins, since neither the rules nor a searcher know one.
func (l *Line) Game() *board.Game {
	g := board.NewGame(l.Start)
	for _, m := range l.Moves {
		if m == board.NullMove {
			g = board.NewGame(g.Pos.After(m))
		} else {
			g.Play(m)
		}
	}
	return g
}

// ReadLines reads the main lines of the games in a PGN text, at most the given number of plies of each; 0 means all.
// Comments, variations and annotations are skipped. The FEN tag gives the start. A line ends before the move that ends
// the game. A game that cannot be read as far as that is left out. The notes count and name such games, and what was
// repaired in a FEN tag, by the number of the game and the line of the text.
func ReadLines(data string, plies int) (lines []Line, notes []string) {
	all := 0
	readTexts(data, func(t *text) {
		if len(t.tags) == 0 && len(t.words) == 0 && t.problem == "" { // a result alone
			return
		}
		all++
		line, repairs, err := t.play(plies)
		for _, repair := range repairs {
			notes = append(notes, fmt.Sprintf("game %d, line %d: FEN tag: %s", t.number, t.line, repair))
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("game %d, line %d is left out: %v", t.number, t.line, err))
			return
		}
		lines = append(lines, *line)
	})
	if left := all - len(lines); left > 0 {
		notes = slices.Insert(notes, 0, fmt.Sprintf("%d of %d games are left out", left, all))
	}
	return lines, notes
}

// play plays at most the given number of plies, 0 meaning all, up to the move that ends the game.
func (t *text) play(plies int) (l *Line, repairs []string, err error) {
	start, repairs, err := t.position()
	if err != nil {
		return nil, nil, err
	}
	g := board.NewGame(start)
	if outcome := g.Outcome(); outcome != board.Ongoing {
		return nil, repairs, fmt.Errorf("FEN tag: the game is over: %v", outcome)
	}
	for i, w := range t.words {
		if plies > 0 && i == plies {
			return &Line{g.Start, g.Moves}, repairs, nil
		}
		m, err := ParseSAN(&g.Pos, w.text)
		if err != nil {
			return nil, repairs, fmt.Errorf("line %d: %w", w.line, err)
		}
		before := g.Moves
		if g.Play(m); g.Outcome() != board.Ongoing {
			return &Line{g.Start, before}, repairs, nil
		}
	}
	if t.problem != "" && (plies == 0 || len(t.words) < plies) {
		return nil, repairs, fmt.Errorf("line %d: %s", t.problemLine, t.problem)
	}
	return &Line{g.Start, g.Moves}, repairs, nil
}

func (t *text) position() (start board.Position, repairs []string, err error) {
	fen := t.tags["FEN"]
	if fen == "" || fen == "?" {
		return board.StartPosition(), nil, nil
	}
	if start, repairs, err = board.ReadFEN(fen); err != nil {
		err = fmt.Errorf("FEN tag: %w", err)
	}
	return start, repairs, err
}
