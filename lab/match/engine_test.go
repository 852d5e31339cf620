package match

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/lab/match/player"
	"tesla/search"
)

// The test binary is the external engine when this variable is set: its value is when and how it misbehaves.
const engineVariable = "TESLA_TEST_ENGINE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(engineVariable); mode != "" {
		talk(mode)
		return
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = f.Value.Set("6") // most tests of engines only wait
	}
	os.Exit(m.Run())
}

// talk is a UCI engine that plays random moves, the same ones in each run.
func talk(mode string) {
	var g *board.Game
	var list [board.MaxMoves]board.Move
	source := rand.New(rand.NewPCG(7, 7))
	chess960, moves := false, 0
	manners := newManners(mode)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || manners.hear(words[0]) {
			continue
		}
		switch words[0] {
		case "uci":
			fmt.Println("id name test\noption name Hash type spin default 1\noption name UCI_Chess960 type check\nuciok")
		case "setoption":
			chess960 = chess960 || strings.Contains(lines.Text(), "UCI_Chess960 value true")
		case "isready":
			fmt.Println("readyok")
		case "position":
			g = setUp(words, chess960)
		case "go":
			moves++
			legal := g.Pos.LegalMoves(list[:0])
			m := g.Pos.UCI(legal[source.IntN(len(legal))], chess960)
			fmt.Println("info depth 3 multipv 1 score cp 12 nodes 99 pv " + m + "\ninfo depth 4 multipv 2 score cp -50 pv " + m)
			if moves == 3 {
				switch mode {
				case "crash":
					fmt.Fprintln(os.Stderr, "the test engine crashes")
					os.Exit(3)
				case "hang":
					select {}
				case "late":
					time.Sleep(600 * time.Millisecond)
				case "illegal":
					m = "e1e5"
				}
			}
			if !manners.move(g, moves, m) {
				fmt.Println("bestmove " + m)
			}
		case "quit":
			return
		}
	}
}

func setUp(words []string, chess960 bool) *board.Game {
	start, rest := board.StartPosition(), words[2:]
	if words[1] == "fen" {
		p, err := board.ParseFEN(strings.Join(words[2:8], " "))
		if err != nil {
			panic(err)
		}
		start, rest = p, words[8:]
	}
	g := board.NewGame(start)
	for _, w := range rest {
		if w == "moves" {
			continue
		}
		m, err := g.Pos.ParseMove(w, chess960)
		if err != nil {
			panic(err)
		}
		g.Play(m)
	}
	return g
}

// external is the test binary as a player that misbehaves in the given way.
func external(t *testing.T, mode string) player.Player {
	t.Helper()
	script := filepath.Join(t.TempDir(), "engine")
	text := fmt.Sprintf("#!/bin/sh\n%s=%s %s=%s exec %s\n", engineVariable, mode, tokenVariable, script, os.Args[0])
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := player.Parse("cmd=" + script + ",name=" + mode + ",hash=2")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestExternal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode                       string
		crashes, timeouts, illegal int
		termination                string
	}{
		{"sound", 0, 0, 0, ""},
		{"crash", 2, 0, 0, "abandoned"}, // a fresh one each game crashes at its own third move
		{"hang", 0, 2, 0, "time forfeit"},
		{"late", 0, 1, 0, "time forfeit"}, // it is not replaced, and is late but once
		{"illegal", 0, 0, 1, "rules infraction"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			config := Default()
			config.Players = []player.Player{external(t, c.mode), player.Player{}}
			config.InProcess.Searcher = mockFactory
			config.Openings.Plies = 4 // a mock may be mated soon after
			config.Games, config.Condition.MoveTime, config.Adjudication.MaxMoves = 2, 20*time.Millisecond, 6
			config.Patience.Margin, config.Patience.Grace = 300*time.Millisecond, 900*time.Millisecond
			config.Files.PGN = filepath.Join(t.TempDir(), "games.pgn")
			var log bytes.Buffer
			config.Output.Log = &log
			r, err := run(context.Background(), config)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(config.Files.PGN)
			if err != nil {
				t.Fatal(err)
			}
			mated := strings.Count(string(text), "mates}") // it moves at random, and can be mated in six moves
			if r.Games != 2 || r.Crashes != c.crashes || r.Timeouts != c.timeouts || r.Illegal != c.illegal ||
				r.Losses != c.crashes+c.timeouts+c.illegal+mated || r.Wins != 0 {
				t.Errorf("%+v\n%s\n%s", r, text, log.String())
			}
			if !strings.Contains(string(text), `[Termination "`+c.termination) || !strings.Contains(string(text), "{+0.12/3 ") {
				t.Errorf("%s", text)
			}
			if c.mode == "crash" && !strings.Contains(log.String(), "the test engine crashes") {
				t.Error("the log lacks the engine's stderr")
			}
			if games, err := pgn.ReadLines(string(text), 0); err != nil || len(games) != 2 {
				t.Errorf("%d games, %v", len(games), err)
			}
		})
	}
}

func TestExternalFailsToStart(t *testing.T) {
	for _, c := range []struct {
		player player.Player
		want   string
	}{
		{player.Player{Cmd: "/bin/true"}, "crash"},
		{func() player.Player {
			p := external(t, "sound")
			p.Options = []player.Option{{Name: "Contempt", Value: "3"}}
			return p
		}(), `no option "Contempt"`},
	} {
		config := Default()
		config.Players[0], config.Players[1], config.InProcess.Searcher = c.player, player.Player{}, mockFactory
		config.Games, config.Condition.Nodes = 2, 10
		if _, err := run(context.Background(), config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestReadInfo(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  search.Score
		depth int
	}{
		{[]string{"info depth 7 score cp 31 nodes 5 pv e2e4"}, search.Score{CP: 31}, 7},
		{[]string{"info depth 9 score mate -3", "info string depth 99 score cp 1"}, search.Score{Mate: -3}, 9},
		{[]string{"info depth 7 score cp 31", "info depth 8 score cp 60 lowerbound"}, search.Score{CP: 31}, 7},
		{[]string{"info depth 8 score cp 60 lowerbound"}, search.Score{CP: 60}, 8},
		{[]string{"info depth 8 multipv 1 score cp 60", "info depth 8 multipv 2 score cp 1"}, search.Score{CP: 60}, 8},
		{[]string{"info depth 8 currmove e2e4", "info", "bogus", "info depth"}, search.Score{}, 0},
	} {
		var r reply
		for _, l := range c.lines {
			readInfo([]byte(l), &r)
		}
		if r.info.Score != c.want || r.info.Depth != c.depth || r.scored != (c.depth > 0) {
			t.Errorf("%q: %+v", c.lines, r)
		}
	}
}
