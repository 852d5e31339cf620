package player

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestSession splits the options of a player in process into those of the session and those of the searcher.
func TestSession(t *testing.T) {
	p, err := Parse("name=a,search=puct,option.multipv=3,option.Move Overhead=25,option.Ponder=true,option.UCI_ShowWDL=false," +
		"option.UCI_Chess960=true,option.Clear Hash=,option.SyzygyPath=tables,option.Server=here:8001,option.UCI_Elo=1500")
	if err != nil {
		t.Fatal(err)
	}
	s, searcher, err := p.Session()
	if err != nil || s.MultiPV != 3 || s.Overhead == nil || *s.Overhead != 25*time.Millisecond {
		t.Errorf("%+v, %v", s, err)
	}
	if want := []Option{{"SyzygyPath", "tables"}, {"Server", "here:8001"}, {"UCI_Elo", "1500"}}; !reflect.DeepEqual(searcher.Options, want) || len(p.Options) != 9 {
		t.Errorf("%v of %v", searcher.Options, p.Options)
	}
	for text, want := range map[string]string{
		"option.MultiPV=0": "option MultiPV: 0 is not in 1..218", "option.Ponder=yes": "option Ponder: ",
		"option.Debug Log File=x": "no UCI traffic",
	} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Session(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
