package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tesla/board"
	"tesla/tablebase/tabletest"
)

// scored is what a search reported last of a line, and its move.
type scored struct {
	kind       string // cp or mate
	score      int
	bound      bool // the score is one
	tbhits     int
	move, best string // of the line, and of bestmove
	line       string
}

var tableInfo = regexp.MustCompile(`^info depth .* multipv (\d+) score (cp|mate) (-?\d+) (.*bound)?.* tbhits (\d+) .* pv (.+)`)

// decided reports whether a score says that the game is won or lost, by mate or by tables.
func (x scored) decided() bool { return x.kind == "mate" || x.score > 19000 || x.score < -19000 }

// follow plays the line of a report from a position.
func (x scored) follow(t *testing.T, from board.Position) *board.Game {
	t.Helper()
	g := board.NewGame(from)
	for _, text := range strings.Fields(x.line) {
		m, err := g.Pos.ParseMove(text)
		if err != nil {
			t.Fatalf("%s, %s: %v", from.FEN(false), x.line, err)
		}
		g.Play(m)
	}
	return g
}

// search asks for a search and returns its last lines, by rank from 1. Complaints are returned, too.
func (g *gui) search(position, limits string) (lines map[int]scored, complaints []string) {
	g.t.Helper()
	return g.watch(position, limits, func(scored) {})
}

// watch is search, which tells of each line that is reported.
func (g *gui) watch(position, limits string, tell func(scored)) (lines map[int]scored, complaints []string) {
	g.t.Helper()
	g.say("position %s\ngo %s", position, limits)
	lines = map[int]scored{}
	for g.out.Scan() {
		text := g.out.Text()
		if m := tableInfo.FindStringSubmatch(text); m != nil {
			rank, _ := strconv.Atoi(m[1])
			score, _ := strconv.Atoi(m[3])
			hits, _ := strconv.Atoi(m[5])
			move, _, _ := strings.Cut(m[6], " ")
			lines[rank] = scored{kind: m[2], score: score, bound: m[4] != "", tbhits: hits, move: move, line: m[6]}
			tell(lines[rank])
		} else if strings.HasPrefix(text, "info string") && !strings.HasPrefix(text, "info string searching with ") &&
			!strings.HasPrefix(text, "info string evaluations ") {
			complaints = append(complaints, text)
		} else if best, ok := strings.CutPrefix(text, "bestmove "); ok {
			x := lines[1]
			x.best = strings.Fields(best)[0]
			lines[1] = x
			return lines, complaints
		}
	}
	g.t.Fatal("the engine ended")
	return nil, nil
}

// ready is what the engine says until readyok.
func (g *gui) ready() (said string) {
	g.say("isready")
	for g.out.Scan() && g.out.Text() != "readyok" {
		said += g.out.Text() + "\n"
	}
	return said
}

// Endgame tables through the real session, for each searcher.
func TestTables(t *testing.T) {
	dir := tabletest.Folder(t)
	for name, test := range map[string]func(*testing.T, string){"searchers": tablesOfSearchers, "paths": tablesOfPaths, "bad": badTables} {
		t.Run(name, func(t *testing.T) { test(t, dir) })
	}
}

func tablesGUI(t *testing.T, options ...string) *gui {
	g := newGUI(t)
	for _, o := range append([]string{"Threads value 1", "Hash value 1", "TreeMemory value 16", "Backend value nnue"}, options...) {
		g.say("setoption name %s", o)
	}
	t.Cleanup(func() {
		g.say("quit")
		for g.out.Scan() {
		}
		if code := <-g.ends; code != exitDone {
			t.Errorf("exit code %d", code)
		}
	})
	return g
}

const (
	wonPawn = "fen 8/8/8/3k4/8/8/3KP3/8 w - - 0 1"
)

