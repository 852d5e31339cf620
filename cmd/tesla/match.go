package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tesla/batcher"
	engines "tesla/engine"
	"tesla/lab/match"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
	"tesla/uci"
)

// matchResult is what --json prints: the result from the first player's side, and of more than two players all else.
type matchResult struct {
	stats.Result
	Players     []stats.Rating  `json:"players,omitempty"`
	Pairings    []stats.Pairing `json:"pairings,omitempty"`
	Interrupted bool            `json:"interrupted,omitempty"`
	Commit      string          `json:"commit"`
}

// owned is a searcher that takes its engine with it.
type owned struct {
	search.Searcher
	engine *engine
}

func (o owned) Close() error { return o.engine.Close() }

// NewGame also forgets the net's evaluations: each depends, in its last bits, on the batch that it was made in, and a
// game must not depend on those before it.
func (o owned) NewGame() {
	o.Searcher.NewGame()
	o.engine.forget()
}

// playerSettings are the settings of a player in process.
func playerSettings(p player.Player) (uci.Settings, error) {
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
			return set, err
		}
	}
	return set, checkSettings(&set)
}

// makePlayer makes the searcher of a player in process.
func makePlayer(p player.Player) (search.Searcher, error) {
	set, err := playerSettings(p)
	if err != nil {
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
func onDevice(p player.Player) bool {
	if p.Backend != "" && p.Backend != "auto" {
		return p.Backend == "cuda" || p.Backend == "tensorrt"
	}
	for _, s := range engines.Probe() {
		if s.Name == "cuda" {
			return s.OK
		}
	}
	return false
}

// setPlayerOption obeys the options that a searcher in process has besides a player's keys.
func setPlayerOption(set *uci.Settings, o player.Option) error {
	if strings.EqualFold(o.Name, "SearchOptions") {
		set.SearchOptions = o.Value
		return nil
	}
	to := map[string]*int{"batchsize": &set.BatchSize, "treememory": &set.TreeMemory, "leafdepth": &set.LeafDepth}[strings.ToLower(o.Name)]
	if to == nil {
		return usage("option %s: players in process have BatchSize, TreeMemory, LeafDepth and SearchOptions", o.Name)
	}
	n, err := strconv.Atoi(o.Value)
	if err != nil || n < 0 && to != &set.LeafDepth {
		return usage("option %s: %q is not a whole number", o.Name, o.Value)
	}
	*to = n
	return nil
}

// netOf is the hash of the net that a player in process evaluates with.
func netOf(p player.Player) (string, error) {
	set, err := playerSettings(p)
	if err != nil {
		return "", err
	}
	b, _, _, err := openBackend(set, batcher.Options{Threads: set.Threads})
	if err != nil {
		return "", err
	}
	return b.Info().Model, b.Close()
}

// matchFlags are those that the configuration does not hold as they are written.
type matchFlags struct {
	a, b, tc, resign, draw, sprt, stats, log string
	players                                  []string
	json                                     bool
}

func matchCommand() *cobra.Command {
	c := &cobra.Command{Use: "match", Short: "play games between players and say which is better, and by how much",
		Args: cobra.NoArgs}
	cfg := match.Default()
	var text matchFlags
	f := c.Flags()
	f.StringVar(&text.a, "a", "", `first player, "key=value,.."`)
	f.StringVar(&text.b, "b", "", `second player, "key=value,.."`)
	f.StringArrayVar(&text.players, "player", nil, `a player beside --a and --b, "key=value,.."; may be repeated`)
	f.StringVar(&cfg.Format, "format", match.RoundRobin, "of more than two players: round-robin, or gauntlet of the first against the others")
	f.IntVar(&cfg.Games, "games", 100, "games of each pairing, two for each opening")
	f.StringVar(&text.tc, "tc", "", `clock, seconds: "10+0.1", "40/60"`)
	f.Int64Var(&cfg.Condition.Nodes, "nodes", 0, "nodes for each move")
	f.Int64Var(&cfg.Condition.Evals, "evals", 0, "evaluations for each move")
	f.Func("movetime", "milliseconds for each move", durationMS(&cfg.Condition.MoveTime))
	f.StringVar(&cfg.Openings.File, "openings", cfg.Openings.File, "balanced or unbalanced (built in), or an EPD or PGN file")
	f.StringVar(&cfg.Openings.Order, "order", cfg.Openings.Order, "of the openings: random or file")
	f.Uint64Var(&cfg.Openings.Seed, "seed", cfg.Openings.Seed, "of the random order")
	f.IntVar(&cfg.Openings.Plies, "plies", 0, "plies of a PGN opening that are played, 0: all")
	f.IntVar(&cfg.Machine.Concurrency, "concurrency", cfg.Machine.Concurrency, "games at a time")
	f.IntVar(&cfg.Machine.Cores, "cores", 0, "cores to play on, 0: all")
	f.BoolVar(&cfg.Machine.Oversubscribe, "oversubscribe", false, "play --concurrency games at a time even where cores are too few")
	f.BoolVar(&cfg.Machine.Pin, "pin", false, "pin external engines to the cores of their game (Linux)")
	f.IntVar(&cfg.Adjudication.MaxMoves, "maxmoves", cfg.Adjudication.MaxMoves, "moves until a game counts as drawn, 0: no limit")
	f.Func("timemargin", "milliseconds that a clock may be overdrawn by", durationMS(&cfg.Patience.Margin))
	f.Func("starttime", "milliseconds that a player is given to start (default 60000)", durationMS(&cfg.Patience.Start))
	f.BoolVar(&cfg.Openings.Chess960, "chess960", false, "Chess960 in the protocol")
	f.StringVar(&cfg.Files.PGN, "pgn", "", "file that games are appended to")
	f.BoolVar(&cfg.Files.PGNStable, "pgn-stable", false, "leave out of the PGN what differs from run to run, and write games in their order")
	f.StringVar(&cfg.Files.Journal, "journal", "", "file that each game is written to before it counts")
	f.BoolVar(&cfg.Files.Resume, "resume", false, "go on with the match of --journal")
	f.StringVar(&text.log, "log", "", "file for what is said between the runner and external engines")
	f.StringVar(&text.sprt, "sprt", "", `end when a test decides: "elo0,elo1[,logistic][,alpha=0.05][,beta=0.05]", in normalized Elo`)
	f.StringVar(&cfg.Files.Report, "report", "", "folder that plots and a page with all numbers are written to")
	f.StringVar(&text.stats, "stats", "", `play nothing: the statistics of a journal or PGN file; --a "name=X" says whose`)
	f.StringVar(&text.resign, "resign", "", `adjudication: "moves=4,score=800"`)
	f.StringVar(&text.draw, "draw", "", `adjudication: "from=40,moves=8,score=10"`)
	f.BoolVar(&text.json, "json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error { return runMatch(c, &cfg, &text) }
	return c
}

// runMatch plays the match. What was played until an interruption is printed, and the error says that it was
// interrupted.
func runMatch(c *cobra.Command, cfg *match.Config, text *matchFlags) (err error) {
	if text.stats != "" {
		return printStats(c.OutOrStdout(), text.stats, text.a, text.b, text.sprt, cfg.Files.Report, text.json)
	}
	if err := readMatch(cfg, text); err != nil {
		return usageError{err}
	}
	cfg.InProcess.Searcher, cfg.InProcess.Net, cfg.Commit = makePlayer, netOf, commit()
	cfg.InProcess.OnDevice, cfg.Output.Warn = onDevice, c.ErrOrStderr()
	setOutput(c, cfg, text.json)
	if err := cfg.Validate(); err != nil {
		return usageError{fmt.Errorf("match: %s", strings.ReplaceAll(err.Error(), "\n", "; "))}
	}
	if text.log != "" {
		log, err := os.OpenFile(text.log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("--log: %w", err)
		}
		defer func() { err = errors.Join(err, log.Close()) }()
		cfg.Output.Log = log
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	table, err := match.Play(ctx, *cfg)
	interrupted := err != nil && ctx.Err() != nil
	if err == nil || interrupted {
		if failed := printMatch(c.OutOrStdout(), &table, interrupted, text.json); failed != nil {
			return failed
		}
	}
	if interrupted {
		games := 0
		for i := range table.Pairings {
			games += table.Pairings[i].Games
		}
		return fmt.Errorf("match: interrupted after %d of %d games: %w", games, cfg.Games*len(table.Pairings), err)
	}
	return err
}

// setOutput has games told on standard output. On a terminal it is one line that is drawn again and again, which goes
// to standard error where standard output is for JSON.
func setOutput(c *cobra.Command, cfg *match.Config, asJSON bool) {
	out := c.OutOrStdout()
	if asJSON {
		out = c.ErrOrStderr()
	} else {
		cfg.Output.Out = out
	}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		cfg.Output.Live = out
		cfg.Output.Columns = func() int {
			width, _, err := term.GetSize(int(file.Fd()))
			if err != nil || width < 1 {
				return 80
			}
			return width
		}
	}
}

func printMatch(out io.Writer, table *stats.Table, interrupted, asJSON bool) error {
	r, many := table.First(), len(table.Players) > 2
	if asJSON {
		result := matchResult{Result: r, Interrupted: interrupted, Commit: commit()}
		if many {
			result.Players, result.Pairings = table.Players, table.Pairings
		}
		return printJSON(out, result)
	}
	if !many {
		fmt.Fprint(out, r.Text())
		for i, side := range []string{"a", "b"} {
			if r.Incidents[i] != (stats.Incidents{}) {
				fmt.Fprintf(out, "Incidents of %s: %s\n", side, r.Incidents[i])
			}
		}
		fmt.Fprintf(out, "Between moves: %.0f us, at most %.0f us in 99 of 100, %.0f us in all\n", r.Overhead.P50, r.Overhead.P99, r.Overhead.Max)
		return nil
	}
	for i := range table.Pairings {
		p := &table.Pairings[i]
		fmt.Fprintf(out, "%s - %s: %s\n", p.First, p.Second, resultLine(&p.Result))
	}
	fmt.Fprint(out, table)
	return nil
}

func resultLine(r *stats.Result) string {
	return fmt.Sprintf("games %d: +%d =%d -%d, pairs %v, Elo %.1f +- %.1f, LOS %.3f, crashes %d, timeouts %d, illegal %d",
		r.Games, r.Wins, r.Draws, r.Losses, r.Ptnml, r.Elo, r.EloError, r.LOS, r.Crashes, r.Timeouts, r.Illegal)
}

// readMatch parses what flags hold as text; an empty text leaves its default. Without --player there are two players,
// the default ones where --a and --b do not say else.
func readMatch(cfg *match.Config, text *matchFlags) (err error) {
	parse := func(s, flag string, read func(string) error) {
		if s == "" {
			return
		}
		if e := read(s); e != nil {
			err = errors.Join(err, fmt.Errorf("--%s: %w", flag, e))
		}
	}
	var players []player.Player
	add := func(s string) error {
		p, err := player.Parse(s)
		players = append(players, p)
		return err
	}
	for _, side := range []struct{ text, flag string }{{text.a, "a"}, {text.b, "b"}} {
		if side.text == "" && len(text.players) == 0 {
			players = append(players, player.Player{})
		}
		parse(side.text, side.flag, add)
	}
	for _, s := range text.players {
		if s == "" { // the default player
			players = append(players, player.Player{})
		}
		parse(s, "player", add)
	}
	cfg.Players = players
	parse(text.tc, "tc", func(s string) (err error) { cfg.Condition.Clock, err = player.ParseClock(s); return })
	parse(text.resign, "resign", func(s string) (err error) { cfg.Adjudication.Resign, err = match.ParseResign(s); return })
	parse(text.draw, "draw", func(s string) (err error) { cfg.Adjudication.Draw, err = match.ParseDraw(s); return })
	parse(text.sprt, "sprt", func(s string) (err error) { cfg.SPRT, err = stats.ParseSPRT(s); return })
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
