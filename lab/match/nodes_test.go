package match

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

// A player that does not keep to its nodes is told of once, and counted; one that does is not.
func TestOtherNodes(t *testing.T) {
	for _, c := range []struct {
		asked, used int64
		mate, cp    int
		moves       string // FEN
		want        int64
	}{
		{2000, 9, 0, 30, "", 1}, {2000, 272036, 0, 30, "", 1}, {2000, 272036, 0, 0, "", 1}, {2000, 1800, 0, 30, "", 0}, {2000, 9000, 0, 30, "", 0},
		{2000, 9, 3, 0, "", 0}, {2000, 9, 0, 0, "", 0}, {2000, 0, 0, 30, "", 0}, {0, 9, 0, 30, "", 0},
		{2000, 9, 0, 30, "7k/6Q1/8/8/8/8/8/K7 b - - 0 1", 0},
	} {
		p := board.StartPosition()
		if c.moves != "" {
			p, _ = board.ParseFEN(c.moves)
		}
		var said bytes.Buffer
		v := &shared{names: []string{"a", "b"}, count: make([][incidentKinds]atomic.Int64, 2), reports: make([][]string, 2), warn: &said}
		s := &seat{shared: v, side: 1, name: "b", spec: &player.Player{}, condition: player.Condition{Nodes: c.asked}, config: &Config{}}
		r := &record{fixture: fixture{}, game: board.NewGame(p)}
		for range 3 {
			s.compareNodes(r, &reply{info: search.Info{Nodes: c.used, Score: search.Score{Mate: c.mate, CP: c.cp}}}, nil)
		}
		if got := v.incidents()[1].OtherNodes; got != 3*c.want || int64(strings.Count(said.String(), "\n")) != c.want || int64(len(v.reports[1])) != c.want {
			t.Errorf("%+v: counted %d, said %q", c, got, said.String())
		}
	}
}

// A player that is to play weakly moves otherwise than its variation says, and that is no incident.
func TestLimitedStrength(t *testing.T) {
	for text, want := range map[string]int64{"cmd=x": 1, "cmd=x,option.UCI_LimitStrength=true": 0, "cmd=x,option.Skill Level=3": 0,
		"cmd=x,option.UCI_LimitStrength=false": 1} {
		p, err := player.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v := &shared{names: []string{"a"}, count: make([][incidentKinds]atomic.Int64, 1), reports: make([][]string, 1)}
		s := &seat{shared: v, spec: &p}
		s.happened(otherMove, 1, "it moves")
		if got := v.incidents()[0]; got != (stats.Incidents{OtherMove: want}) {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// The journal alone says what to resume: its header is that of the first start.
func TestRecall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	config := Default()
	config.Players = []player.Player{{}, {Condition: player.Condition{Nodes: 40}}}
	config.InProcess.Searcher, config.Games, config.Condition.Evals, config.Adjudication.MaxMoves = mockFactory, 4, 20, 10
	config.Adjudication.Resign = Resign{Moves: 4, Score: 900}
	config.SPRT, _ = stats.ParseSPRT("0,5")
	config.Files.Journal = path
	ctx, cancel := context.WithCancel(t.Context())
	config.Output.Out = writerFunc(func(p []byte) (int, error) {
		if bytes.Contains(p, []byte("game ")) {
			cancel()
		}
		return len(p), nil
	})
	if _, err := Play(ctx, config); err == nil {
		t.Fatal("the match was not interrupted")
	}
	again := Default()
	if err := again.Recall(path); err != nil {
		t.Fatal(err)
	}
	again.InProcess.Searcher, again.Files = mockFactory, Files{Journal: path, Resume: true}
	table, err := Play(t.Context(), again)
	if err != nil || table.First().Games != 4 {
		t.Errorf("%v: %+v", err, table.First())
	}
	games, err := ReadGames(path, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if test := games.Followed.Header.Test; test == nil || test.String() != config.SPRT.String() {
		t.Errorf("the test is %v", test)
	}
	if err := again.Recall(path + "x"); err == nil {
		t.Error("no journal")
	}
}

// writerFunc is a function that writes.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
