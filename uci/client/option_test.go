package client

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseDeclaration(t *testing.T) {
	number := func(n int) *int { return &n }
	for text, want := range map[string]Declaration{
		"name Hash type spin default 16 min 1 max 99":    {Name: "Hash", Type: "spin", Default: "16", Min: number(1), Max: number(99)},
		"name Move Overhead type spin default 10 min -5": {Name: "Move Overhead", Type: "spin", Default: "10", Min: number(-5)},
		"name Clear Hash type button":                    {Name: "Clear Hash", Type: "button"},
		"name Style type combo default Normal var Very Solid var Normal": {
			Name: "Style", Type: "combo", Default: "Normal", Values: []string{"Very Solid", "Normal"}},
		"name Debug Log File type string default ":    {Name: "Debug Log File", Type: "string"},
		"  name  max nodes   type check default true": {Name: "max nodes", Type: "check", Default: "true"},
		"name Odd": {Name: "Odd"},
		"":         {},
	} {
		if d := parseDeclaration(text); !reflect.DeepEqual(d, want) {
			t.Errorf("%q: %+v", text, d)
		}
	}
}

func TestCheckValue(t *testing.T) {
	spin := parseDeclaration("name Hash type spin default 16 min 1 max 64")
	combo := parseDeclaration("name Style type combo default Normal var Very Solid var Normal")
	check, button := Declaration{Type: "check"}, Declaration{Type: "button"}
	for _, c := range []struct {
		d           Declaration
		value, want string // in the error; empty: none
	}{
		{spin, "1", ""}, {spin, "64", ""}, {spin, "0", "below the minimum 1"}, {spin, "65", "above the maximum 64"},
		{spin, "x", "not an integer"},
		{Declaration{Type: "spin"}, "-99", ""}, {parseDeclaration("name Odd type spin default 5 min 0 max 0"), "9", ""},
		{combo, "very solid", ""}, {combo, "Wild", `"Wild" is not among Very Solid, Normal`},
		{check, "true", ""}, {check, "False", ""}, {check, "yes", "neither true nor false"},
		{button, "", ""}, {button, "true", ""}, {button, "on", "takes no value"},
		{Declaration{Type: "string"}, "any thing", ""}, {Declaration{}, "any", ""},
	} {
		if err := c.d.check(c.value); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v, %q: %v, want %q", c.d, c.value, err, c.want)
		}
	}
}

// TestCommand sends names and values in the spelling that the engine declares.
func TestCommand(t *testing.T) {
	for _, c := range []struct{ declaration, value, want string }{
		{"name Book type string default <empty>", "a=b", "name Book value a=b"},
		{"name Book type string default x", "", "name Book value <empty>"},
		{"name Clear  Hash type button", "true", "name Clear  Hash"},
		{"name Style type combo default A var A var Very Solid", "very solid", "name Style value Very Solid"},
		{"name Ponder type check", "TRUE", "name Ponder value true"},
		{"name Odd", "", "name Odd"},
	} {
		d := parseDeclaration(c.declaration)
		if got := d.command(c.value); got != "setoption "+c.want+"\n" {
			t.Errorf("%s: %q", c.declaration, got)
		}
	}
	if key("clear hash") != key(" Clear  Hash") {
		t.Error("blanks or letter case count")
	}
}

func TestRefuses(t *testing.T) {
	for line, want := range map[string]bool{
		"No such option: Foo": true,
		`info string error: option Hash: 99 is not in 1..64; still 16`: true,
		"Unknown option Foo":                                             true,
		"info string Invalid option value":                               true,
		"info string Using 2 threads":                                    false,
		"info string NNUE evaluation using nn-ad9b42354671.nnue enabled": false,
		"info depth 3 score cp 3":                                        false,
		"":                                                               false,
	} {
		if got := refuses(line); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}

func TestParseOptions(t *testing.T) {
	got, err := ParseOptions([]string{"Hash=16", "Book=a=b", "Clear Hash="})
	if want := []Option{{"Hash", "16"}, {"Book", "a=b"}, {"Clear Hash", ""}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if text := got[0].String(); text != "Hash=16" {
		t.Error(text)
	}
	for _, bad := range []string{"Hash", "=3"} {
		if _, err := ParseOptions([]string{bad}); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
