package pgn

import "slices"

// text is one game of a file as it is written. Its moves are not played.
type text struct {
	number, line int // from 1; line is that of the first tag or move
	tags         map[string]string
	words        []word
	result       string // 1-0, 0-1, 1/2-1/2 or *; empty: the game has none
	problem      string // what stands after the words and cannot be read; empty: nothing
	problemLine  int
}

// word is a word that stands in the place of a move.
type word struct {
	text string
	line int
	book bool // the comment after it begins with "book"
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
	visit func(*text)
	game  *text // the game in progress, or nil
	moved bool  // its moves have begun
	games int
	last  string // the result, where it was the last token
}

// readTexts calls visit with each game of a PGN text. What cannot be read belongs to the game around it: the next game
// begins after the next result, or with the next tag.
func readTexts(data string, visit func(*text)) {
	r := textReader{scanner: newScanner(data), visit: visit}
	for {
		token, kind := r.next()
		last := r.last
		r.last = ""
		switch kind {
		case endToken:
			r.finish()
			return
		case tagToken:
			r.tag(token)
		case badTagToken:
			r.begin().complain(r.began, token)
		case badToken:
			r.begin().complain(r.began, token)
			r.moved = true
		case moveToken:
			r.move(token)
		case resultToken:
			if r.last = token; r.game == nil && token == last {
				continue // the second half of "1/2 - 1/2"
			}
			r.begin().result = token
			r.finish()
		}
	}
}

// begin returns the game in progress.
func (r *textReader) begin() *text {
	if r.game == nil {
		r.games++
		r.game, r.moved = &text{number: r.games, line: r.line, tags: map[string]string{}}, false
	}
	return r.game
}

func (r *textReader) finish() {
	if r.game != nil {
		r.visit(r.game)
	}
	r.game = nil
}

func (r *textReader) tag(token string) {
	name, value := splitTag(token)
	if r.game != nil {
		if _, second := r.game.tags[name]; r.moved || second && name == "Event" { // the game before had no result
			r.finish()
		}
	}
	r.begin().tags[name] = value
}

func (r *textReader) move(token string) {
	g := r.begin()
	r.moved = true
	if g.problem == "" {
		g.words = append(g.words, word{token, r.line, r.bookFollows()})
	}
}

// resultOf returns the result that a Result tag names, or the value of the tag.
func resultOf(value string) string {
	value = dashes.Replace(value)
	if i := slices.IndexFunc(results, func(r result) bool { return r.text == value }); i >= 0 {
		return results[i].means
	}
	return value
}
