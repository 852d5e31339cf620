package pgn

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	endToken tokenKind = iota
	tagToken
	moveToken
	resultToken
	openTagToken // a tag without the bracket that ends it
	badTagToken  // the token is the complaint about a tag
	badToken     // the token is the complaint about the moves
	commentToken // a comment in either form, without its marks, or a command in brackets outside a comment
	escapeToken  // a line that begins with %, without that sign
	nagToken     // a NAG such as $14, or a mark such as +/-, as it is written
	openToken    // a variation begins
	closeToken   // a variation ends
)

// separators end a word. The dots are those of move numbers.
const separators = blanks + ".…{}();["

// blanks are the separators that mean nothing.
const blanks = " \x00\t\r\n\v\f\u00a0\u2002\u2003\u2009\u200b\u202f\u3000"

// mostTag is the bytes of the longest tag that is looked for beyond the end of its line.
const mostTag = 1 << 16

// byteOrderMark may stand before the text, and within it where files were joined.
const byteOrderMark = "\ufeff"

// scanner splits the text of a PGN file into tokens. It passes over the numbers of moves.
type scanner struct {
	text   string
	at     int    // what is before it was read
	line   int    // of the file, from 1
	first  int    // where the line begins
	start  int    // where the last token began
	began  int    // line in which the last token began
	result string // was glued to the end of the word before; empty: none
	open   bool   // no comment that begins from here on is closed
}

// rest is what is not read yet.
func (s *scanner) rest() string { return s.text[s.at:] }

// skip drops n bytes and counts their lines.
func (s *scanner) skip(n int) string {
	text := s.rest()[:n]
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		s.line += strings.Count(text, "\n")
		s.first = s.at + end + 1
	}
	s.at += n
	return text
}

// begins reports whether the next byte is the first of a line.
func (s *scanner) begins() bool {
	before := strings.TrimSuffix(s.text[:s.at], byteOrderMark)
	return before == "" || before[len(before)-1] == '\n'
}

func (s *scanner) next() (string, tokenKind) {
	if result := s.result; result != "" {
		s.result = ""
		return result, resultToken
	}
	for s.at < len(s.text) {
		s.start, s.began = s.at, s.line
		switch c := s.text[s.at]; {
		case c == '{':
			return s.comment()
		case c == ';':
			return s.skip(lineEnd(s.rest()))[1:], commentToken
		case c == '%' && s.begins():
			return s.skip(lineEnd(s.rest()))[1:], escapeToken
		case c == '[':
			return s.bracket()
		case c == '(':
			return s.skip(1), openToken
		case c == ')':
			return s.skip(1), closeToken
		case c == '}':
			s.skip(1)
			return "a comment ends that did not begin", badToken
		default:
			if word, kind := s.word(); kind != endToken {
				return word, kind
			}
		}
	}
	return "", endToken
}

// comment reads a comment in braces. It is bad where the comment does not end, or takes up the first tag of another game:
// a program was killed in the middle of a game, and another appended to its file. Only what comes before that tag, or
// before the end of the line, is then skipped.
func (s *scanner) comment() (string, tokenKind) {
	const unclosed = "a comment is not closed"
	rest := s.rest()
	if s.open {
		s.skip(lineEnd(rest))
		return unclosed, badToken
	}
	end := strings.IndexByte(rest, '}')
	text := rest
	if end >= 0 {
		text = rest[:end]
	}
	if event := strings.Index(text, "\n[Event \""); event >= 0 {
		s.skip(event + 1)
		return unclosed, badToken
	}
	if end < 0 {
		s.open = true
		s.skip(lineEnd(rest))
		return unclosed, badToken
	}
	return s.skip(end + 1)[1:end], commentToken
}

// tagForm is a tag as it should be, in one line or several. Its name may have all characters that programs write there.
var tagForm = regexp.MustCompile(`^\[\s*([^\s"\[\]%]+\s*"(?:[^"\\\n]|\\.)*")\s*(\]|\r?(?:\n|$))`)

// bracket reads a tag. A command in brackets, such as [%clk 0:01:00], that stands outside a comment is taken for one.
func (s *scanner) bracket() (string, tokenKind) {
	rest := s.rest()
	found := tagForm.FindStringSubmatchIndex(rest[:min(len(rest), mostTag)])
	if found != nil && strings.HasPrefix(rest[found[4]:], "]") {
		s.skip(found[1])
		return rest[found[2]:found[3]], tagToken
	}
	end := tagEnd(rest[:lineEnd(rest)])
	switch {
	case end < 0 && found != nil && found[1] < len(rest):
		s.skip(found[3])
		return rest[found[2]:found[3]], openTagToken
	case end < 0:
		s.skip(lineEnd(rest))
		return "a tag is not closed", badTagToken
	}
	tag := isTag(rest)
	text := strings.TrimSpace(s.skip(end + 1)[1:end])
	if !tag {
		return "[" + text + "]", commentToken
	}
	return text, tagToken
}

