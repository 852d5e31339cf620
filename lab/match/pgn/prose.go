package pgn

import (
	"regexp"
	"strings"
	"unicode"
)

// beforeMove is what may stand before the first move of a line: its number, and the signs that mail puts before lines.
var beforeMove = regexp.MustCompile(`^[>\s\d.…]*`)

// passOver passes over the lines that are no part of a game: a letter or a page around it. Such a line stands before the
// moves of a game, or begins a paragraph behind its moves, and its first word is nothing that moves have.
func (r *textReader) passOver() {
	for r.scanner.result == "" {
		rest := strings.TrimLeft(r.rest(), blanks+byteOrderMark)
		skipped := r.skip(len(r.rest()) - len(rest))
		switch {
		case strings.Trim(r.text[r.first:r.at], blanks+byteOrderMark) != "": // it is not the first word of its line
			return
		case r.depth > 0, r.moved && r.game != nil && r.prose != r.line && strings.Count(skipped, "\n") < 2:
			return
		case !isProseLine(rest[:lineEnd(rest)], r.game != nil):
			return
		}
		r.skipProse()
	}
}

// skipProse passes over text up to the end of the line, or up to a tag in it.
func (r *textReader) skipProse() {
	rest := r.rest()
	line := rest[:lineEnd(rest)]
	end := len(line)
	for i := range line {
		if line[i] == '[' && tagForm.MatchString(line[i:]) {
			end = i
			break
		}
	}
	if r.prose != r.line { // the first line of several
		r.note(r.line, "text that is no part of a game is passed over: %.40q", strings.Trim(r.text[r.first:r.at+end], blanks))
	}
	r.skip(end)
	r.prose = r.line + 1
	if end < len(line) {
		r.prose = 0
	}
}

// isProseLine reports whether a line is text rather than a part of a game. begun says that a game has begun.
func isProseLine(line string, begun bool) bool {
	if line == "" || strings.ContainsRune("[{;%", rune(line[0])) || begun && strings.ContainsRune("()}", rune(line[0])) {
		return false
	}
	line = strings.TrimSpace(line)
	if length, _ := resultAt(line); length > 0 {
		return false
	}
	line = line[len(beforeMove.FindString(line)):]
	if line == "" || strings.ContainsRune("[{;", rune(line[0])) {
		return false
	}
	word := line
	if end := strings.IndexAny(line, separators); end >= 0 {
		word = line[:end]
	}
	switch {
	case begun:
		return isProse(word) || isOrnament(word)
	case word == "":
		return true
	case isNull(word), looksLikeMove(word), word[0] == '$':
		return false
	}
	_, known := glyphs[word]
	for _, r := range results {
		move, ok := strings.CutSuffix(dashes.Replace(word), r.text)
		known = known || ok && (move == "" || looksLikeMove(move))
	}
	return !known
}

// isOrnament tells the lines of signs that people put between games.
func isOrnament(word string) bool {
	_, known := glyphs[word]
	return len(word) > 2 && !known && !isNull(word) && strings.Trim(word, "*-=_~+#") == ""
}

// isProse reports whether a word has letters and cannot be a move, with a result behind it or not.
func isProse(word string) bool {
	for _, r := range results {
		if move, ok := strings.CutSuffix(dashes.Replace(word), r.text); ok && looksLikeMove(move) {
			return false
		}
	}
	return strings.ContainsFunc(word, unicode.IsLetter) && !strings.ContainsFunc(word, unicode.IsDigit) && !isNoise(word) && !isNull(word) &&
		!looksLikeMove(word)
}
