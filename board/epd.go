package board

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
)

// ParseEPD reads a line of EPD, or a FEN with or without the operations of EPD after it. It reads the position as ReadFEN
// does. The operations hmvc and fmvn set the halfmove clock and the move number. All others are skipped.
func ParseEPD(line string) (p Position, repairs []string, err error) {
	fields, rest := splitFEN(line)
	for _, words := range splitOperations(rest) {
		if words[0] != "hmvc" && words[0] != "fmvn" {
			continue
		}
		if len(words) != 2 {
			return p, nil, fmt.Errorf("EPD %.*q: %s has %d operands, want 1", maxText, line, words[0], len(words)-1)
		}
		for len(fields) < 6 {
			fields = append(fields, "")
		}
		if words[0] == "hmvc" {
			fields[4] = words[1]
		} else {
			fields[5] = words[1]
		}
	}
	return readFields("EPD", line, fields)
}

// Operations splits what follows the position on a line of EPD into operations, and each of them into words: its name and
// its operands. Quotation marks keep blanks and semicolons in one word.
func Operations(line string) [][]string {
	_, rest := splitFEN(line)
	return splitOperations(rest)
}

func splitOperations(rest string) (all [][]string) {
	var op []string
	var word strings.Builder
	quoted, started := false, false
	end := func() {
		if started {
			op = append(op, word.String())
		}
		word.Reset()
		started = false
	}
	for _, c := range rest + ";" {
		switch {
		case c == '"':
			quoted, started = !quoted, true
		case c == ';' && !quoted:
			if end(); len(op) > 0 {
				all = append(all, op)
			}
			op = nil
		case unicode.IsSpace(c) && !quoted:
			end()
		default:
			word.WriteRune(c)
			started = true
		}
	}
	return all
}

// Lines are the lines of a text, with their numbers from 1, without blanks around them. Empty lines and those that begin with #
// are skipped, and so are byte order marks, which stand where files were joined.
func Lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.Lines(text) {
			number++
			line = strings.TrimSpace(strings.TrimPrefix(line, byteOrderMark))
			if line != "" && line[0] != '#' && !yield(number, line) {
				return
			}
		}
	}
}

// ReadEPD reads positions, one on each of the Lines as ParseEPD reads it. Repairs and the error name the line.
func ReadEPD(text string) (positions []Position, repairs []string, err error) {
	for number, line := range Lines(text) {
		p, changes, err := ParseEPD(line)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", number, err)
		}
		positions = append(positions, p)
		for _, change := range changes {
			repairs = append(repairs, fmt.Sprintf("line %d: %s", number, change))
		}
	}
	return positions, repairs, nil
}
