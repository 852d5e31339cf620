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

// Skipped is a game without a result, or one that cannot be read.
type Skipped struct {
	Game, Line   int // from 1; Line is that of its first tag
	White, Black string
	Why          string
}

// ReadSummaries reads the games of a PGN text without playing their moves. A game that has no result, is cut off or
// cannot be read is skipped.
func ReadSummaries(data string) (games []Summary, skipped []Skipped) {
	readTexts(data, func(t *text) {
		s, err := t.summary()
		if err != nil {
			skipped = append(skipped, Skipped{t.number, t.line, t.tags["White"], t.tags["Black"], err.Error()})
			return
		}
		games = append(games, *s)
	})
	return games, skipped
}

// summary returns what a finished game says of itself.
func (t *text) summary() (*Summary, error) {
	s := &Summary{Line: t.line, Tags: t.tags, Result: t.result, Plies: len(t.words)}
	opened := true // all moves so far are book moves
	for _, w := range t.words {
		if !looksLikeMove(w.text) {
			return nil, fmt.Errorf("line %d: %.40q is not a move", w.line, w.text)
		}
		if opened = opened && w.book; opened {
			s.Book = append(s.Book, strings.TrimRight(w.text, "+#!?"))
		}
	}
	if t.problem != "" {
		return nil, fmt.Errorf("line %d: %s", t.problemLine, t.problem)
	}
	tag, tagged := t.tags["Result"]
	tag = resultOf(tag)
	switch {
	case t.result == "":
		return nil, errors.New("no result")
	case t.result == "*" || tag == "*":
		return nil, errors.New("unfinished")
	case tagged && tag != t.result:
		return nil, fmt.Errorf("it ends with %s, its Result tag is %.40q", t.result, tag)
	}
	for _, name := range []string{"White", "Black"} {
		if t.tags[name] == "" {
			return nil, fmt.Errorf("no %s tag", name)
		}
	}
	return s, nil
}

// looksLikeMove tells moves in SAN or in UCI form from other words, without a board.
func looksLikeMove(word string) bool {
	if isNull(word) {
		return true
	}
	word = plain(word)
	if isCastling(word) != "" {
		return true
	}
	if len(word) < 2 || strings.Trim(word, "abcdefgh12345678KQRBNPx=/-qrn:@") != "" {
		return false
	}
	return strings.ContainsAny(word, "12345678") && strings.ContainsAny(word, "abcdefgh")
}