// word reads a word. It is endToken where there was nothing but a separator, a number, or a mark that belongs to the move
// before. A result that is glued to a move becomes the next token.
func (s *scanner) word() (string, tokenKind) {
	rest := s.rest()
	end := strings.IndexAny(rest, separators)
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		s.skip(len(rest) - len(strings.TrimLeft(rest, blanks+".…")))
		return "", endToken
	}
	if length, means := resultAt(rest); length > 0 {
		s.skip(length)
		return means, resultToken
	}
	word := s.skip(end)
	rest = s.rest()
	// The marks of an en passant capture and of a pawn promotion have a separator within them.
	if strings.HasPrefix(rest, ".p") && (word == "e" || strings.HasSuffix(word, "3e") || strings.HasSuffix(word, "6e")) {
		s.skip(len(".p"))
		word = word[:len(word)-1]
	} else if piece := inBrackets.FindStringSubmatch(rest[:min(len(rest), 16)]); piece != nil {
		s.skip(len(piece[0]))
		word += "=" + figures.Replace(piece[1])
	}
	word = strings.TrimPrefix(dashes.Replace(word), byteOrderMark)
	if isNull(word) {
		return word, moveToken
	}
	if mark := strings.TrimRight(word, "!?"); mark != "" && slices.Contains(marksOfMoves, mark) {
		word = word[len(mark):]
	}
	if isNoise(word) {
		if strings.Trim(word, "0123456789+#") == "" || slices.Contains(marksOfMoves, word) {
			return "", endToken
		}
		return word, nagToken
	}
	for _, r := range results {
		if move, ok := strings.CutSuffix(word, r.text); ok && isNoise(move) {
			return r.means, resultToken
		} else if ok && strings.ContainsAny(move, "abcdefghoO0") {
			s.result = r.means
			return move, moveToken
		}
	}
	return word, moveToken
}

// inBrackets is the piece that a pawn becomes, where it stands in brackets.
var inBrackets = regexp.MustCompile(`^\(([NBRQ]|[♕♖♗♘♛♜♝♞][\x{fe0e}\x{fe0f}]?)\)`)

// dashes makes hyphens of the other dashes, which programs for texts put in their place, and digits of the sign ½.
var dashes = strings.NewReplacer("–", "-", "—", "-", "−", "-", "‑", "-", "½", "1/2")

// marksOfMoves are words that say again what a move does, a hyphen, and the sign that mail puts before lines.
var marksOfMoves = []string{"ep", "e", "ch", "mate", "-", ">"}

// isNoise tells words that are neither moves nor results: numbers, NAGs such as $14 and evaluations such as +/-, with
// letters for "novelty", "diagram", "en passant", "check" and "mate".
func isNoise(word string) bool {
	switch {
	case word == "", word == "N", word == "D", slices.Contains(marksOfMoves, word):
		return true
	case isNull(word), word == "*":
		return false
	}
	if word[0] == '$' || strings.Trim(word, "0123456789") == "" {
		return true
	}
	return !strings.ContainsFunc(word, func(c rune) bool { return c == '*' || c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c)) })
}

// lineEnd is the index of the end of the line, or the length of the text.
func lineEnd(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// isTag reports whether a text that begins with a bracket goes on as a tag does, with a name.
func isTag(text string) bool {
	name := strings.TrimLeft(text[1:], " \t")
	return name != "" && (name[0] >= 'A' && name[0] <= 'Z' || name[0] >= 'a' && name[0] <= 'z')
}

// tagEnd is the index of the bracket that closes the tag at the start of a line, -1 where there is none. A bracket
// inside the quoted value does not close it, unless quotation marks inside the value make the end of it unclear.
func tagEnd(line string) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			return i
		}
	}
	return strings.LastIndexByte(line, ']')
}

func splitTag(text string) (name, value string) {
	end := strings.IndexFunc(text, func(c rune) bool { return c == '"' || unicode.IsSpace(c) })
	if end < 0 {
		end = len(text)
	}
	name, value = text[:end], strings.TrimSpace(text[end:])
	value = strings.TrimSuffix(strings.TrimPrefix(value, `"`), `"`)
	return name, strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value)
}
