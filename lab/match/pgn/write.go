package pgn

import (
	"fmt"
	"strings"
)

// Game is a finished game to be written.
type Game struct {
	Tags []Tag // in the order in which they are written
	Line
	Comments []string // of each move
	Ending   string   // how the game ended, in words: it stands in the comment on the last move, behind a comma
	Result   string   // 1-0, 0-1 or 1/2-1/2
}

// Text is the game as a PGN file has it, with an empty line at its end. Its lines have at most 80 characters, but for
// tags and for words that are longer.
func (g *Game) Text() string {
	var b strings.Builder
	writeTags(&b, g.Tags)
	w := wrapper{to: &b}
	p := g.Start
	for i, m := range g.Moves {
		switch {
		case !p.Black:
			w.word(fmt.Sprintf("%d.", p.Fullmove))
		case i == 0:
			w.word(fmt.Sprintf("%d...", p.Fullmove))
		}
		w.word(SAN(&p, m))
		p = p.After(m)
		comment := g.Comments[i]
		if i == len(g.Moves)-1 { // many readers refuse two comments behind one move
			comment = strings.TrimPrefix(comment+", "+g.Ending, ", ")
			comment = strings.TrimSuffix(comment, ", ")
		}
		w.comment(comment)
	}
	if len(g.Moves) == 0 {
		w.comment(g.Ending)
	}
	w.word(g.Result)
	b.WriteString("\n\n")
	return b.String()
}

// writeTags writes the tags and the empty line after them.
func writeTags(b *strings.Builder, tags []Tag) {
	value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ")
	for _, t := range tags {
		fmt.Fprintf(b, "[%s \"%s\"]\n", t.Name, value.Replace(t.Value))
	}
	b.WriteByte('\n')
}

// wrapper writes words in lines of at most 80 characters.
type wrapper struct {
	to     *strings.Builder
	column int
}

// word writes words. None that some reader takes for an escape or a tag begins a line, and a command such as
// [%eval 0.35,12] is one word.
func (w *wrapper) word(s string) {
	words := strings.Fields(s)
	for i, s := range words {
		if k := strings.LastIndex(s, "[%"); k >= 0 && !strings.Contains(s[k:], "]") && i+1 < len(words) {
			words[i+1] = s + " " + words[i+1]
			continue
		}
		switch {
		case w.column == 0:
		case w.column+1+len(s) > 80 && s[0] != '%' && s[0] != '[':
			w.to.WriteByte('\n')
			w.column = 0
		default:
			w.to.WriteByte(' ')
			w.column++
		}
		w.to.WriteString(s)
		w.column += len(s)
	}
}

// close ends a variation behind the last word. The text stands between them.
func (w *wrapper) close(text string) {
	w.to.WriteString(text + ")")
	w.column += len(text) + 1
}

// line writes a text in a line of its own.
func (w *wrapper) line(s string) {
	if w.column > 0 {
		w.to.WriteByte('\n')
	}
	w.to.WriteString(s + "\n")
	w.column = 0
}

// comment writes a text in braces, and nothing for an empty one.
func (w *wrapper) comment(text string) {
	if text != "" {
		w.word(braced(text))
	}
}

// braced is a text in braces, which it cannot hold itself.
func braced(text string) string {
	return "{" + strings.NewReplacer("{", "(", "}", ")").Replace(text) + "}"
}
