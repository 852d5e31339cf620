package pgn

import (
	"fmt"
	"strings"

	"tesla/board"
)

// Tag is a name in brackets and its value.
type Tag struct{ Name, Value string }

// Game is a finished game to be written.
type Game struct {
	Tags []Tag // in the order in which they are written
	Line
	Comments []string // of each move
	Ending   string   // how the game ended, in words: the comment behind the last move
	Result   string   // 1-0, 0-1 or 1/2-1/2
}

// Text is the game as a PGN file has it, with an empty line at its end. Its lines have at most 80 characters, but for
// tags and for words that are longer.
func (g *Game) Text() string {
	var b strings.Builder
	value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ")
	for _, t := range g.Tags {
		fmt.Fprintf(&b, "[%s \"%s\"]\n", t.Name, value.Replace(t.Value))
	}
	b.WriteByte('\n')
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
		w.comment(g.Comments[i])
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	w.comment(g.Ending)
	w.word(g.Result)
	b.WriteString("\n\n")
	return b.String()
}

// wrapper writes words in lines of at most 80 characters.
type wrapper struct {
	to     *strings.Builder
	column int
}

func (w *wrapper) word(s string) {
	for _, s := range strings.Fields(s) {
		switch {
		case w.column == 0:
		case w.column+1+len(s) > 80:
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

// comment writes a text in braces, which it cannot hold itself.
func (w *wrapper) comment(text string) {
	if text == "" {
		return
	}
	w.word("{" + strings.NewReplacer("{", "(", "}", ")").Replace(text) + "}")
}
