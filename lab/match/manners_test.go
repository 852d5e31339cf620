package match

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tesla/lab/match/pgn"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/uci/client/clienttest"
)

// patient are the limits of games with engines that answer sooner or later, on a machine that may be busy.
func patient(a player.Player, log *bytes.Buffer) Config {
	config := Default()
	// Twenty nodes are too few to mate soon, and give the same game each time.
	config.Players = []player.Player{a, {Condition: player.Condition{Nodes: 20}}}
	config.InProcess.Searcher = mockFactory
	config.Games, config.Condition.MoveTime, config.Adjudication.MaxMoves = 2, 20*time.Millisecond, 10
	config.Openings.Plies = 4 // a mock may be mated soon after
	config.Patience.Margin, config.Patience.Start = 10*time.Second, 20*time.Second
	config.Output.Warn = log
	return config
}

func TestManners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode                       string
		crashes, timeouts, illegal int
		want                       stats.Incidents // at least; what is 0 must be 0
		says                       string          // in the PGN or the log
	}{
		{mode: "none", illegal: 1, says: `(none)`},
		{mode: "null", illegal: 1, says: "0000"},
		{mode: "empty", illegal: 1, says: "bestmove without a move"},
		{mode: "braces", illegal: 1, says: "rules infraction"},
		{mode: "twice", want: stats.Incidents{Unasked: 8}, says: `no search was running at "bestmove`},
		{mode: "close", crashes: 2, says: "signal: killed"},
		{mode: "gasp", crashes: 2, says: "exit status 0"},
		{mode: "children", crashes: 2, says: "exit status 0"},
		{mode: "half"},
		{mode: "garbage", want: stats.Incidents{Overlong: 2}, says: `\x00\xff\xfe\x1b[31m`},
		{mode: "badpv", want: stats.Incidents{IllegalPV: 8}, says: "a1a1"},
		{mode: "otherpv", want: stats.Incidents{OtherMove: 8}, says: "but its variation begins with"},
		{mode: "flood", says: "lines of"},
		{mode: "complain", says: "lines of"},
		{mode: "crashgame", want: stats.Incidents{Restarts: 1}, says: "it is started again: new game: crash: exit status 1"},
		{mode: "crashquit", want: stats.Incidents{BadQuit: 1}, says: "after quit it ended with exit status 4"},
		{mode: "hangquit", want: stats.Incidents{BadQuit: 1}, says: "only at SIGTERM"},
		{mode: "deaf", want: stats.Incidents{BadQuit: 1}, says: "was killed"},
		{mode: "nonewline", timeouts: 2, says: "does not answer"},
		{mode: "hanggame", want: stats.Incidents{Restarts: 1}, says: "readyok did not come"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			if testing.Short() && strings.Contains(c.says, "lines of") {
				t.Skip("a flood")
			}
			t.Parallel()
			var log bytes.Buffer
			config := patient(external(t, c.mode), &log)
			if strings.HasPrefix(c.mode, "hang") {
				config.Patience.Start = 3 * time.Second
			}
			if c.mode == "nonewline" {
				config.Patience.Margin, config.Patience.Grace = 500*time.Millisecond, 200*time.Millisecond
			}
			config.Files.PGN, config.Files.Log = filepath.Join(t.TempDir(), "games.text"), filepath.Join(t.TempDir(), "log")
			r, err := run(context.Background(), config)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(config.Files.PGN)
			if err != nil {
				t.Fatal(err)
			}
			if r.Games != 2 || r.Crashes != c.crashes || r.Timeouts != c.timeouts || r.Illegal != c.illegal {
				t.Errorf("%+v\n%s", r, text)
			}
			checkIncidents(t, r.Incidents[0], c.want)
			if r.Incidents[1] != (stats.Incidents{}) {
				t.Errorf("of the other: %+v", r.Incidents[1])
			}
			if flat := strings.ReplaceAll(string(text), "\n", " ") + log.String() + string(read(t, config.Files.Log)); !strings.Contains(flat, c.says) {
				t.Errorf("nobody says %q in\n%s", c.says, flat[:min(len(flat), 4000)])
			}
			if games, notes := pgn.ReadLines(string(text), 0); notes != nil || len(games) != 2 {
				t.Errorf("%d games, %v in\n%s", len(games), notes, text)
			}
			if left := clienttest.LeftOver(t, config.Players[0].Cmd); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// checkIncidents checks that each incident was counted at least as often as wanted, and not at all where none is wanted.
func checkIncidents(t *testing.T, got, want stats.Incidents) {
	t.Helper()
	for _, k := range []struct {
		name      string
		got, want int64
	}{
		{"illegal variations", got.IllegalPV, want.IllegalPV},
		{"other moves", got.OtherMove, want.OtherMove},
		{"unasked", got.Unasked, want.Unasked},
		{"overlong", got.Overlong, want.Overlong},
		{"restarts", got.Restarts, want.Restarts},
		{"bad quits", got.BadQuit, want.BadQuit},
	} {
		if k.got < k.want || k.want == 0 && k.got > 0 {
			t.Errorf("%d %s, want %d", k.got, k.name, k.want)
		}
	}
}

func TestStartsThreeTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mode, want string }{
		{"dies", "starting dies, 3 times in a row: crash: exit status 5 before uciok; " +
			"its last output: no net file | no (hope)"},
		{"saysno", "starting saysno, 3 times in a row: crash: exit status 0 before uciok; " +
			"its last output: Error: no licence"},
		{"hanguci", "starting hanguci, 3 times in a row: no answer: uciok did not come within 2.5s; " +
			"its last output: thinking hard"},
		{"hangready", "starting hangready, 3 times in a row: no answer: readyok did not come within 2.5s; " +
			"its last output: thinking hard"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			config := patient(external(t, c.mode), &log)
			if strings.HasPrefix(c.mode, "hang") {
				config.Patience.Start = 2500 * time.Millisecond
			}
			r, err := run(context.Background(), config)
			if err == nil || r.Games != 0 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v", r, err)
			}
			if r.Incidents[0].Restarts != 2 {
				t.Errorf("%+v", r.Incidents)
			}
			if left := clienttest.LeftOver(t, config.Players[0].Cmd); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestCancelLeavesNothing cancels while an engine thinks and its child sleeps.
func TestCancelLeavesNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	config := patient(external(t, "children"), &log)
	config.Condition.MoveTime = time.Minute
	config.Players[1] = external(t, "nonewline")
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := run(ctx, config); err == nil {
		t.Error("no error")
	}
	if left := append(clienttest.LeftOver(t, config.Players[0].Cmd), clienttest.LeftOver(t, config.Players[1].Cmd)...); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// TestDeserter has a child of the engine leave its group with the pipes open: it cannot be ended, and must not hold up
// the match.
func TestDeserter(t *testing.T) {
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip(err)
	}
	t.Parallel()
	script := filepath.Join(t.TempDir(), "engine")
	text := fmt.Sprintf("#!/bin/sh\n%s sleep 4 &\nread a\necho uciok\nread b\necho readyok\nread c\nexit 7\n", setsid)
	if err := clienttest.WriteScript(script, text); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	config := patient(player.Player{Cmd: script}, &log)
	begin := time.Now()
	_, err = run(context.Background(), config)
	if err == nil || !strings.Contains(err.Error(), "3 times in a row: new game: crash: exit status 7") {
		t.Error(err)
	}
	if d := time.Since(begin); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
}
