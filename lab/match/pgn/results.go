package pgn

import (
	"regexp"
	"slices"
	"strings"
)

// result is a form in which files have a result.
type result struct{ text, means string }

// results are the forms of the results that may be glued to a move, the longer of two that end alike first.
var results = []result{
	{"1/2-1/2", "1/2-1/2"}, {"1/2:1/2", "1/2-1/2"}, {"1/2", "1/2-1/2"}, {"1-0", "1-0"}, {"1:0", "1-0"}, {"0-1", "0-1"}, {"0:1", "0-1"}, {"*", "*"},
}

// resultForm is a result of two numbers, with a hyphen, another dash or a colon between them, and perhaps blanks.
var resultForm = regexp.MustCompile(`^(1/2|½|0[.,]5|[01])[ \t]*[-–—−‑:][ \t]*(1/2|½|0[.,]5|[01])`)

// resultAt is the length of the result that a text begins with, and what it means; 0 where it begins with none.
func resultAt(text string) (length int, means string) {
	found := resultForm.FindStringSubmatch(text)
	if found == nil {
		return 0, ""
	}
	if rest := text[len(found[0]):]; rest != "" && strings.IndexAny(rest, separators) != 0 {
		return 0, ""
	}
	switch white, black := points(found[1]), points(found[2]); {
	case white+black != 2: // castling, for one
		return 0, ""
	case white == 2:
		return len(found[0]), "1-0"
	case black == 2:
		return len(found[0]), "0-1"
	}
	return len(found[0]), "1/2-1/2"
}

// points are the half points of one side in a result.
func points(text string) int {
	switch text {
	case "0":
		return 0
	case "1":
		return 2
	}
	return 1
}

// resultOf returns the result that a Result tag names, or the value of the tag.
func resultOf(value string) string {
	value = strings.TrimSpace(value)
	if length, means := resultAt(value); length == len(value) && length > 0 {
		return means
	}
	plain := dashes.Replace(value)
	for _, r := range results {
		if r.text == plain {
			return r.means
		}
	}
	return value
}

func isResult(s string) bool {
	return slices.ContainsFunc(results, func(r result) bool { return s == r.means })
}
