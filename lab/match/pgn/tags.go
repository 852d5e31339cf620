package pgn

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tag is a name in brackets and its value.
type Tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func hasTag(tags []Tag, name string) bool {
	return slices.ContainsFunc(tags, func(t Tag) bool { return t.Name == name })
}

// nameTags gives tags the names that readers take: without the characters that the standard does not have in names. A tag
// without a name, or with that of another one, is dropped.
func (t *text) nameTags() {
	tags := t.order
	t.order = nil
	for _, tag := range tags {
		name := strings.Map(func(c rune) rune {
			if c != '_' && (c >= utf8.RuneSelf || !unicode.IsLetter(c) && !unicode.IsDigit(c)) {
				return -1
			}
			return c
		}, tag.Name)
		switch {
		case name == tag.Name && name != "":
		case name == "" || hasTag(tags, name) || hasTag(t.order, name):
			t.notes = append(t.notes, fmt.Sprintf("line %d: %.40q is not the name of a tag: it is dropped", t.line, tag.Name))
			continue
		default:
			t.notes = append(t.notes, fmt.Sprintf("line %d: %.40q is not the name of a tag: it becomes %s", t.line, tag.Name, name))
		}
		t.order = append(t.order, Tag{name, tag.Value})
		t.tags[name] = tag.Value
	}
}
