package treemachine

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"tesla/board"
	"tesla/uci/client"
	"tesla/uci/client/clienttest"
)

// The test binary is a UCI engine where it is asked to be.
func TestMain(m *testing.M) {
	if !clienttest.Main() {
		os.Exit(m.Run())
	}
}

// A UCI engine gives a leaf its value and a move, is stopped where the root says so, and is started again for Chess960.
// One that crashes is an error.
func TestForeign(t *testing.T) {
	leafTask := &task{Leaf: &leaf{Further: 2}}
	never := func() bool { return false }
	start := board.StartPosition()
	double, err := board.ParseFEN("nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	open := func(mode string, log *bytes.Buffer, options ...client.Option) *foreign {
		mind, err := newThinker(t.Context(), order{Engine: &Engine{clienttest.Script(t, mode), options}, LeafDepth: 5})
		if err != nil {
			t.Fatal(err)
		}
		f := mind.(*foreign)
		t.Cleanup(func() { _ = f.close() })
		f.engine.Close()
		f.config.Log = append(f.config.Log, log)
		if err := f.start(t.Context()); err != nil {
			t.Fatal(err)
		}
		return f
	}
	log := &bytes.Buffer{}
	f := open("sound", log, client.Option{Name: "Hash", Value: "3"})
	for _, p := range []*board.Position{&start, &double} {
		r, err := f.think(leafTask, p, never)
		if err == nil {
			err = f.newGame()
		}
		if err != nil || r.Stopped || r.Found.Value != 12 || r.Found.Nodes != 99 || r.Found.Move == board.NullMove {
			t.Errorf("%s: %+v, %v", p.FEN(true), r, err)
		}
	}
	_ = f.close()
	for _, want := range []string{"setoption name Hash value 3", "go nodes 1000000 depth 7", "setoption name UCI_Chess960 value true", "ucinewgame"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the engine is not told %q: %s", want, log)
		}
	}
	log = &bytes.Buffer{}
	f = open("slow", log)
	if r, err := f.think(leafTask, &start, func() bool { return true }); err != nil || !r.Stopped {
		t.Errorf("stopped: %+v, %v", r, err)
	}
	_ = f.close()
	if !strings.Contains(log.String(), "stop") {
		t.Errorf("the engine is not stopped: %s", log)
	}
	f = open("crash", &bytes.Buffer{})
	for range 3 {
		_, err = f.think(leafTask, &start, never)
	}
	if !errors.Is(err, client.ErrCrash) {
		t.Errorf("a crash: %v", err)
	}
	if _, err := newThinker(t.Context(), order{Engine: &Engine{Path: "/nonexistent"}}); err == nil {
		t.Error("an engine that is not there searches")
	}
}
