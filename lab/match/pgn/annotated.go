package pgn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

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
	Move   board.Move     // NullMove: a null move
	Before board.Position // the move is made here
}

// Annotated is a game with all that stands among its moves. Nothing of the file is lost: Source is its text. Behind each
// move stand its glyphs, then at most one comment, then lines that begin with %, then the variations, since many readers
// refuse another order, or two comments.
type Annotated struct {
	Number, At int   // from 1; At is the line of its first tag or move
	Tags       []Tag // in the order of the file
	Line             // the moves of the game itself
	Elements   []Element
	Result     string   // 1-0, 0-1, 1/2-1/2 or *
	Source     string   // the game as the file has it, in UTF-8
	Notes      []string // what was repaired or passed over, with lines
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
	return fmt.Sprintf("game %d (%s - %s)", a.Number, cmp.Or(a.Tag("White"), "?"), cmp.Or(a.Tag("Black"), "?"))
}

// ReadAnnotated reads the games of a PGN text with their variations, comments and glyphs, and checks that all moves are
// legal. Marks such as !? and +- become glyphs, and both forms of comments one.
func ReadAnnotated(data string) []*Annotated {
	games, _ := ReadSome(data, math.MaxInt)
	return games
}

// ReadSome is ReadAnnotated of at most the given number of games; more tells that there are others.
func ReadSome(data string, most int) (games []*Annotated, more bool) {
	readTexts(data, func(t *text) {
		if len(t.tags) == 0 && len(t.elements) == 0 && t.problem == "" { // a result alone
			return
		}
		if more = len(games) == most; more {
			return
		}
		a := &Annotated{Number: t.number, At: t.line, Tags: t.order, Source: t.source, Result: t.result, Notes: t.notes}
		if a.Result == "" {
			if a.Result = resultOf(t.tags["Result"]); !isResult(a.Result) {
				a.Result = "*"
			}
		}
		a.Err = a.play(t)
		games = append(games, a)
	})
	return games, more
}

func (a *Annotated) play(t *text) (err error) {
	a.Start = board.StartPosition()
	start, repairs, err := t.position()
	for _, r := range repairs {
		a.Notes = append(a.Notes, fmt.Sprintf("line %d: FEN tag: %s", t.line, r))
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", t.line, err)
	}
	a.Start = start
	defer func() { a.Elements, _ = arrange(a.Elements) }()
	r := replay{game: a, level: level{pos: start}}
	for _, e := range t.elements {
		if err := r.add(e); err != nil {
			err = fmt.Errorf("line %d, %s: %w", e.line, r.place(), err)
			if len(r.outer) > 0 { // the game itself goes on
				r.rest(t.words[len(a.Moves):])
			}
			return err
		}
	}
	if t.problem != "" {
		return fmt.Errorf("line %d, %s: %s", t.problemLine, r.place(), t.problem)
	}
	return nil
}

// level is the state of the game, or of a variation.
type level struct {
	before, pos board.Position // the last move was made at before, and led to pos
	moved       bool           // there is a move
}

// deepest is how deep variations may lie within one another. Putting them in order takes time by the square of that.
const deepest = 1000

// replay makes the moves of a game and of its variations.
type replay struct {
	game *Annotated
	level
	outer []level // those that go on where the variations end
}

// rest makes the moves of the game that follow a variation, as far as they can be read.
func (r *replay) rest(words []element) {
	for range r.outer {
		r.keep(Element{Kind: Close})
	}
	r.level, r.outer = r.outer[0], nil
	for _, w := range words {
		if r.move(w.text) != nil {
			return
		}
	}
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

// Numbered are the moves of a line in SAN, each with its number where it has one ("12. e4", "Nf6"), as far as they are legal.
func Numbered(p board.Position, line []board.Move) (words []string) {
	for at, m := range p.Along(line) {
		word := SAN(at, m)
		if len(words) == 0 || !at.Black {
			word = Number(at) + " " + word
		}
		words = append(words, word)
	}
	return words
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
			return errors.New("variation before the first move that it could replace")
		}
		if len(r.outer) == deepest {
			return fmt.Errorf("more than %d variations within one another", deepest)
		}
		r.keep(Element{Kind: Open})
		r.outer = append(r.outer, r.level)
		r.level = level{pos: r.before}
	case closeToken:
		r.keep(Element{Kind: Close})
		r.level, r.outer = r.outer[len(r.outer)-1], r.outer[:len(r.outer)-1]
	case moveToken:
		return r.move(e.text)
	}
	return nil
}

func (r *replay) keep(e Element) { r.game.Elements = append(r.game.Elements, e) }

// move makes a move, and reads the mark that is glued to it.
func (r *replay) move(word string) error {
	p := r.pos
	m, err := parseMove(&p, word)
	if err != nil {
		return err
	}
	r.before, r.pos, r.moved = p, p.After(m), true
	r.keep(Element{Kind: Played, Move: m, Before: p})
	if len(r.outer) == 0 {
		r.game.Moves = append(r.game.Moves, m)
	}
	word = strings.TrimPrefix(figures.Replace(word), nullMove)
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
