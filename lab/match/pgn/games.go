package pgn

import (
	"fmt"
	"strings"
)

// text is one game of a file as it is written. Its moves are not played.
type text struct {
	number, line int // from 1; line is that of the first tag or move
	start, end   int // bytes of the text
	source       string
	tags         map[string]string
	order        []Tag     // as they are written
	words        []element // those in the place of a move of the game itself
	elements     []element // all that stands in the moves, and the words too
	result       string    // 1-0, 0-1, 1/2-1/2 or *; empty: the game has none
	problem      string    // what stands after the words and cannot be read; empty: nothing
	problemLine  int
	notes        []string // of what was passed over or repaired, with lines
}

// element is a token that stands in the moves of a game.
type element struct {
	text string
	kind tokenKind // moveToken, commentToken, escapeToken, nagToken, openToken or closeToken
	line int
	book bool // of a word: the comment after it begins with "book"
}

// complain notes a problem behind the words, unless there is an earlier one.
func (t *text) complain(line int, problem string) {
	if t.problem == "" {
		t.problem, t.problemLine = problem, line
	}
}

// textReader splits a PGN text into games.
type textReader struct {
	scanner
	visit  func(*text)
	game   *text     // the game in progress, or nil
	whole  *text     // the game before, which waits for comments behind its result
	loose  []element // comments before the first game
	moved  bool      // the moves of the game in progress have begun
	depth  int       // of variations
	opened int       // line in which the outermost of them began
	games  int
	last   string   // the result, where it was the last token
	notes  []string // for the next game
	prose  int      // the line behind the last one that was passed over as text; 0: none
}

// readTexts calls visit with each game of a PGN text. What cannot be read belongs to the game around it: the next game
// begins after the next result, or with the next tag. Lines around games that are no part of any are passed over, with a
// note for the game that follows or that is in progress.
func readTexts(data string, visit func(*text)) {
	decoded, note := Decode(data)
	r := textReader{scanner: scanner{text: decoded, line: 1}, visit: visit}
	if note != "" {
		r.notes = []string{note}
	}
	for {
		r.passOver()
		token, kind := r.next()
		last := r.last
		r.last = ""
		if r.depth > 0 && (kind == endToken || kind == tagToken || kind == openTagToken || kind == badTagToken) {
			r.complain(r.opened, "a variation is not closed")
		}
		switch kind {
		case endToken:
			r.finish()
			r.hand()
			return
		case tagToken, openTagToken:
			r.tag(token)
			if kind == openTagToken {
				r.note(r.began, "a tag is not closed")
			}
		case badTagToken:
			r.begin().complain(r.began, token)
		case badToken:
			if r.game == nil {
				r.skipProse()
			} else {
				r.complain(r.began, token)
			}
		case moveToken:
			r.move(token)
		case resultToken:
			if r.last = token; r.game == nil && token == last {
				continue // the second half of "1/2 - 1/2"
			}
			r.end(token)
		case openToken, closeToken:
			if r.game == nil {
				r.skipProse()
			} else {
				r.variation(token, kind)
			}
		case commentToken, escapeToken, nagToken:
			r.remark(element{text: token, kind: kind, line: r.began})
			r.last = last
		}
	}
}

// begin returns the game in progress.
func (r *textReader) begin() *text {
	if r.game == nil {
		r.games++
		r.game, r.moved = &text{number: r.games, line: r.line, start: r.start, tags: map[string]string{}, elements: r.loose, notes: r.notes}, false
		r.loose, r.notes = nil, nil
		if r.games == 1 {
			r.game.start = 0
		}
		r.hand()
	}
	return r.game
}

// finish ends the game in progress.
func (r *textReader) finish() {
	if r.game != nil {
		r.whole, r.game = r.game, nil
	}
}

// hand passes the game before on. Its text reaches up to the game in progress, or to the end.
func (r *textReader) hand() {
	if r.whole == nil {
		return
	}
	if r.game != nil {
		r.whole.end = r.game.start
	} else { // at the end of the text
		r.whole.end, r.whole.notes = len(r.text), append(r.whole.notes, r.notes...)
	}
	r.whole.nameTags()
	r.whole.source = r.text[r.whole.start:r.whole.end]
	r.visit(r.whole)
	r.whole = nil
}

// note notes what was passed over or repaired, for the game in progress or the one that follows.
func (r *textReader) note(line int, format string, a ...any) {
	to := &r.notes
	if r.game != nil {
		to = &r.game.notes
	}
	*to = append(*to, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, a...))
}

// complain notes a problem among the moves. It ends all variations.
func (r *textReader) complain(line int, problem string) {
	r.begin().complain(line, problem)
	r.moved, r.depth = true, 0
}

// end ends the game in progress with its result. A result in a variation becomes a comment.
func (r *textReader) end(token string) {
	if r.depth > 0 {
		r.remark(element{text: token, kind: commentToken, line: r.began})
		return
	}
	r.begin().result = token
	r.finish()
}

func (r *textReader) variation(token string, kind tokenKind) {
	switch {
	case kind == openToken && r.depth == 0:
		r.opened = r.began
		fallthrough
	case kind == openToken:
		r.depth++
	case r.depth == 0:
		r.complain(r.began, "a variation ends that did not begin")
		return
	default:
		r.depth--
	}
	g := r.begin()
	r.moved = true
	g.elements = append(g.elements, element{text: token, kind: kind, line: r.began})
}

// remark adds what is no move. Between two games it belongs to the one before.
func (r *textReader) remark(e element) {
	switch {
	case r.game != nil:
		r.game.elements = append(r.game.elements, e)
	case r.whole != nil:
		r.whole.elements = append(r.whole.elements, e)
	default:
		r.loose = append(r.loose, e)
	}
}

func (r *textReader) tag(token string) {
	name, value := splitTag(token)
	if r.game != nil {
		if _, second := r.game.tags[name]; r.moved || second && name == "Event" { // the game before had no result
			r.finish()
		}
	}
	g := r.begin()
	g.tags[name] = value
	g.order = append(g.order, Tag{name, value})
}

func (r *textReader) move(token string) {
	if g := r.game; r.depth == 0 && isProse(token) && (g == nil || len(g.tags) == 0 && len(g.words) <= 1) {
		if g != nil { // it began with the number or the move that the text has before this word
			r.games--
			r.notes, r.game, r.moved = g.notes, nil, false
		}
		r.skipProse()
		return
	}
	g := r.begin()
	r.moved = true
	if g.problem != "" {
		return
	}
	e := element{token, moveToken, r.began, strings.HasPrefix(strings.TrimLeft(r.rest(), " \t\r\n"), "{book")}
	g.elements = append(g.elements, e)
	if r.depth == 0 {
		g.words = append(g.words, e)
	}
}
