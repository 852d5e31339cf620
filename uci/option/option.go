// Package option declares options of the UCI protocol. An option is declared once, with a pointer to what it sets; the
// answer to uci, setoption, command flags and the keys of players all come from that declaration.
//
// Invariant: a value that Set refuses leaves what it points to as it was.
package option

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Option is a named value that text can set.
type Option struct {
	Name   string // in the UCI protocol, in which letter case does not count
	Flag   string // of commands, and the key of a player; empty: it has none
	Help   string // for the flag
	Remake bool   // the searcher must be made anew after a change
	Value
}

// Value is what an option sets. String, Set and Type make it a value of command flags too.
type Value interface {
	// Set reads a value. Its error says what there is instead.
	Set(text string) error
	// String is the present value, as Set reads it.
	String() string
	// Type is the word for its values in the help of a flag.
	Type() string
	// declare is the type, the default and the range as the answer to uci has them. The default is the present value.
	declare() string
}

// Declare is the line that declares the option in the answer to uci.
func (o *Option) Declare() string { return "option name " + o.Name + " type " + o.declare() }

// Change sets the option by the value of a setoption command and reports whether that made a difference. The error names
// the option.
func (o *Option) Change(text string) (changed bool, err error) {
	was := o.String()
	if err := o.Set(text); err != nil {
		return false, fmt.Errorf("option %s: %w", o.Name, err)
	}
	return o.String() != was, nil
}

// Find returns the option of that name or flag, in letters of either case. The error lists those that there are.
func Find(options []Option, name string) (*Option, error) {
	for i := range options {
		o := &options[i]
		if strings.EqualFold(o.Name, name) || o.Flag != "" && strings.EqualFold(o.Flag, name) {
			return o, nil
		}
	}
	names := make([]string, len(options))
	for i := range options {
		names[i] = options[i].Name
	}
	return nil, fmt.Errorf("no option called %q: there are %s", name, strings.Join(names, ", "))
}

// Number is a whole number within a range, a spin option.
type Number[T int | int64] struct {
	To       *T
	Min, Max T
}

func (v Number[T]) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a whole number", text)
	case n < int64(v.Min) && v.unbounded():
		return fmt.Errorf("%d: at least %d is needed", n, v.Min)
	case n < int64(v.Min) || n > int64(v.Max):
		return fmt.Errorf("%d is not in %d..%d", n, v.Min, v.Max)
	}
	*v.To = T(n)
	return nil
}

// unbounded reports whether the largest value is the largest number there is.
func (v Number[T]) unbounded() bool { return int64(v.Max) >= math.MaxInt }

func (v Number[T]) String() string { return strconv.FormatInt(int64(*v.To), 10) }

func (Number[T]) Type() string { return "int" }

func (v Number[T]) declare() string {
	return fmt.Sprintf("spin default %d min %d max %d", *v.To, v.Min, v.Max)
}

// Check is true or false, a check option.
type Check struct{ To *bool }

func (v Check) Set(text string) error {
	on := strings.EqualFold(text, "true")
	if !on && !strings.EqualFold(text, "false") {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*v.To = on
	return nil
}

func (v Check) String() string { return strconv.FormatBool(*v.To) }

func (Check) Type() string { return "bool" }

func (v Check) declare() string { return "check default " + v.String() }

// Choice is one of several names, a combo option.
type Choice struct {
	To *string
	Of []string
}

// Set implements Value. It takes letters of either case.
func (v Choice) Set(text string) error {
	i := slices.IndexFunc(v.Of, func(name string) bool { return strings.EqualFold(name, text) })
	if i < 0 {
		return fmt.Errorf("%q: want one of %s", text, strings.Join(v.Of, ", "))
	}
	*v.To = v.Of[i]
	return nil
}

func (v Choice) String() string { return *v.To }

func (Choice) Type() string { return "name" }

func (v Choice) declare() string {
	return "combo default " + *v.To + " var " + strings.Join(v.Of, " var ")
}

// Text is any text, a string option.
type Text struct{ To *string }

// empty is how the protocol writes a text of no letters.
const empty = "<empty>"

func (v Text) Set(text string) error {
	if text == empty {
		text = ""
	}
	*v.To = text
	return nil
}

func (v Text) String() string { return *v.To }

func (Text) Type() string { return "string" }

func (v Text) declare() string {
	if *v.To == "" {
		return "string default " + empty
	}
	return "string default " + *v.To
}

// Button does something when it is pressed, a button option. It has no value.
type Button struct{ Press func() }

func (v Button) Set(string) error {
	v.Press()
	return nil
}

func (Button) String() string { return "" }

func (Button) Type() string { return "button" }

func (Button) declare() string { return "button" }
