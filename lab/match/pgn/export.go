package pgn

import (
	"cmp"
	"fmt"
	"strings"
)

// roster are the tags that every game has, in this order (PGN standard, 8.1.1), with their values where nothing is known.
var roster = []Tag{{"Event", "?"}, {"Site", "?"}, {"Date", "????.??.??"}, {"Round", "?"}, {"White", "?"}, {"Black", "?"}, {"Result", "*"}}

// Text is the game in the export format of the standard, in UTF-8, with an empty line at its end. The seven tags that
// every game has come first. A set-up position gets the tags that tell readers of it.
func (a *Annotated) Text() string {
	var tags []Tag
	for _, t := range roster {
		if value := a.Tag(t.Name); value != "" {
			t.Value = value
		}
		if t.Name == "Result" && (a.Tag(t.Name) == "" || isResult(resultOf(t.Value))) {
			t.Value = cmp.Or(a.Tag(t.Name), a.Result)
			t.Value = resultOf(t.Value)
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
	write(&w, a.Elements)
	w.word(a.Result)
	b.WriteString("\n\n")
	return b.String()
}

// write writes the elements. A move of Black gets its number where something stands between it and White's move.
func write(w *wrapper, elements []Element) {
	numbered, opened := false, "" // a bracket that waits for the first word
	word := func(s string) {
		w.word(opened + s)
		opened = ""
	}
	for i := range elements {
		e := &elements[i]
		switch e.Kind {
		case Played:
			if !e.Before.Black || !numbered {
				word(Number(&e.Before))
			}
			word(SAN(&e.Before, e.Move))
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
