package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tesla/batcher"
	"tesla/match"
	"tesla/search"
	"tesla/uci"
)

type matchResult struct {
	match.Result
	Commit string `json:"commit"`
}

// owned is a searcher that takes its engine with it.
type owned struct {
	search.Searcher
	engine *engine
}

func (o owned) Close() error { return o.engine.Close() }

// makePlayer makes the searcher of a player in process.
func makePlayer(p match.Player) (search.Searcher, error) {
	set := uci.DefaultSettings()
	for _, f := range []struct {
		to   *string
		from string
	}{{&set.Search, p.Search}, {&set.Backend, p.Backend}, {&set.WeightsFile, p.Weights}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	for _, f := range []struct {
		to   *int
		from int
	}{{&set.Threads, p.Threads}, {&set.Hash, p.Hash}} {
		if f.from != 0 {
			*f.to = f.from
		}
	}
	for _, o := range p.Options {
		if err := setPlayerOption(&set, o); err != nil {
			return nil, err
		}
	}
	if err := checkSettings(&set); err != nil {
		return nil, err
	}
	e := &engine{}
	s, _, err := e.open(set)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return owned{s, e}, nil
}

// onDevice tells whether a player in process computes on the accelerator.
func onDevice(p match.Player) bool {
	if p.Backend != "" && p.Backend != "auto" {
		return p.Backend == "cuda" || p.Backend == "tensorrt"
	}
	for _, s := range batcher.Probe() {
		if s.Name == "cuda" {
			return s.OK
		}
	}
	return false
}

// setPlayerOption obeys the options that a searcher in process has besides a player's keys.
func setPlayerOption(set *uci.Settings, o match.Option) error {
	to := map[string]*int{"batchsize": &set.BatchSize, "treememory": &set.TreeMemory}[strings.ToLower(o.Name)]
	if to == nil {
		return usage("option %s: players in process have BatchSize and TreeMemory", o.Name)
	}
	n, err := strconv.Atoi(o.Value)
	if err != nil || n < 0 {
		return usage("option %s: %q is not a whole number", o.Name, o.Value)
	}
	*to = n
	return nil
}

func matchCommand() *cobra.Command {
	c := &cobra.Command{Use: "match", Short: "play games between two players and say which is better, and by how much",
		Args: cobra.NoArgs}
	cfg := match.Default()
	f := c.Flags()
	a, b := f.String("a", "", `first player, "key=value,.."`), f.String("b", "", `second player, "key=value,.."`)
	f.IntVar(&cfg.Games, "games", 100, "games to play, two for each opening")
	tc := f.String("tc", "", `clock, seconds: "10+0.1", "40/60"`)
	f.Int64Var(&cfg.Nodes, "nodes", 0, "nodes for each move")
	f.Int64Var(&cfg.Evals, "evals", 0, "evaluations for each move")
	f.Func("movetime", "milliseconds for each move", durationMS(&cfg.MoveTime))
	f.StringVar(&cfg.Openings, "openings", "", "EPD or PGN file (default: a small built-in book)")
	f.StringVar(&cfg.Order, "order", cfg.Order, "of the openings: random or file")
	f.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "of the random order")
	f.IntVar(&cfg.Plies, "plies", 0, "plies of a PGN opening that are played, 0: all")
	f.IntVar(&cfg.Concurrency, "concurrency", cfg.Concurrency, "games at a time")
	f.IntVar(&cfg.Cores, "cores", 0, "cores to play on, 0: all")
	f.BoolVar(&cfg.Oversubscribe, "oversubscribe", false, "play --concurrency games at a time even where cores are too few")
	f.BoolVar(&cfg.Pin, "pin", false, "pin external engines to the cores of their game (Linux)")
	f.IntVar(&cfg.MaxMoves, "maxmoves", cfg.MaxMoves, "moves until a game counts as drawn, 0: no limit")
	f.Func("timemargin", "milliseconds that a clock may be overdrawn by", durationMS(&cfg.Margin))
	f.Func("starttime", "milliseconds that a player is given to start (default 60000)", durationMS(&cfg.StartTime))
	f.BoolVar(&cfg.Chess960, "chess960", false, "Chess960 in the protocol")
	f.StringVar(&cfg.PGN, "pgn", "", "file that games are appended to")
	resign, draw := f.String("resign", "", `adjudication: "moves=4,score=800"`), f.String("draw", "", `adjudication: "from=40,moves=8,score=10"`)
	asJSON := f.Bool("json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := readMatch(&cfg, *a, *b, *tc, *resign, *draw); err != nil {
			return usageError{err}
		}
		cfg.Searcher, cfg.OnDevice, cfg.Warn = makePlayer, onDevice, c.ErrOrStderr()
		if !*asJSON {
			cfg.Out = c.OutOrStdout()
		}
		if err := cfg.Validate(); err != nil {
			return usageError{fmt.Errorf("match: %s", strings.ReplaceAll(err.Error(), "\n", "; "))}
		}
		ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
		defer stop()
		r, err := match.Run(ctx, cfg)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(c.OutOrStdout(), matchResult{r, commit()})
		}
		fmt.Fprintf(c.OutOrStdout(), "games %d: +%d =%d -%d, pairs %v, Elo %.1f +- %.1f, LOS %.3f, crashes %d, timeouts %d, illegal %d\n",
			r.Games, r.Wins, r.Draws, r.Losses, r.Ptnml, r.Elo, r.EloError, r.LOS, r.Crashes, r.Timeouts, r.Illegal)
		for i, side := range []string{"a", "b"} {
			if r.Incidents[i] != (match.Incidents{}) {
				fmt.Fprintf(c.OutOrStdout(), "incidents of %s: %s\n", side, r.Incidents[i])
			}
		}
		fmt.Fprintf(c.OutOrStdout(), "between moves: %.0f us, at most %.0f us in 99 of 100, %.0f us in all\n",
			r.Overhead.P50, r.Overhead.P99, r.Overhead.Max)
		return nil
	}
	return c
}

// readMatch parses what flags hold as text; an empty text leaves its default.
func readMatch(cfg *match.Config, a, b, tc, resign, draw string) (err error) {
	parse := func(s, flag string, read func(string) error) {
		if s == "" {
			return
		}
		if e := read(s); e != nil {
			err = errors.Join(err, fmt.Errorf("--%s: %w", flag, e))
		}
	}
	parse(a, "a", func(s string) (err error) { cfg.A, err = match.ParsePlayer(s); return })
	parse(b, "b", func(s string) (err error) { cfg.B, err = match.ParsePlayer(s); return })
	parse(tc, "tc", func(s string) (err error) { cfg.Clock, err = match.ParseClock(s); return })
	parse(resign, "resign", func(s string) (err error) { cfg.Resign, err = match.ParseResign(s); return })
	parse(draw, "draw", func(s string) (err error) { cfg.Draw, err = match.ParseDraw(s); return })
	return err
}

// durationMS reads a flag in milliseconds.
func durationMS(to *time.Duration) func(string) error {
	return func(s string) error {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a number of milliseconds", s)
		}
		*to = time.Duration(n) * time.Millisecond
		return nil
	}
}
