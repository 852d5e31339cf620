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
	f.IntVar(&cfg.MaxMoves, "maxmoves", cfg.MaxMoves, "moves until a game counts as drawn, 0: no limit")
	f.Func("timemargin", "milliseconds that a clock may be overdrawn by", durationMS(&cfg.Margin))
	f.BoolVar(&cfg.Chess960, "chess960", false, "Chess960 in the protocol")
	f.StringVar(&cfg.PGN, "pgn", "", "file that games are appended to")
	sprt := f.String("sprt", "", `end when a test decides: "elo0,elo1[,logistic][,alpha=0.05][,beta=0.05]", in normalized Elo`)
	resign, draw := f.String("resign", "", `adjudication: "moves=4,score=800"`), f.String("draw", "", `adjudication: "from=40,moves=8,score=10"`)
	f.StringVar(&cfg.Report, "report", "", "folder that plots and a page with all numbers are written to")
	stats := f.String("stats", "", `play nothing: the statistics of a journal or PGN file; --a "name=X" says whose`)
	asJSON := f.Bool("json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *stats != "" {
			return printStats(c.OutOrStdout(), *stats, *a, *b, *sprt, cfg.Report, *asJSON)
		}
		if err := readMatch(&cfg, *a, *b, *tc, *resign, *draw, *sprt); err != nil {
			return usageError{err}
		}
		cfg.Searcher = makePlayer
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
		fmt.Fprint(c.OutOrStdout(), r.Text())
		return nil
	}
	return c
}

// readMatch parses what flags hold as text; an empty text leaves its default.
func readMatch(cfg *match.Config, a, b, tc, resign, draw, sprt string) (err error) {
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
	parse(sprt, "sprt", func(s string) (err error) { cfg.SPRT, err = match.ParseSPRT(s); return })
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
