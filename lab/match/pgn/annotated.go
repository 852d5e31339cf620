package pgn

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tesla/board"
)

// Kind says what an Element is.
type Kind uint8

// The kinds of elements.
const (
	Played  Kind = iota // a move of the game or of a variation
	Comment             // on the move before it
	Glyph               // a numeric annotation glyph (NAG)
	Open                // a variation begins, in place of the move before
	Close               // a variation ends
	Escape              // a line that begins with %, for the program that wrote it
)

// Element is one thing that stands among the moves.
type Element struct {
	Kind   Kind
	Text   string         // of a comment or an escape
	Glyph  int            // $1 is 1
	Move   board.Move     // NullMove in a variation: a null move
	Before board.Position // the move is made here
}

// Annotated is a game with all that stands among its moves. Nothing of the file is lost: Source is its text.
type Annotated struct {
	Number, At int   // from 1; At is the line of its first tag or move
	Tags       []Tag // in the order of the file
	Line             // the moves of the game itself
	Elements   []Element
	Result     string   // 1-0, 0-1, 1/2-1/2 or *
	Source     string   // the game as the file has it
	Repairs    []string // of its FEN tag
	Err        error    // why it cannot be read, with line and move; the fields above hold what was read until then
}

// Tag is the value of a tag, empty where there is none.
func (a *Annotated) Tag(name string) string {
	for _, t := range a.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// SetTag sets the value of a tag.
func (a *Annotated) SetTag(name, value string) {
	for i := range a.Tags {
		if a.Tags[i].Name == name {
			a.Tags[i].Value = value
			return
		}
	}
	a.Tags = append(a.Tags, Tag{name, value})
}

// Name says in words which game of the file it is.
func (a *Annotated) Name() string {
	return fmt.Sprintf("game %d (%s - %s)", a.Number, a.player("White"), a.player("Black"))
}

func (a *Annotated) player(color string) string {
	if name := a.Tag(color); name != "" {
		return name
	}
	return "?"
}

// ReadAnnotated reads the games of a PGN text with their variations, comments and glyphs, and checks that all moves are
// legal. Marks such as !? and +- become glyphs, and both forms of comments one. Text that is not UTF-8 is read as ISO
// 8859-1, the encoding of the standard.
func ReadAnnotated(data string) (games []*Annotated) {
	readTexts(data, func(t *text) {
		if len(t.tags) == 0 && len(t.elements) == 0 && t.problem == "" { // a result alone
			return
		}
		a := &Annotated{Number: t.number, At: t.line, Tags: t.order, Source: data[t.start:t.end], Result: t.result}
		if a.Result == "" {
			if a.Result = resultOf(t.tags["Result"]); !isResult(a.Result) {
				a.Result = "*"
			}
		}
		a.Err = a.play(t)
		games = append(games, a)
	})
	return games
}

func isResult(s string) bool {
	for _, r := range results {
		if s == r.means {
			return true
		}
	}
	return false
}

// play makes the moves.
func (a *Annotated) play(t *text) (err error) {
	for _, tag := range t.order {
		if tag.Name == "" || strings.ContainsFunc(tag.Name, notInName) {
			return fmt.Errorf("line %d: %.40q is not the name of a tag", t.line, tag.Name)
		}
	}
	var start board.Position
	if start, a.Repairs, err = t.position(); err != nil {
		return fmt.Errorf("line %d: %w", t.line, err)
	}
	a.Start = start
	r := replay{game: a, level: level{pos: start}}
	for _, e := range t.elements {
		if err := r.add(e); err != nil {
			return fmt.Errorf("line %d, %s: %w", e.line, r.place(), err)
		}
	}
	if t.problem != "" {
		return fmt.Errorf("line %d, %s: %s", t.problemLine, r.place(), t.problem)
	}
	return nil
}

// notInName tells the characters that the name of a tag cannot have.
func notInName(c rune) bool {
	return c != '_' && (c >= utf8.RuneSelf || !unicode.IsLetter(c) && !unicode.IsDigit(c))
}

// level is the state of the game, or of a variation.
type level struct {
	before, pos board.Position // the last move was made at before, and led to pos
	moved       bool           // there is a move
}

// replay makes the moves of a game and of its variations.
type replay struct {
	game *Annotated
	level
	outer []level // those that go on where the variations end
}

// place says in words which move is to come.
func (r *replay) place() string {
	words := "move " + Number(&r.pos)
	if len(r.outer) > 0 {
		words += " of a variation"
	}
	return words
}

// Number is the number of the move that is to be made in a position, as it stands before the move: "12." or "12...".
func Number(p *board.Position) string {
	if p.Black {
		return fmt.Sprintf("%d...", p.Fullmove)
	}
	return fmt.Sprintf("%d.", p.Fullmove)
}

// add takes the next token of the game.
func (r *replay) add(e element) error {
	switch e.kind {
	case commentToken:
		if text := strings.Join(strings.Fields(e.text), " "); text != "" {
			r.keep(Element{Kind: Comment, Text: text})
		}
	case escapeToken:
		r.keep(Element{Kind: Escape, Text: strings.TrimRight(e.text, "\r")})
	case nagToken:
		r.mark(e.text)
	case openToken:
		if !r.moved {
			return errors.New("a variation begins before the first move that it could replace")
		}
		r.keep(Element{Kind: Open})
		r.outer = append(r.outer, r.level)
		r.level = level{pos: r.before}
	case closeToken:
		r.keep(Element{Kind: Close})
		r.level, r.outer = r.outer[len(r.outer)-1], r.outer[:len(r.outer)-1]
	case moveToken:
		return r.move(fromLatin1(e.text))
	}
	return nil
}

func (r *replay) keep(e Element) { r.game.Elements = append(r.game.Elements, e) }

// move makes a move, and reads the mark that is glued to it.
func (r *replay) move(word string) error {
	p := r.pos
	m, err := board.NullMove, error(nil)
	if isNull := word == "--" || word == "Z0"; isNull && len(r.outer) > 0 && !p.InCheck() {
		p.MakeNull(&r.pos)
	} else if m, err = ParseSAN(&p, word); err != nil {
		return err
	} else {
		p.Make(m, &r.pos)
	}
	r.before, r.moved = p, true
	r.keep(Element{Kind: Played, Move: m, Before: p})
	if len(r.outer) == 0 {
		r.game.Moves = append(r.game.Moves, m)
	}
	word = figures.Replace(word)
	mark := strings.TrimLeft(word[len(strings.TrimRightFunc(word, isMark)):], "#")
	if _, known := glyphs[mark]; !known {
		mark = strings.TrimLeft(mark, "+") // that is a check
	}
	if known := glyphs[mark]; known > 0 {
		r.keep(Element{Kind: Glyph, Glyph: known})
	}
	return nil
}

// glyphs are the NAGs of marks that people write in place of them.
var glyphs = map[string]int{
	"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "□": 7, "=": 10, "∞": 13, "+=": 14, "+/=": 14, "⩲": 14, "=+": 15, "=/+": 15, "⩱": 15,
	"+/-": 16, "±": 16, "-/+": 17, "∓": 17, "+-": 18, "-+": 19, "N": 146, "D": 220,
}

// mark keeps a NAG, or a mark that stands for one. One that is not known becomes a comment.
func (r *replay) mark(word string) {
	n, err := strconv.ParseUint(strings.TrimPrefix(word, "$"), 10, 16)
	switch known := glyphs[word]; {
	case known > 0:
		n = uint64(known)
	case err != nil:
		r.keep(Element{Kind: Comment, Text: word})
		return
	}
	r.keep(Element{Kind: Glyph, Glyph: int(n)})
}

// roster are the tags that every game has, in this order (PGN standard, 8.1.1), with their values where nothing is known.
var roster = []Tag{{"Event", "?"}, {"Site", "?"}, {"Date", "????.??.??"}, {"Round", "?"}, {"White", "?"}, {"Black", "?"}, {"Result", "*"}}

// Text is the game in the export format of the standard, in UTF-8, with an empty line at its end. The seven tags that
// every game has come first. A set-up position gets the tags that tell readers of it.
func (a *Annotated) Text() string {
	var tags []Tag
	for _, t := range roster {
		if value := a.Tag(t.Name); value != "" {
			t.Value = value
		} else if t.Name == "Result" {
			t.Value = a.Result
		}
		tags = append(tags, t)
	}
	for _, t := range a.Tags {
		if !hasTag(roster, t.Name) {
			tags = append(tags, t)
		}
	}
	if hasTag(tags, "FEN") {
		if !hasTag(tags, "SetUp") {
			tags = append(tags, Tag{"SetUp", "1"})
		}
		if a.Start.NeedsChess960() && !hasTag(tags, "Variant") {
			tags = append(tags, Tag{"Variant", "Chess960"})
		}
	}
	var b strings.Builder
	writeTags(&b, tags)
	w := wrapper{to: &b}
	a.write(&w)
	w.word(a.Result)
	b.WriteString("\n\n")
	return b.String()
}

func hasTag(tags []Tag, name string) bool {
	for _, t := range tags {
		if t.Name == name {
			return true
		}
	}
	return false
}

// write writes the elements. A move of Black gets its number where something stands between it and White's move.
func (a *Annotated) write(w *wrapper) {
	numbered, opened := false, "" // a bracket that waits for the first word
	word := func(s string) {
		w.word(opened + s)
		opened = ""
	}
	for i := range a.Elements {
		e := &a.Elements[i]
		switch e.Kind {
		case Played:
			if !e.Before.Black || !numbered {
				word(Number(&e.Before))
			}
			word(moveText(e))
		case Comment:
			word(braced(e.Text))
		case Glyph:
			word(fmt.Sprintf("$%d", e.Glyph))
		case Open:
			opened = "("
		case Close:
			w.close(opened)
			opened = ""
		case Escape:
			w.line("%" + e.Text)
		}
		numbered = e.Kind == Played || e.Kind == Glyph && numbered
	}
}

func moveText(e *Element) string {
	if e.Move == board.NullMove {
		return "--"
	}
	return SAN(&e.Before, e.Move)
}
