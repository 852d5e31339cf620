package match

import (
	"strings"
	"testing"
	"time"

	"tesla/lab/match/player"
	"tesla/lab/match/stats"
)

func TestParseAdjudication(t *testing.T) {
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
	if err := valid().Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Games = 0 }, "--games: 0, want at least 1"},
		{func(c *Config) { c.Players = c.Players[:1] }, "--player: 1 players, want at least two"},
		{func(c *Config) { c.Format = "knockout" }, `--format: "knockout", want round-robin or gauntlet`},
		{func(c *Config) { c.SPRT = &stats.SPRT{Elo0: 5} }, "--sprt: elo0 5 is not below elo1 0"},
		{func(c *Config) {
			c.SPRT, c.Players = &stats.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}, make([]player.Player, 3)
		},
			"--sprt: a test that ends the match early needs two"},
		{func(c *Config) { c.Files.Resume = true }, "--resume: no journal to resume"},
		{func(c *Config) { c.Patience.Margin = -1 }, "--timemargin: -1ns is negative"},
		{func(c *Config) { c.Patience.Start = 0 }, "--starttime: 0s, want more than zero"},
		{func(c *Config) { c.Patience.Hang = 0 }, "hang: 0s"},
		{func(c *Config) { c.Patience.Grace = -1 }, "grace: -1ns"},
		{func(c *Config) { c.Patience.Overhead = -1 }, "overhead: -1ns"},
		{func(c *Config) { c.Openings.File = "/no/such/file" }, "--openings: "},
		{func(c *Config) { c.Openings.Order = "bogus" }, `--order: "bogus", want random or file`},
		{func(c *Config) { c.Openings.Plies = -2 }, "--plies: -2 is negative"},
		{func(c *Config) { c.Adjudication.MaxMoves = -1 }, "--maxmoves: -1"},
		{func(c *Config) { c.Adjudication.Resign.Moves = -1 }, "--resign: negative"},
		{func(c *Config) { c.Adjudication.Draw.From = -1 }, "--draw: negative"},
		{func(c *Config) { c.Machine.Concurrency = 0 }, "--concurrency: 0, want at least 1"},
		{func(c *Config) { c.Machine.Cores = -1 }, "--cores: -1"},
		{func(c *Config) { c.Machine.Devices = -1 }, "--devices: -1"},
		{func(c *Config) { c.Condition.Nodes = -1 }, "--nodes: -1"},
		{func(c *Config) { c.Condition = player.Condition{Evals: -1} }, "--evals: -1"},
		{func(c *Config) { c.Condition = player.Condition{MoveTime: -1} }, "--movetime: -1ns"},
		{func(c *Config) { c.Condition.MoveTime = time.Second }, "--tc: tc, nodes, evals and movetime exclude each other"},
		{func(c *Config) { c.Condition.Nodes = 0 }, "--a: want one of tc, nodes, evals and movetime"},
		{func(c *Config) { c.Ponder = true }, "--a: a player that ponders (--ponder) needs tc or movetime, not "},
		{func(c *Config) { c.Players[1].Condition = player.Condition{Nodes: 3, Evals: 3} },
			"--b: tc, nodes and evals exclude"},
		{func(c *Config) { c.Players[0].Cmd = "no-such-program" }, "--a: cmd: "},
		{func(c *Config) { c.Players[0].Cmd, c.Condition = "sh", player.Condition{Evals: 5} },
			"--a: no limit by evals"},
		{func(c *Config) { c.InProcess.Searcher = nil }, "--b: no cmd"},
		{func(c *Config) { c.Players = append(c.Players, player.Player{Cmd: "no-such-program"}) }, "--player c: cmd"},
	} {
		config := valid()
		c.change(config)
		if err := config.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	config := valid()
	config.Games, config.Openings.Order, config.Machine.Cores, config.Players[0].Cmd = 0, "bogus", -1, "no-such-program"
	if err := config.Validate(); strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("not all four errors at once: %v", err)
	}
}

// valid is a configuration that passes.
func valid() *Config {
	c := Default()
	c.Games, c.Condition.Nodes, c.InProcess.Searcher = 2, 10, mockFactory
	return &c
}
