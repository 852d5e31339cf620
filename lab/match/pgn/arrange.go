package pgn

import (
	"fmt"
	"strings"
)

// place is a move, or the beginning of a game or a variation, and what stands behind it.
type place struct {
	move       *Element // nil: the beginning
	glyphs     []Element
	comments   []string
	escapes    []Element
	variations []Element
}

// arrange puts what stands behind each move of a game or a variation, up to its end, into the order of Annotated. It returns
// what follows the end.
func arrange(all []Element) (arranged, rest []Element) {
	var at place
	for len(all) > 0 {
		e := &all[0]
		all = all[1:]
		switch e.Kind {
		case Played:
			arranged = at.flush(arranged)
			early := at.glyphs // before the first move: they are about that one
			if at.move != nil {
				early = nil
			}
			at = place{move: e, glyphs: early}
		case Comment:
			at.comments = append(at.comments, e.Text)
		case Glyph:
			at.glyphs = append(at.glyphs, *e)
		case Escape:
			at.escapes = append(at.escapes, *e)
		case Open:
			var inner []Element
			inner, all = arrange(all)
			at.add(inner)
		case Close:
			return at.end(arranged), all
		}
	}
	return at.end(arranged), nil
}

// add adds a variation. What stands in one without a move belongs to the move that it follows.
func (at *place) add(inner []Element) {
	for i := range inner {
		if inner[i].Kind == Played {
			at.variations = append(append(append(at.variations, Element{Kind: Open}), inner...), Element{Kind: Close})
			return
		}
	}
	for _, e := range inner {
		if e.Kind == Escape {
			at.escapes = append(at.escapes, e)
		} else {
			at.comments = append(at.comments, e.Text)
		}
	}
}

// end is flush at the end of a line, where glyphs without a move become a comment.
func (at *place) end(arranged []Element) []Element {
	if at.move == nil {
		for _, e := range at.glyphs {
			at.comments = append(at.comments, fmt.Sprintf("$%d", e.Glyph))
		}
	}
	return at.flush(arranged)
}

// flush appends the move and what stands behind it.
func (at *place) flush(arranged []Element) []Element {
	if at.move != nil {
		arranged = append(append(arranged, *at.move), at.glyphs...)
	}
	if len(at.comments) > 0 {
		arranged = append(arranged, Element{Kind: Comment, Text: strings.Join(at.comments, " ")})
	}
	return append(append(arranged, at.escapes...), at.variations...)
}

// Sign is a glyph as people write it: ! for $1.
func Sign(glyph int) string {
	best := fmt.Sprintf("$%d", glyph)
	for sign, n := range glyphs {
		if n == glyph && (best[0] == '$' || sign < best) {
			best = sign
		}
	}
	return best
}
