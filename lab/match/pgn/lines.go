package pgn

import (
	"errors"
	"fmt"
	"strings"

	"tesla/board"
)

// Line is a position and the moves that were played from it.
type Line struct {
	Start board.Position
	Moves []board.Move
}

// Game plays the moves.
func (l *Line) Game() *board.Game {
	g := board.NewGame(l.Start)
	for _, m := range l.Moves {
		g.Play(m)
	}
	return g
}

// ReadLines reads the main lines of the games in a PGN text, at most the given number of plies of each; 0 means all.
// Comments, variations and annotations are skipped. The FEN tag gives the start. A line ends before the move that ends
// the game. An error names the line of the text.
func ReadLines(text string, plies int) ([]Line, error) {
	r := lineReader{scanner: newScanner(text), plies: plies}
	r.reset()
	for {
		token, kind := r.next()
		var err error
		switch kind {
		case endToken:
			r.finish()
			return r.list, nil
		case tagToken:
			err = r.tag(token)
		case resultToken:
			r.finish()
		case moveToken:
			err = r.move(token)
		case openToken, badToken:
			err = errors.New(token)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
}

// lineReader plays the moves of a PGN text.
type lineReader struct {
	scanner
	plies int
	list  []Line

	game    *board.Game
	started bool // a move or tag of the current game was seen
	moves   bool // a move was seen
	over    bool // the game ends with the next move
}

func (r *lineReader) reset() {
	r.game = board.NewGame(board.StartPosition())
	r.started, r.moves, r.over = false, false, false
}

func (r *lineReader) finish() {
	if r.started {
		r.list = append(r.list, Line{r.game.Start, r.game.Moves})
	}
	r.reset()
}

func (r *lineReader) tag(text string) error {
	if r.moves { // the game before had no result
		r.finish()
	}
	r.started = true
	name, value, _ := strings.Cut(text, " ")
	if name != "FEN" {
		return nil
	}
	p, err := board.ParseFEN(strings.Trim(strings.TrimSpace(value), `"`))
	if err != nil {
		return fmt.Errorf("FEN tag: %w", err)
	}
	r.game = board.NewGame(p)
	if outcome := r.game.Outcome(); outcome != board.Ongoing {
		return fmt.Errorf("FEN tag: the game is over: %v", outcome)
	}
	return nil
}

func (r *lineReader) move(text string) error {
	r.started, r.moves = true, true
	if r.over || r.plies > 0 && len(r.game.Moves) >= r.plies {
		return nil
	}
	m, err := ParseSAN(&r.game.Pos, text)
	if err != nil {
		return err
	}
	after := r.game.Clone()
	after.Play(m)
	if after.Outcome() != board.Ongoing {
		r.over = true
		return nil
	}
	r.game = after
	return nil
}
