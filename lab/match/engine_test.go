package match

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"tesla/lab/match/pgn"
	"tesla/lab/match/player"
	"tesla/uci/client/clienttest"
)

func TestMain(m *testing.M) {
	if clienttest.Main() {
		return
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = f.Value.Set("6") // most tests of engines only wait
	}
	os.Exit(m.Run())
}

// external is the engine of package clienttest as a player that misbehaves in the given way.
func external(t *testing.T, mode string) player.Player {
	t.Helper()
	p, err := player.Parse("cmd=" + clienttest.Script(t, mode) + ",name=" + mode + ",hash=2")
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
			if c.timeouts == 0 {
				config.Patience.Margin = 10 * time.Second
			}
			config.Files.PGN = filepath.Join(t.TempDir(), "games.pgn")
			config.Files.Log = filepath.Join(t.TempDir(), "log")
			r, err := run(context.Background(), config)
			if err != nil {
				t.Fatal(err)
			}
			text, log := read(t, config.Files.PGN), string(read(t, config.Files.Log))
			mated := strings.Count(string(text), "mates}") // it moves at random, and can be mated in six moves
			if r.Games != 2 || r.Crashes != c.crashes || r.Timeouts != c.timeouts || r.Illegal != c.illegal ||
				r.Losses != c.crashes+c.timeouts+c.illegal+mated || r.Wins != 0 {
				t.Errorf("%+v\n%s\n%s", r, text, log)
			}
			if !strings.Contains(string(text), `[Termination "`+c.termination) || !strings.Contains(string(text), "{+0.12/3 ") {
				t.Errorf("%s", text)
			}
			if c.mode == "crash" && !strings.Contains(log, "the test engine crashes") {
				t.Error("the log lacks the engine's stderr")
			}
			if games, notes := pgn.ReadLines(string(text), 0); notes != nil || len(games) != 2 {
				t.Errorf("%d games, %v", len(games), notes)
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
		{func() player.Player {
			p := external(t, "sound")
			p.Hash = 65
			return p
		}(), "option Hash: 65 is above the maximum 64"},
	} {
		config := Default()
		config.Players[0], config.Players[1], config.InProcess.Searcher = c.player, player.Player{}, mockFactory
		config.Games, config.Condition.Nodes = 2, 10
		if _, err := run(context.Background(), config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
