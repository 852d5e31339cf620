package uci

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tesla/board"
)

// position obeys "startpos|fen F [moves ...]". Where the setup cannot be read there is no position any more, until one
// comes that can be read: the answer to a later go would be a move of another game. Where a move cannot be played the
// game is what was given before that move.
func (s *session) position(words []string) {
	g, notes, err := parsePosition(words)
	for _, n := range notes {
		s.tell("position: " + n)
	}
	switch {
	case g == nil:
		s.fail("position: %v; there is no position now", err)
	case err != nil:
		s.fail("position: %v; the game ends before it", err)
	}
	s.game, s.refused = g, nil
	if g == nil {
		s.refused = err
	}
}

// onBoard reports whether there is a position. Where there is none it says that the command cannot be obeyed.
func (s *session) onBoard(command string) bool {
	if s.refused != nil {
		s.fail("%s: there is no position: the last one was refused", command)
	}
	return s.refused == nil
}

// parsePosition reads the arguments of a position command. With an error the game is nil, or ends before the move that
// cannot be played. notes say what was read otherwise than it was written.
func parsePosition(words []string) (g *board.Game, notes []string, err error) {
	setup, moves := words, []string(nil)
	if i := slices.Index(words, "moves"); i >= 0 {
		setup, moves = words[:i], words[i+1:]
	}
	start, rest, notes, err := parseSetup(setup)
	if err != nil {
		return nil, notes, err
	}
	g = board.NewGame(start)
	if len(rest) > 0 {
		if _, err := parseMove(&g.Pos, rest[0]); err == nil {
			notes = append(notes, `the word "moves" is missing`)
			moves = append(slices.Clone(rest), moves...)
		} else {
			notes = append(notes, fmt.Sprintf("skipped %q", strings.Join(rest, " ")))
		}
	}
	for i, text := range moves {
		m, err := parseMove(&g.Pos, text)
		if err != nil {
			return g, notes, fmt.Errorf("move %d: %w", i+1, err)
		}
		g.Play(m)
	}
	return g, notes, nil
}

// fenLength is how many of the words are a FEN: at most four fields, and two counters behind them.
func fenLength(words []string) int {
	const fields, counters = 4, 2
	n := min(fields, len(words))
	for n < min(fields+counters, len(words)) && strings.Trim(words[n], "+-0123456789") == "" {
		n++
	}
	return n
}

// parseSetup reads what stands before the moves, and returns the words that it does not need.
func parseSetup(words []string) (start board.Position, rest, notes []string, err error) {
	begins := func(w string) bool { return w == "startpos" || w == "fen" || isBoard(w) }
	i := slices.IndexFunc(words, begins)
	if i < 0 {
		return start, nil, nil, errors.New("neither startpos nor fen given")
	}
	if i > 0 {
		notes = append(notes, fmt.Sprintf("skipped %q", strings.Join(words[:i], " ")))
	}
	word, rest := words[i], words[i+1:]
	if word == "startpos" {
		return board.StartPosition(), rest, notes, nil
	}
	if word != "fen" {
		notes, rest = append(notes, `the word "fen" is missing`), words[i:]
	}
	n := fenLength(rest)
	start, repairs, err := board.ReadFEN(strings.Join(rest[:n], " "))
	return start, rest[n:], append(notes, repairs...), err
}

// isBoard reports whether a word looks like the first field of a FEN.
func isBoard(word string) bool { return strings.Count(word, "/") == 7 }

// parseMove reads a move in the forms that programs write: the letters may be of either case, and "-" and "=" may stand
// in it. Castling may be written as the squares of king and rook in either mode.
func parseMove(p *board.Position, text string) (board.Move, error) {
	plain := strings.NewReplacer("-", "", "=", "").Replace(strings.ToLower(text))
	m, err := p.ParseMove(plain)
	if err != nil && plain != text {
		err = fmt.Errorf("%q: %w", text, err)
	}
	return m, err
}
