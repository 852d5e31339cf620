package pgn

import (
	"fmt"
	"strings"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	endToken tokenKind = iota
	tagToken
	moveToken
	resultToken
	openToken // a comment, tag or variation that does not end; the token is the complaint
	badToken  // the token is the complaint
)

// scanner splits the text of a PGN file into tokens. It passes over comments, variations, numbers and annotations.
type scanner struct {
	rest string // what is not read yet
	line int    // of the file, from 1
}

func newScanner(text string) scanner {
	return scanner{rest: strings.TrimPrefix(text, "\ufeff"), line: 1}
}

// skip drops n bytes and counts their lines.
func (s *scanner) skip(n int) string {
	text := s.rest[:n]
	s.line += strings.Count(text, "\n")
	s.rest = s.rest[n:]
	return text
}

// next is the next token.
func (s *scanner) next() (string, tokenKind) {
	depth := 0 // of variations
	for s.rest != "" {
		switch c := s.rest[0]; {
		case c == '{' || c == '[' && depth == 0:
			end := strings.IndexByte(s.rest, '}')
			if c == '[' {
				end = tagEnd(s.rest)
			}
			if end < 0 {
				return fmt.Sprintf("%q is not closed", c), openToken
			}
			if text := s.skip(end + 1); c == '[' {
				return strings.TrimSpace(text[1:end]), tagToken
			}
		case c == ';', c == '%':
			end := strings.IndexByte(s.rest, '\n')
			if end < 0 {
				end = len(s.rest)
			}
			s.skip(end)
		case c == '(':
			depth++
			s.skip(1)
		case c == ')':
			if depth == 0 {
				return "a variation ends that did not begin", badToken
			}
			depth--
			s.skip(1)
		case strings.IndexByte(" \t\r\n.", c) >= 0:
			s.skip(1)
		default:
			end := strings.IndexAny(s.rest, " \t\r\n.{}();[")
			if end < 0 {
				end = len(s.rest)
			}
			if end == 0 {
				return fmt.Sprintf("stray %q", c), badToken
			}
			word := s.skip(end)
			if kind := wordKind(word); depth == 0 && kind != endToken {
				return word, kind
			}
		}
	}
	if depth > 0 {
		return "a variation is not closed", openToken
	}
	return "", endToken
}

// tagEnd is the index of the bracket that closes the tag at the start of s, -1 where there is none. A bracket inside
// the quoted value does not.
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

// wordKind tells moves from results. It is endToken for a word that is neither: a number or an annotation.
func wordKind(word string) tokenKind {
	switch {
	case word == "1-0" || word == "0-1" || word == "1/2-1/2" || word == "*":
		return resultToken
	case word[0] == '$' || strings.Trim(word, "0123456789") == "" || strings.Trim(word, "!?") == "":
		return endToken
	}
	return moveToken
}
