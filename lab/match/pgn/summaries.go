package pgn

import (
	"errors"
	"fmt"
	"strings"
)

// Summary is what a finished game says of itself, without its moves.
type Summary struct {
	Line   int // of its first tag
	Tags   map[string]string
	Result string   // 1-0, 0-1 or 1/2-1/2
	Plies  int      // moves of both sides
	Book   []string // the first moves, in SAN, that have the comment "book"
}

// Skipped is a game without a result.
type Skipped struct {
	Line         int // of its first tag
	White, Black string
	Why          string
}

// ReadSummaries reads the games of a PGN text without playing their moves. A game that has no result or is cut off is
// skipped. What is not PGN is an error, which names the line.
func ReadSummaries(text string) ([]Summary, []Skipped, error) {
	r := summaryReader{scanner: newScanner(text)}
	for {
		before, line := r.rest, r.line
		token, kind := r.next()
		if r.resume(before, line, kind) {
			continue
		}
		var err error
		switch kind {
		case endToken:
			r.skipGame("has no result")
			return r.games, r.skipped, nil
		case openToken:
			r.begin()
			r.skipGame("is cut off")
			return r.games, r.skipped, nil
		case tagToken:
			err = r.tag(token)
		case moveToken:
			err = r.move(token)
		case resultToken:
			err = r.result(token)
		case badToken:
			err = errors.New(token)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
}

// summaryReader collects the games of a PGN text.
type summaryReader struct {
	scanner
	games   []Summary
	skipped []Skipped

	game   Summary // the game in progress
	within bool    // there is one
	opened bool    // all of its moves so far are book moves
}

func (r *summaryReader) begin() {
	if !r.within {
		r.game, r.within, r.opened = Summary{Line: r.line, Tags: map[string]string{}}, true, true
	}
}

// skipGame drops the game in progress, if there is one.
func (r *summaryReader) skipGame(why string) {
	if r.within {
		r.skipped = append(r.skipped, Skipped{r.game.Line, r.game.Tags["White"], r.game.Tags["Black"], why})
	}
	r.within = false
}

// resume goes back to the next game where the game in progress was cut off inside a comment, which then took up tags of
// the next one. That happens when a program is killed and another appends to its file. before and line are those from
// before the token.
func (r *summaryReader) resume(before string, line int, kind tokenKind) bool {
	taken := before[:len(before)-len(r.rest)]
	if kind == openToken || kind == badToken {
		taken = before
	}
	i := strings.Index(taken, "\n[Event \"") + 1
	if i == 0 || !r.within || strings.TrimSpace(taken[:i]) == "" {
		return false
	}
	r.skipGame("is cut off")
	r.rest, r.line = before[i:], line+strings.Count(before[:i], "\n")
	return true
}

func (r *summaryReader) tag(text string) error {
	if r.within && (r.game.Plies > 0 || r.game.Tags["Event"] != "" && strings.HasPrefix(text, "Event ")) {
		r.skipGame("has no result")
	}
	r.begin()
	name, value, ok := strings.Cut(text, " ")
	value = strings.TrimSpace(value)
	if !ok || len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return fmt.Errorf("[%.40s] is not a tag", text)
	}
	r.game.Tags[name] = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value[1 : len(value)-1])
	return nil
}

func (r *summaryReader) move(text string) error {
	if !looksLikeMove(text) {
		return fmt.Errorf("%.40q is not a move", text)
	}
	r.begin()
	r.game.Plies++
	r.opened = r.opened && strings.HasPrefix(strings.TrimLeft(r.rest, " \t\r\n"), "{book")
	if r.opened {
		r.game.Book = append(r.game.Book, strings.TrimRight(text, "+#!?"))
	}
	return nil
}

// result ends the game in progress.
func (r *summaryReader) result(text string) error {
	if !r.within {
		return fmt.Errorf("%s without a game", text)
	}
	for _, name := range []string{"White", "Black"} {
		if r.game.Tags[name] == "" {
			return fmt.Errorf("the game has no %s tag", name)
		}
	}
	tag, tagged := r.game.Tags["Result"]
	switch {
	case text == "*" || tag == "*":
		r.skipGame("is unfinished")
		return nil
	case tagged && tag != text:
		return fmt.Errorf("the game ends with %s, its Result tag is %q", text, tag)
	}
	r.game.Result = text
	r.games = append(r.games, r.game)
	r.within = false
	return nil
}

// looksLikeMove tells moves in SAN or in UCI form from other words, without a board.
func looksLikeMove(word string) bool {
	word = strings.TrimRight(word, "+#!?")
	if word == "O-O" || word == "O-O-O" || word == "0-0" || word == "0-0-0" || word == "--" {
		return true
	}
	if len(word) < 2 || strings.Trim(word, "abcdefgh12345678KQRBNPx=-qrn:@") != "" {
		return false
	}
	return strings.ContainsAny(word, "12345678") && strings.ContainsAny(word, "abcdefgh")
}
