package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type header struct {
	Run  int    `json:"run"`
	When string `json:"when"`
}

// record is a line of the tests' journals.
type record struct {
	N int `json:"n"`
}

// lines are whole records.
func lines(numbers ...int) (text string) {
	for _, n := range numbers {
		text += fmt.Sprintf("{\"n\":%d}\n", n)
	}
	return text
}

var errOther = errors.New("another run")

// check wants a header of run 7.
func check(line []byte) error {
	var h header
	if err := json.Unmarshal(line, &h); err != nil || h.Run != 7 {
		return errOther
	}
	return nil
}

// resume opens the journal at path and returns the numbers in its records.
func resume(path, mark string) (*Journal, []int, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, err
	}
	j, err := Open(file, header{7, "now"}, mark, check)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	var have []int
	err = j.Replay(func(line []byte) error {
		var r record
		if err := json.Unmarshal(line, &r); err != nil || r.N < 0 {
			return errOther
		}
		have = append(have, r.N)
		return nil
	})
	return j, have, err
}

// finish opens the journal at path and appends the numbers up to 4 that it lacks.
func finish(t *testing.T, path string) (text string, had []int) {
	t.Helper()
	j, had, err := resume(path, "")
	if err != nil {
		t.Fatal(err)
	}
	for n := len(had); n < 5; n++ {
		if err := j.Append(record{n * 1000}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return read(t, path), had
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEveryCut cuts a journal off at each byte: what is whole is there again, and the end is as it was.
func TestEveryCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	whole, had := finish(t, path)
	if want := "{\"run\":7,\"when\":\"now\"}\n" + lines(0, 1000, 2000, 3000, 4000); whole != want || len(had) > 0 {
		t.Fatalf("%q, want %q; it had %v", whole, want, had)
	}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, []byte(whole[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		text, had := finish(t, path)
		want := []int{0, 1000, 2000, 3000, 4000}[:max(0, strings.Count(whole[:cut], "\n")-1)]
		if text != whole || !slices.Equal(had, want) {
			t.Errorf("cut at %d: it had %v, want %v, and is now %q", cut, had, want, text)
		}
	}
}

func TestOpen(t *testing.T) {
	const first, mark = "{\"run\":7,\"when\":\"then\"}\n", `{"run":`
	begun := `{"run":7,"when":"now"}` + "\n"
	for _, c := range []struct {
		mark, text string
		after      string // empty: as it was
		have       []int
		want       string // in the error
		is         error
	}{
		{mark, "", begun, nil, "", nil},
		{mark, `{"r`, begun, nil, "", nil},
		{mark, `{"run":7,"when":"th`, begun, nil, "", nil},
		{"", `{"run":7,"when":"n`, begun, nil, "", nil},
		{"", `{"run":7,"when":"now"}`, begun, nil, "", nil},
		{"", `{"run":7,"when":"th`, "", nil, "journal: line 1: ", ErrHeader},
		{"", `{"run":7,"when":"now"} and a letter`, "", nil, "line 1: ", ErrHeader},
		{mark, "my letter", "", nil, "line 1: ", ErrHeader},
		{mark, "my letter\n", "", nil, "line 1: ", errOther},
		{mark, "{\"run\":8}\n" + lines(1), "", nil, "line 1: ", errOther},
		{mark, first, "", nil, "", nil},
		{mark, "\ufeff" + first + lines(1), "", []int{1}, "", nil},
		{mark, first + lines(1, 2), "", []int{1, 2}, "", nil},
		{mark, first + "{\"n\":1}\r\n", "", []int{1}, "", nil},
		{mark, first + lines(1) + `{"n":2}`, first + lines(1), []int{1}, "", nil},
		{mark, first + lines(1) + strings.Repeat("2", 1<<17), first + lines(1), []int{1}, "", nil}, // beyond the buffer
		{mark, first + lines(1) + "x\n", first + lines(1), []int{1}, "", nil},
		{mark, first + lines(1) + "5\n\n\xff{\n{\"n\n\x00", first + lines(1), []int{1}, "", nil},
		{mark, first + lines(1) + "x\n" + lines(2), "", nil, "line 3: ", ErrDamaged},
		{mark, first + lines(1) + "x\ny\n" + lines(2) + "z", "", nil, "line 3: ", ErrDamaged},
		{mark, first + lines(1, -2), "", nil, "line 3: ", errOther},
	} {
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		j, have, err := resume(path, c.mark)
		if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.want) || err == nil &&
			!slices.Equal(have, c.have) {
			t.Errorf("%q: %v, %v, want %v, %q", c.text, have, err, c.have, c.want)
		}
		if j != nil {
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		}
		if c.after == "" {
			c.after = c.text
		}
		if text := read(t, path); text != c.after {
			t.Errorf("%q is now %q, want %q", c.text, text, c.after)
		}
	}
}

// TestAppendFails checks that what cannot be written is an error.
func TestAppendFails(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	j := &Journal{file: full}
	if err := j.Append(1); err == nil {
		t.Error("a full disk is no error")
	}
	if err := errors.Join(j.Append(func() {}), j.Close()); err == nil || !strings.Contains(err.Error(), "json") {
		t.Errorf("a function is written: %v", err)
	}
	if err := j.Append(1); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

func TestDifferences(t *testing.T) {
	type object = map[string]any
	for _, c := range []struct {
		there, here any
		want        string
	}{
		{header{7, "x"}, object{"run": 7, "when": "x"}, "[]"},
		{header{7, "x"}, json.RawMessage(`{"when":"y","more":1,"run":7}`),
			"[more is absent there and 1 here when is x there and y here]"},
		{object{"seed": uint64(1)<<63 + 1}, object{"seed": uint64(1) << 63},
			"[seed is 9223372036854775809 there and 9223372036854775808 here]"},
		{object{"a": object{"b": 1}}, object{"a": object{"b": 2, "c": 3}},
			"[a.b is 1 there and 2 here a.c is absent there and 3 here]"},
		{object{"a": []object{{"b": 1}, {"b": 1}}}, object{"a": []object{{"b": 1}, {"b": 2}}},
			"[a[1].b is 1 there and 2 here]"},
		{object{"a": []int{1}}, object{"a": []int{1, 2}}, "[a is [1] there and [1 2] here]"},
		{object{"a": []string{"b c"}}, object{"a": []string{"b", "c"}}, "[a is [b c] there and [b c] here]"},
		{object{"a": 1}, object{"a": "1"}, "[a is 1 there and 1 here]"},
	} {
		list, err := Differences(c.there, c.here)
		if got := fmt.Sprint(list); err != nil || got != c.want {
			t.Errorf("%v, %v: %s, %v, want %s", c.there, c.here, got, err, c.want)
		}
	}
	if _, err := Differences(header{}, json.RawMessage("{")); err == nil {
		t.Error("a torn header is compared")
	}
}
