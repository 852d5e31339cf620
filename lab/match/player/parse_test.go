package player

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	p, err := Parse(`name="a, b",cmd=/usr/games/x,args='--log "my file" -v',tc=10+0.1,threads=2,hash=64,option.Skill Level=3,option.Empty=`)
	if err != nil {
		t.Fatal(err)
	}
	want := Player{
		Name: "a, b", Cmd: "/usr/games/x", Args: []string{"--log", "my file", "-v"}, Threads: 2, Hash: 64,
		Options:   []Option{{"Skill Level", "3"}, {"Empty", ""}},
		Condition: Condition{Clock: Clock{Base: 10 * time.Second, Increment: 100 * time.Millisecond}},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v", p)
	}
	p, err = Parse("search=bestfirst,backend=mock,evals=9")
	if err != nil || p.Search != "bestfirst" || p.Backend != "mock" || p.Condition.Evals != 9 ||
		p.Label() != "tesla-bestfirst" {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := Parse(""); err != nil || p.Label() != "tesla" {
		t.Errorf("%+v %v", p, err)
	}
	for text, complaint := range map[string]string{
		"bogus=1": "unknown key", "threads=0": "above 0", "name": "not key=value", "name=a,name=b": "twice",
		"cmd='x":  "not closed",
		"args=-v": "need cmd", "cmd=x,search=y": "in process", "hash=": "no value", "option.=3": "no name",
		"tc=abc": "seconds",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%q: %v, want %q", text, err, complaint)
		}
	}
	if names := Labels([]Player{{}, {Name: "x"}, {}}); strings.Join(names, ",") != "tesla (a),x,tesla (c)" {
		t.Error(names)
	}
}

// A player's own settings come before the common ones, and its own limit replaces a common one.
func TestParseEach(t *testing.T) {
	p, err := ParseEach("threads=1,hash=64,tc=1+0.1,option.SyzygyPath='/a,/b'", "name=x,hash=16,nodes=5")
	if err != nil || p.Threads != 1 || p.Hash != 16 || p.Condition != (Condition{Nodes: 5}) || p.Option("SyzygyPath") != "/a,/b" || p.Name != "x" {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := ParseEach("threads=3", ""); err != nil || p.Threads != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := ParseEach("colour=red", "name=x"); err == nil {
		t.Error("an unknown common key")
	}
}

func TestParseCondition(t *testing.T) {
	for _, c := range []Condition{{Nodes: 2000}, {Evals: 800}, {MoveTime: 150 * time.Millisecond}, {Clock: Clock{Moves: 40, Base: time.Minute,
		Increment: 600 * time.Millisecond}}, {Clock: Clock{Base: time.Second}}} {
		if got, err := ParseCondition(c.String()); err != nil || got != c {
			t.Errorf("%v: %v, %v", c, got, err)
		}
	}
	if _, err := ParseCondition("soon"); err == nil {
		t.Error("no condition")
	}
}

func TestParseClock(t *testing.T) {
	for text, want := range map[string]Clock{
		"10+0.1": {0, 10 * time.Second, 100 * time.Millisecond}, "60": {0, time.Minute, 0},
		"40/60+0.5": {40, time.Minute, 500 * time.Millisecond}, "0+1": {0, 0, time.Second},
	} {
		c, err := ParseClock(text)
		if err != nil || c != want || c.String() != text {
			t.Errorf("%q: %+v %q %v", text, c, c.String(), err)
		}
	}
	for _, text := range []string{"", "+", "10+", "x", "0/60", "-1", "0", "nan", "10+0.1+3", "1e9"} {
		if c, err := ParseClock(text); err == nil {
			t.Errorf("%q: %+v", text, c)
		}
	}
}
