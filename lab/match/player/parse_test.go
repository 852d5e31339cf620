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
