package option

import (
	"math"
	"strings"
	"testing"
)

// Every kind of option: how it is declared, what it takes, and what it refuses without changing.
func TestOptions(t *testing.T) {
	threads, evals, on, search, file, pressed := 2, int64(7), false, "puct", "", 0
	options := []Option{
		{Name: "Threads", Flag: "threads", Value: Number[int]{&threads, 1, 1024}},
		{Name: "Evals", Value: Number[int64]{&evals, 1, math.MaxInt64}},
		{Name: "UCI_Chess960", Value: Check{&on}},
		{Name: "Search", Value: Choice{&search, []string{"bestfirst", "puct"}}},
		{Name: "WeightsFile", Flag: "weights", Value: Text{&file}},
		{Name: "Clear Hash", Value: Button{func() { pressed++ }}},
	}
	for _, c := range []struct{ name, declared, good, now, bad, want string }{
		{"threads", "spin default 2 min 1 max 1024", "64", "64", "0", "option Threads: 0 is not in 1..1024"},
		{"THREADS", "spin default 64 min 1 max 1024", "1", "1", "many", `option Threads: "many" is not a whole number`},
		{"evals", "spin default 7 min 1 max 9223372036854775807", "9", "9", "-1", "option Evals: -1: at least 1 is needed"},
		{"uci_chess960", "check default false", "TRUE", "true", "yes", `"yes" is neither true nor false`},
		{"search", "combo default puct var bestfirst var puct", "BestFirst", "bestfirst", "minimax", "want one of bestfirst, puct"},
		{"weights", "string default <empty>", "a b.tesla", "a b.tesla", "", ""},
		{"WeightsFile", "string default a b.tesla", "<empty>", "", "", ""},
		{"clear hash", "button", "", "", "", ""},
	} {
		o, err := Find(options, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Declare(); got != "option name "+o.Name+" type "+c.declared {
			t.Errorf("%q, want %q", got, c.declared)
		}
		was := o.String()
		changed, err := o.Change(c.good)
		if err != nil || o.String() != c.now || changed != (was != c.now) {
			t.Errorf("%s: %q is now %q, %t, %v", o.Name, c.good, o, changed, err)
		}
		if again, _ := o.Change(c.good); again {
			t.Errorf("%s: the same value again is a change", o.Name)
		}
		if c.want == "" {
			continue
		}
		if changed, err := o.Change(c.bad); err == nil || changed || !strings.Contains(err.Error(), c.want) || o.String() != c.now {
			t.Errorf("%s: %q gives %q, %v; want %q", o.Name, c.bad, o, err, c.want)
		}
	}
	if pressed != 2 {
		t.Errorf("pressed %d times", pressed)
	}
	if _, err := Find(options, "Contempt"); err == nil || !strings.Contains(err.Error(), "Threads, Evals, UCI_Chess960") {
		t.Error(err)
	}
}
