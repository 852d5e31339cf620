package match

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParsePlayer(t *testing.T) {
	p, err := ParsePlayer(`name="a, b",cmd=/usr/games/x,args='--log "my file" -v',tc=10+0.1,threads=2,hash=64,option.Skill Level=3,option.Empty=`)
	if err != nil {
		t.Fatal(err)
	}
	want := Player{
		Name: "a, b", Cmd: "/usr/games/x", Args: []string{"--log", "my file", "-v"}, Threads: 2, Hash: 64,
		Clock:   Clock{Base: 10 * time.Second, Increment: 100 * time.Millisecond},
		Options: []Option{{"Skill Level", "3"}, {"Empty", ""}},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v", p)
	}
	p, err = ParsePlayer("search=bestfirst,backend=mock,evals=9")
	if err != nil || p.Search != "bestfirst" || p.Backend != "mock" || p.Evals != 9 || p.label() != "tesla-bestfirst" {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := ParsePlayer(""); err != nil || p.label() != "tesla" {
		t.Errorf("%+v %v", p, err)
	}
	for text, complaint := range map[string]string{
		"bogus=1": "unknown key", "threads=0": "above 0", "name": "not key=value", "name=a,name=b": "twice", "cmd='x": "not closed",
		"args=-v": "need cmd", "cmd=x,search=y": "in process", "hash=": "no value", "option.=3": "no name", "tc=abc": "seconds",
	} {
		if _, err := ParsePlayer(text); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%q: %v, want %q", text, err, complaint)
		}
	}
	if names := labels(&Player{}, &Player{Name: "x"}, &Player{}); strings.Join(names, ",") != "tesla (a),x,tesla (c)" {
		t.Error(names)
	}
}

func TestParseConditions(t *testing.T) {
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
	if r, err := ParseResign("moves=4,score=800"); err != nil || r != (Resign{4, 800}) {
		t.Error(r, err)
	}
	if d, err := ParseDraw("from=40,moves=8,score=10"); err != nil || d != (Draw{40, 8, 10}) {
		t.Error(d, err)
	}
	for _, text := range []string{"", "moves=4", "moves=0,score=5", "moves=x,score=5", "moves=4,score=5,bogus=3"} {
		if r, err := ParseResign(text); err == nil {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

func TestValidate(t *testing.T) {
	c := Default()
	c.Order, c.Openings, c.Concurrency = "bogus", "/no/such/file", 0
	c.A, c.B = Player{Cmd: "no-such-program"}, Player{Nodes: 3, Evals: 3}
	err := c.Validate()
	for _, want := range []string{"games", "order", "openings", "concurrency", "a: one of", "a: cmd", "b: tc, nodes", "b: no cmd"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
	c = Default()
	c.Games, c.Nodes, c.Searcher = 2, 10, mockFactory
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.MoveTime = time.Second
	if err := c.Validate(); err == nil {
		t.Error("nodes and movetime together pass")
	}
}
