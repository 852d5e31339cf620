package match

import (
	"fmt"
	"strings"

	"tesla/board"
)

// ReadPGN reads the main lines of games as openings, at most plies (0: all) moves of each. Comments, variations and
// annotations are skipped; the FEN tag gives the start. A line ends before the move that ends the game. The error names
// the line of the file.
func ReadPGN(data []byte, plies int) ([]Opening, error) {
	r := pgnReader{rest: strings.TrimPrefix(string(data), "\ufeff"), line: 1, plies: plies}
	r.reset()
	for {
		token, kind := r.next()
		var err error
		switch kind {
		case pgnEnd:
			r.finish()
			return r.list, nil
		case pgnTag:
			err = r.tag(token)
		case pgnResult:
			r.finish()
		case pgnMove:
			err = r.move(token)
		case pgnBad:
			err = fmt.Errorf("%s", token)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
}

type pgnKind uint8

const (
	pgnEnd pgnKind = iota
	pgnTag
	pgnMove
	pgnResult
	pgnBad // the token is the complaint
)

type pgnReader struct {
	rest  string
	line  int
	plies int
	list  []Opening

	game    *board.Game
	started bool // a move or tag of the current game was seen
	moves   bool // a move was seen
	over    bool // the limit or the end of the game is reached
}

func (r *pgnReader) reset() {
	r.game = board.NewGame(board.StartPosition())
	r.started, r.moves, r.over = false, false, false
}

func (r *pgnReader) finish() {
	if r.started {
		r.list = append(r.list, Opening{r.game.Start, r.game.Moves})
	}
	r.reset()
}

func (r *pgnReader) tag(text string) error {
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

func (r *pgnReader) move(text string) error {
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

// skip drops n bytes and counts their lines.
func (r *pgnReader) skip(n int) string {
	s := r.rest[:n]
	r.line += strings.Count(s, "\n")
	r.rest = r.rest[n:]
	return s
}

func (r *pgnReader) next() (string, pgnKind) {
	depth := 0 // of variations
	for r.rest != "" {
		switch c := r.rest[0]; {
		case c == '{' || c == '[' && depth == 0:
			end := strings.IndexByte(r.rest, '}')
			if c == '[' {
				end = tagEnd(r.rest)
			}
			if end < 0 {
				return fmt.Sprintf("%q is not closed", c), pgnBad
			}
			if text := r.skip(end + 1); c == '[' {
				return strings.TrimSpace(text[1:end]), pgnTag
			}
		case c == ';', c == '%':
			end := strings.IndexByte(r.rest, '\n')
			if end < 0 {
				end = len(r.rest)
			}
			r.skip(end)
		case c == '(':
			depth++
			r.skip(1)
		case c == ')':
			if depth == 0 {
				return "a variation ends that did not begin", pgnBad
			}
			depth--
			r.skip(1)
		case strings.IndexByte(" \t\r\n.", c) >= 0:
			r.skip(1)
		default:
			end := strings.IndexAny(r.rest, " \t\r\n.{}();[")
			if end < 0 {
				end = len(r.rest)
			}
			if end == 0 {
				return fmt.Sprintf("stray %q", c), pgnBad
			}
			word := r.skip(end)
			if kind := wordKind(word); depth == 0 && kind != pgnEnd {
				return word, kind
			}
		}
	}
	if depth > 0 {
		return "a variation is not closed", pgnBad
	}
	return "", pgnEnd
}

// tagEnd is the index of the bracket that closes the tag at the start of s, -1 where there is none. A bracket inside the
// quoted value does not.
func tagEnd(s string) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ']' && !quoted:
			return i
		}
	}
	return -1
}

// wordKind tells moves and results; pgnEnd is a word without meaning here: a number, an annotation.
func wordKind(word string) pgnKind {
	switch {
	case word == "1-0" || word == "0-1" || word == "1/2-1/2" || word == "*":
		return pgnResult
	case word[0] == '$' || strings.Trim(word, "0123456789") == "" || strings.Trim(word, "!?") == "":
		return pgnEnd
	}
	return pgnMove
}
