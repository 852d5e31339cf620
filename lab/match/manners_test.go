package match

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
)

// tokenVariable marks an engine of one test, and all that it starts, by the path of its script.
const tokenVariable = "TESLA_TEST_TOKEN"

// manners are the bad ones of a test engine.
type manners struct {
	mode  string
	heard map[string]int // commands so far
}

func newManners(mode string) *manners {
	switch mode {
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "children":
		child := exec.Command("sleep", "60")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
	}
	return &manners{mode: mode, heard: map[string]int{}}
}

// hear may take a command out of the engine's hands.
func (m *manners) hear(word string) (taken bool) {
	m.heard[word]++
	switch at := m.mode + " " + word; at {
	case "dies uci":
		fmt.Fprintln(os.Stderr, "no net file\nno {hope}")
		os.Exit(5)
	case "saysno uci":
		fmt.Println("Error: no licence")
		os.Exit(0)
	case "hanguci uci", "hangready isready", "hangquit quit", "deaf quit":
		fmt.Fprintln(os.Stderr, "thinking hard")
		select {}
	case "hanggame ucinewgame", "crashgame ucinewgame":
		if m.heard[word] < 2 {
			return false
		}
		if m.mode == "hanggame" {
			select {}
		}
		os.Exit(1)
	case "crashquit quit":
		os.Exit(4)
	case "garbage isready":
		fmt.Print("\x00\xff\xfe\x1b[31m\n\ninfo\ninfo depth\ninfo score cp\nuciok\nreadyok?\ninfo pv\n\xc3\n")
		fmt.Print(strings.Repeat("x", 300000), "\n")
		fmt.Print("read")
		time.Sleep(20 * time.Millisecond)
		fmt.Print("yok\r\n")
		return true
	}
	return false
}

// move may say something else than the move.
func (m *manners) move(g *board.Game, moves int, move string) (taken bool) {
	third := moves == 3
	switch {
	case m.mode == "none" && third:
		fmt.Println("bestmove (none)")
	case m.mode == "null" && third:
		fmt.Println("bestmove 0000")
	case m.mode == "empty" && third:
		fmt.Println("bestmove")
	case m.mode == "braces" && third:
		fmt.Println("bestmove }{\xff%")
	case m.mode == "twice":
		fmt.Println("bestmove " + move + "\nbestmove " + move)
	case m.mode == "close" && third:
		os.Stdout.Close()
		select {}
	case m.mode == "nonewline" && third:
		fmt.Print("bestmove " + move)
		select {}
	case m.mode == "gasp" && third:
		fmt.Println("bestmove " + move)
		os.Exit(0)
	case m.mode == "children" && third:
		os.Exit(0)
	case m.mode == "half":
		for _, part := range []string{"bes", "tmove", " ", move[:2], move[2:], "\n"} {
			fmt.Print(part)
			time.Sleep(time.Millisecond)
		}
	case m.mode == "badpv":
		fmt.Printf("info depth 5 score cp 7 pv %s a1a1 e2e4\nbestmove %s\n", move, move)
	case m.mode == "otherpv":
		legal := g.Pos.LegalMoves(nil)
		other := g.Pos.UCI(legal[0], false)
		if other == move && len(legal) > 1 {
			other = g.Pos.UCI(legal[1], false)
		}
		fmt.Printf("info depth 5 score cp 7 pv %s\ninfo depth 6 score cp 99 lowerbound pv %s\nbestmove %s\n", other, move, move)
	case m.mode == "flood" || m.mode == "complain":
		flood(m.mode, move)
	default:
		return false
	}
	return true
}

// floodBytes is the output of one move of the flooding engines.
const floodBytes = 4 << 20

func flood(mode, move string) {
	to := os.Stdout
	if mode == "complain" {
		to = os.Stderr
	}
	line := "info depth 9 seldepth 20 multipv 1 score cp 33 nodes 123456 nps 1000000 time 7 pv " + move + "\n"
	block := bytes.Repeat([]byte(line), 64<<10/len(line))
	for n := 0; n < floodBytes; n += len(block) {
		if _, err := to.Write(block); err != nil {
			panic(err)
		}
	}
	fmt.Println("bestmove " + move)
}

