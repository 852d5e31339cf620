package client

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Option is a UCI option and its value.
type Option struct{ Name, Value string }

// String is Name=value.
func (o Option) String() string { return o.Name + "=" + o.Value }

// ParseOptions reads options that are written as Name=value.
func ParseOptions(texts []string) ([]Option, error) {
	var options []Option
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("option %q: want Name=value", text)
		}
		options = append(options, Option{name, value})
	}
	return options, nil
}

// Declaration is what an engine says of one of its options.
type Declaration struct {
	Name     string
	Type     string   // check, spin, combo, button or string
	Default  string   // empty: not declared
	Min, Max *int     // of a spin; nil: not declared
	Values   []string // of a combo
}

// key finds an option by its name. Neither the case of its letters nor the number of blanks between its words counts.
func key(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// command is the line that sets the option, in the spelling that the engine has declared. A button has no value, and an
// empty text is written as UCI has it.
func (d *Declaration) command(value string) string {
	for _, v := range d.Values {
		if strings.EqualFold(v, value) {
			value = v
		}
	}
	switch {
	case d.Type == "check":
		value = strings.ToLower(value)
	case d.Type == "string" && value == "":
		value = "<empty>"
	case d.Type == "button" || value == "":
		return "setoption name " + d.Name + "\n"
	}
	return "setoption name " + d.Name + " value " + value + "\n"
}

// keywords begin the parts of a declaration behind its name.
var keywords = []string{"type", "default", "min", "max", "var"}

// parseDeclaration reads what follows the word option. A name or a value may hold blanks: a name ends at the word
// type, a value at the next keyword.
func parseDeclaration(text string) (d Declaration) {
	name, _, _ := strings.Cut(text, " type ")
	d.Name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "name "))
	words := strings.Fields(text[len(name):])
	for i := 0; i < len(words); {
		end := i + 1
		for end < len(words) && !slices.Contains(keywords, words[end]) {
			end++
		}
		value := strings.Join(words[i+1:end], " ")
		switch words[i] {
		case "type":
			d.Type = value
		case "default":
			d.Default = value
		case "min", "max":
			if n, err := strconv.Atoi(value); err == nil && words[i] == "min" {
				d.Min = &n
			} else if err == nil {
				d.Max = &n
			}
		case "var":
			d.Values = append(d.Values, value)
		}
		i = end
	}
	return d
}

// check tells what is wrong with a value of the option. A type that is not known takes every value.
func (d *Declaration) check(value string) error {
	switch d.Type {
	case "check":
		if !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
			return fmt.Errorf("%q is neither true nor false", value)
		}
	case "spin":
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return fmt.Errorf("%q is not an integer", value)
		}
		if d.Min != nil && d.Max != nil && *d.Max <= *d.Min {
			return nil // no range at all: some engines declare 0 and 0
		}
		if d.Min != nil && n < *d.Min {
			return fmt.Errorf("%d is below the minimum %d", n, *d.Min)
		}
		if d.Max != nil && n > *d.Max {
			return fmt.Errorf("%d is above the maximum %d", n, *d.Max)
		}
	case "combo":
		same := func(v string) bool { return strings.EqualFold(v, value) }
		if len(d.Values) > 0 && !slices.ContainsFunc(d.Values, same) {
			return fmt.Errorf("%q is not among %s", value, strings.Join(d.Values, ", "))
		}
	case "button":
		if value != "" && !strings.EqualFold(value, "true") {
			return errors.New("a button takes no value")
		}
	}
	return nil
}

// refuses reports whether a line that comes between setoption and readyok refuses an option. UCI has no word for it;
// these are the words of Stockfish, of Tesla and of the engines derived from them.
func refuses(line string) bool {
	line = strings.ToLower(line)
	for _, words := range []string{"info string error", "no such option", "unknown option", "invalid option"} {
		if strings.HasPrefix(line, words) || strings.HasPrefix(line, "info string "+words) {
			return true
		}
	}
	return false
}