func tablesOfSearchers(t *testing.T, dir string) {
	g := tablesGUI(t, "SyzygyPath value "+dir)
	for _, name := range searchers {
		g.say("setoption name Search value %s\nsetoption name MultiPV value 1\nucinewgame", name)
		g.ready()
		for _, c := range []struct {
			position, limits string
			best             string // "": any
			least, most      int    // of the score
		}{
			{wonPawn, "nodes 200", "d2d3", 19989, 19989},
			{wonPawn, "wtime 1000 btime 1000", "d2d3", 19989, 19989},
			{wonPawn, "nodes 100 searchmoves e2e4 d2e1", "", 0, 0},
			{"fen 8/8/8/3k4/8/8/3KP3/8 b - - 0 1", "nodes 100", "", 0, 0},                // Black to move holds
			{"fen 8/8/8/3k4/8/8/3KQ3/8 b - - 0 1", "nodes 100", "", -20000, -19000},      // lost
			{"fen 8/8/8/3k4/8/8/3KP3/8 w - - 90 80", "nodes 100", "d2d3", 1, 1},          // the fifty moves are near
			{"fen 8/8/8/3k4/8/1n6/1R6/1K6 w - - 0 1", "nodes 300", "b2b3", 19990, 20000}, // a capture leads to the tables
			{"fen 8/8/8/3k4/8/1n6/1R6/1K6 w - - 0 1", "wtime 3000 btime 3000", "b2b3", 19990, 20000},
			{"fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "nodes 20", "", -10000, 10000}, // castling rights
		} {
			lines, complaints := g.search(c.position, c.limits)
			x := lines[1]
			if c.best != "" && x.best != c.best || x.kind != "cp" || x.score < c.least || x.score > c.most || x.move != x.best || len(complaints) > 0 {
				t.Errorf("%s: %s, %s: %+v, %q", name, c.position, c.limits, x, complaints)
			}
			// On a clock the answer may come from the transposition table, which the search before has filled.
			if hits := x.tbhits > 0; strings.HasPrefix(c.limits, "nodes") && hits == strings.Contains(c.position, " K ") {
				t.Errorf("%s: %s: %d hits", name, c.position, x.tbhits)
			}
		}
		g.say("setoption name MultiPV value 3")
		lines, _ := g.search(wonPawn, "nodes 300")
		if lines[1].score != 19989 || lines[1].best != "d2d3" || len(lines) != 3 || lines[3].score > lines[2].score || lines[2].score > lines[1].score {
			t.Errorf("%s: three lines: %v", name, lines)
		}
		lines, _ = g.search("fen 6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "mate 1 nodes 5000")
		if lines[1].kind != "mate" || lines[1].score != 1 {
			t.Errorf("%s: mate in one: %v", name, lines[1])
		}
	}
	// A stop is obeyed, and the tables' answer is kept until then.
	g.say("setoption name Search value bestfirst\nposition %s\ngo infinite", wonPawn)
	for g.out.Scan() && !strings.Contains(g.out.Text(), "pv d2d3") {
	}
	g.say("stop")
	if best := g.hear("bestmove"); !strings.HasPrefix(best, "bestmove d2d3") {
		t.Error(best)
	}
}

// Tables come and go with their paths, and are opened again only when these change.
func tablesOfPaths(t *testing.T, dir string) {
	g := tablesGUI(t, "Search value lazysmp")
	if lines, _ := g.search(wonPawn, "nodes 100"); lines[1].tbhits != 0 {
		t.Error("hits without tables")
	}
	list := string(os.PathListSeparator)
	g.say("setoption name SyzygyPath value %s%s%s", filepath.Join(dir, "absent"), list, dir)
	if said := g.ready(); !strings.Contains(said, "5 Syzygy tables of values and 5 of distances, of up to 3 pieces") ||
		!strings.Contains(said, "absent") {
		t.Errorf("%q", said)
	}
	for option, hits := range map[string]bool{"Threads value 2": true, "SyzygyProbeLimit value 2": false, "SyzygyProbeLimit value 3": true,
		"Syzygy50MoveRule value false": true, "SyzygyProbeDepth value 5": true} {
		g.say("setoption name %s", option)
		if said := g.ready(); strings.Contains(said, "tables") {
			t.Errorf("%s: %q", option, said)
		}
		if strings.HasPrefix(option, "SyzygyProbeLimit") {
			if lines, _ := g.search(wonPawn, "nodes 100"); (lines[1].tbhits > 0) != hits {
				t.Errorf("%s: %d hits", option, lines[1].tbhits)
			}
		}
	}
	g.say("setoption name SyzygyProbeLimit value 7")
	g.ready()
	if lines, _ := g.search("fen 8/8/8/3k4/8/8/3KP3/8 w - - 90 80", "nodes 100"); lines[1].score != 19989 {
		t.Errorf("without the fifty-move rule: %+v", lines[1])
	}
	g.say("setoption name SyzygyPath value <empty>")
	if said := g.ready(); said != "" {
		t.Errorf("%q", said)
	}
	if lines, _ := g.search(wonPawn, "nodes 100"); lines[1].tbhits != 0 {
		t.Error("hits without tables")
	}
}

// A table that is bad is told of once, and the search goes on; so it does where the files have gone.
func badTables(t *testing.T, dir string) {
	bad := t.TempDir()
	paths, err := filepath.Glob(filepath.Join(dir, "*.rtb?"))
	if err != nil || len(paths) != 10 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) == "KRvK.rtbw" {
			data = data[:10]
		}
		if err := os.WriteFile(filepath.Join(bad, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g := tablesGUI(t)
	g.say("setoption name SyzygyPath value %s", bad)
	if said := g.ready(); strings.Count(said, "error") != 1 || !strings.Contains(said, "KRvK.rtbw") {
		t.Errorf("%q", said)
	}
	for _, position := range []string{"fen 8/8/8/3k4/8/8/3KR3/8 w - - 0 1", "fen 8/8/8/3k4/8/1n6/1R6/1K6 w - - 0 1", wonPawn} {
		for range 2 {
			lines, complaints := g.search(position, "nodes 200")
			if len(complaints) > 0 || fmt.Sprint(lines[1].score > 19000) != fmt.Sprint(position == wonPawn) {
				t.Errorf("%s: %+v, %q", position, lines[1], complaints)
			}
		}
	}
	// Files that go after they were opened are still read.
	for _, path := range paths {
		if err := os.Remove(filepath.Join(bad, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	if lines, complaints := g.search(wonPawn, "nodes 200"); lines[1].score != 19989 || len(complaints) > 0 {
		t.Errorf("after the files have gone: %+v, %q", lines[1], complaints)
	}
}