// leftOver are the processes that still carry the token, without those that are dead and not yet waited for.
func leftOver(t *testing.T, token string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte(tokenVariable+"="+token)) {
			found = append(found, f)
		}
	}
	return found
}

// patient are the limits of games with engines that answer sooner or later, on a machine that may be busy.
func patient(a player.Player, log *bytes.Buffer) Config {
	config := Default()
	config.Players = []player.Player{a, player.Player{Condition: player.Condition{Nodes: 20}}} // too little to mate soon, and the same game each time
	config.InProcess.Searcher = mockFactory
	config.Games, config.Condition.MoveTime, config.Adjudication.MaxMoves = 2, 20*time.Millisecond, 10
	config.Openings.Plies = 4 // a mock may be mated soon after
	config.Patience.Margin, config.Patience.Start = 10*time.Second, 20*time.Second
	both := &locked{to: log}
	config.Output.Log, config.Output.Warn = both, both
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
		{mode: "empty", illegal: 1, says: "illegal move: none"},
		{mode: "braces", illegal: 1, says: "rules infraction"},
		{mode: "twice", want: stats.Incidents{Unasked: 8}, says: "nobody asked for bestmove"},
		{mode: "close", crashes: 2, says: "signal: killed"},
		{mode: "gasp", crashes: 2, says: "exit status 0"},
		{mode: "children", crashes: 2, says: "exit status 0"},
		{mode: "half"},
		{mode: "garbage", want: stats.Incidents{Overlong: 2}, says: `\x00\xff\xfe\x1b[31m`},
		{mode: "badpv", want: stats.Incidents{IllegalPV: 8}, says: "a1a1"},
		{mode: "otherpv", want: stats.Incidents{OtherMove: 8}, says: "its variation begins with"},
		{mode: "flood", says: "lines of"},
		{mode: "complain", says: "lines of"},
		{mode: "crashgame", want: stats.Incidents{Restarts: 1}, says: "it is started again: new game: crash: exit status 1"},
		{mode: "crashquit", want: stats.Incidents{BadQuit: 1}, says: "after quit it ended with exit status 4"},
		{mode: "hangquit", want: stats.Incidents{BadQuit: 1}, says: "until it was asked"},
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
				config.Patience.Start = 1500 * time.Millisecond
			}
			if c.mode == "nonewline" {
				config.Patience.Margin, config.Patience.Grace = 500*time.Millisecond, 200*time.Millisecond
			}
			config.Files.PGN = filepath.Join(t.TempDir(), "games.text")
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
			if flat := strings.ReplaceAll(string(text), "\n", " ") + log.String(); !strings.Contains(flat, c.says) {
				t.Errorf("nobody says %q in\n%s", c.says, flat[:min(len(flat), 4000)])
			}
			if games, err := pgn.ReadLines(string(text), 0); err != nil || len(games) != 2 {
				t.Errorf("%d games, %v in\n%s", len(games), err, text)
			}
			if left := leftOver(t, config.Players[0].Cmd); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// checkIncidents wants at least so many, and none where none is wanted.
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
		{"dies", "dies cannot be started, 3 times in a row: crash: exit status 5 when uciok was awaited; " +
			"its last words: no net file | no (hope)"},
		{"saysno", "saysno cannot be started, 3 times in a row: crash: exit status 0 when uciok was awaited; " +
			"its last words: Error: no licence"},
		{"hanguci", "hanguci cannot be started, 3 times in a row: no answer: uciok did not come; its last words: thinking hard"},
		{"hangready", "hangready cannot be started, 3 times in a row: no answer: readyok did not come; " +
			"its last words: thinking hard"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			config := patient(external(t, c.mode), &log)
			if strings.HasPrefix(c.mode, "hang") {
				config.Patience.Start = 700 * time.Millisecond
			}
			r, err := run(context.Background(), config)
			if err == nil || r.Games != 0 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v", r, err)
			}
			if r.Incidents[0].Restarts != 2 {
				t.Errorf("%+v", r.Incidents)
			}
			if left := leftOver(t, config.Players[0].Cmd); left != nil {
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
	if left := append(leftOver(t, config.Players[0].Cmd), leftOver(t, config.Players[1].Cmd)...); left != nil {
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
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
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
