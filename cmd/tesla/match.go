package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/fleet"
	"tesla/lab/match"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/lab/view"
	"tesla/lab/web"
)

type matchOptions struct {
	cfg                                 match.Config
	fleet                               fleet.Host
	a, b, tc, resign, draw, sprt, stats string
	each, file, report                  string
	flags                               *pflag.FlagSet
	players                             []string
	names                               [2]string // with --stats, whose games
	json                                bool
}

func matchCommand() *cobra.Command {
	return command(&cobra.Command{Use: "match", Short: "play games between players and say which is better, and by how much",
		Long: "A player is a searcher in process (keys search, backend, weights, threads, hash) or any UCI engine (keys cmd, args, dir, log).\n" +
			"All have name, tc, nodes, evals, and option.X for any UCI option X.",
		Example: "  tesla match --a search=bestfirst --b search=puct --games 200 --tc 10+0.1\n" +
			"  tesla match --a name=new --b cmd=./old,option.Threads=1 --nodes 1000 --sprt 0,5 --journal match.jsonl\n" +
			"  tesla match --config match.txt\n  tesla match --stats games.pgn --a name=new"}, &matchOptions{cfg: match.Default()})
}

func (o *matchOptions) AddFlags(f *pflag.FlagSet) {
	cfg := &o.cfg
	f.StringVar(&o.a, "a", "", `first player, "key=value,.."`)
	f.StringVar(&o.b, "b", "", `second player, "key=value,.."`)
	f.StringArrayVar(&o.players, "player", nil, `another player, "key=value,.."; may be repeated`)
	o.flags = f
	f.StringVar(&o.file, "config", "", "file with flags of this command, one a line, such as player name=x,cmd=./x; the command line comes first")
	f.StringVar(&o.each, "each", "", `settings of all players, "key=value,.."; a player's own come first`)
	f.StringVar(&cfg.Format, "format", match.RoundRobin, "pairings of more than two players: round-robin, or gauntlet of the first against the others")
	f.IntVar(&cfg.Games, "games", 100, "games of each pairing, two for each opening")
	f.StringVar(&o.tc, "tc", "", `time control, seconds: "10+0.1", "40/60"`)
	f.Int64Var(&cfg.Condition.Nodes, "nodes", 0, "nodes for each move")
	f.Int64Var(&cfg.Condition.Evals, "evals", 0, "evaluations for each move")
	f.DurationVar(&cfg.Condition.MoveTime, "movetime", 0, "time for each move")
	f.BoolVar(&cfg.Ponder, "ponder", false, "both players think at once, each on the reply that it expects; option.Ponder=false excepts one")
	f.StringVar(&cfg.Openings.File, "openings", cfg.Openings.File, "balanced or unbalanced (built in), or an EPD, PGN or Polyglot (.bin) file")
	f.StringVar(&cfg.Openings.Order, "order", cfg.Openings.Order, "opening order: random or file")
	f.Uint64Var(&cfg.Openings.Seed, "seed", cfg.Openings.Seed, "seed for shuffling openings")
	f.IntVar(&cfg.Openings.Plies, "plies", 0, "plies to play of each PGN opening; 0: all, of a Polyglot book 10")
	f.IntVar(&cfg.Machine.Concurrency, "concurrency", cfg.Machine.Concurrency, "games at a time")
	f.IntVar(&cfg.Machine.Cores, "cores", 0, "cores to play on; 0: all")
	f.BoolVar(&cfg.Machine.Oversubscribe, "oversubscribe", false, "play --concurrency games at a time even with too few cores")
	f.BoolVar(&cfg.Machine.Pin, "pin", false, "pin external engines to the cores of their game (Linux)")
	f.IntVar(&cfg.Adjudication.MaxMoves, "maxmoves", cfg.Adjudication.MaxMoves, "adjudicate a draw after this many moves; 0: no limit")
	f.StringVar(&cfg.Adjudication.TB, "syzygy", "", "end games whose value the Syzygy tables of these folders know, separated as in PATH")
	f.DurationVar(&cfg.Patience.Margin, "timemargin", cfg.Patience.Margin, "time that a player may overstep its own")
	f.DurationVar(&cfg.Patience.Start, "starttime", cfg.Patience.Start, "time that a player may take to start")
	f.BoolVar(&cfg.Openings.Chess960, "chess960", false, "play Chess960")
	f.StringVar(&cfg.Files.PGN, "pgn", "", "append the games to this file")
	f.BoolVar(&cfg.Files.PGNStable, "pgn-stable", false, "write the PGN in game order, without what differs from run to run")
	f.StringVar(&cfg.Files.Journal, "journal", "", "file that keeps each finished game, for --resume and --fleet")
	f.BoolVar(&cfg.Files.Resume, "resume", false, "continue the match of --journal; without players and a limit, as the journal says")
	f.StringVar(&cfg.Files.Log, "log", "", "append the UCI traffic of external engines to this file")
	f.StringVar(&o.sprt, "sprt", "", `stop when a sequential test decides: "elo0,elo1[,logistic][,alpha=0.05][,beta=0.05]", normalized Elo`)
	f.StringVar(&o.report, "report", "", "HTML file for a page of the match with its games, made of --journal or --stats")
	f.StringVar(&o.stats, "stats", "", `play no games: print statistics of this journal or PGN file; --a "name=X" says whose`)
	f.StringVar(&o.resign, "resign", "", `adjudicate lost games: "moves=4,score=800"`)
	f.StringVar(&o.draw, "draw", "", `adjudicate drawn games: "from=40,moves=8,score=10"`)
	hostFlags(f, &o.fleet)
	f.StringSliceVar(&cfg.Without, "without", nil, "workers whose games do not count and are played again")
	jsonFlag(f, &o.json)
}

// parse reads a flag's text, where it is not empty, and names the flag in the error.
func parse[T any](errs *[]error, flag, text string, to *T, read func(string) (T, error)) {
	if text == "" {
		return
	}
	v, err := read(text)
	if err != nil {
		*errs = append(*errs, fmt.Errorf("--%s: %w", flag, err))
		return
	}
	*to = v
}

func (o *matchOptions) Validate([]string) error {
	if o.file != "" {
		if err := readFlags(o.file, o.flags); err != nil {
			return fmt.Errorf("--config: %w", err)
		}
	}
	if o.stats != "" {
		if err := alone(o.flags, "stats", "a", "b", "sprt", "report", "json", "config"); err != nil {
			return err
		}
	}
	var errs []error
	parse(&errs, "sprt", o.sprt, &o.cfg.SPRT, stats.ParseSPRT)
	parse(&errs, "tc", o.tc, &o.cfg.Condition.Clock, player.ParseClock)
	parse(&errs, "resign", o.resign, &o.cfg.Adjudication.Resign, match.ParseResign)
	parse(&errs, "draw", o.draw, &o.cfg.Adjudication.Draw, match.ParseDraw)
	if o.stats != "" {
		return errors.Join(append(errs, o.readNames())...)
	}
	if o.recalls() {
		errs = append(errs, o.cfg.Recall(o.cfg.Files.Journal))
	} else {
		players, err := o.readPlayers()
		errs = append(errs, err)
		o.cfg.Players = players
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	o.cfg.InProcess, o.cfg.Commit = inProcess, engine.Commit()
	if o.fleet.Address.Server != "" {
		o.fleet.Prove, o.fleet.Without, o.cfg.Distributor = fleet.Bench, o.cfg.Without, &o.fleet
		errs = append(errs, o.fleet.Address.Validate())
	}
	if o.report != "" && o.cfg.Files.Journal == "" {
		errs = append(errs, errors.New("--report without --journal, of which it is made"))
	}
	return errors.Join(errors.Join(errs...), o.cfg.Validate(), checkPlayers(o.cfg.Searchers()...))
}

// recalls reports whether the journal alone says what to resume: no player and no condition is given.
func (o *matchOptions) recalls() bool {
	return o.cfg.Files.Resume && o.cfg.Files.Journal != "" && o.a+o.b+o.each == "" && len(o.players) == 0 && o.cfg.Condition.Count() == 0
}

// readPlayers reads the players. An empty text is the default player, and without --player there are two.
func (o *matchOptions) readPlayers() (players []player.Player, err error) {
	var errs []error
	add := func(flag, text string) {
		var p player.Player
		if text != "" || o.each != "" {
			var err error
			if p, err = player.ParseEach(o.each, text); err != nil {
				errs = append(errs, fmt.Errorf("--%s: %w", flag, err))
			}
		}
		players = append(players, p)
	}
	if o.a != "" || len(o.players) == 0 {
		add("a", o.a)
	}
	if o.b != "" || len(o.players) == 0 {
		add("b", o.b)
	}
	for _, text := range o.players {
		add("player", text)
	}
	if len(players) < 2 {
		errs = append(errs, errors.New("--player: one player, want at least two"))
	}
	return players, errors.Join(errs...)
}

// readNames reads the names of the players whose games --stats counts.
func (o *matchOptions) readNames() error {
	var errs []error
	for i, text := range []string{o.a, o.b} {
		p, err := player.Parse(text)
		if err == nil && text != "" && p.Name == "" {
			err = fmt.Errorf("%q: no name", text)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--%c: %w", "ab"[i], err))
		}
		o.names[i] = p.Name
	}
	return errors.Join(errs...)
}

// Run plays the match. Where it does not end, it prints the result so far, which is not final.
func (o *matchOptions) Run(c *cobra.Command) error {
	if o.report != "" {
		if err := web.CheckReport(o.report); err != nil {
			return err
		}
	}
	if o.stats != "" {
		return o.printStats(c)
	}
	o.setOutput(c)
	table, err := match.Play(c.Context(), o.cfg)
	if first := table.First(); first.Games > 0 && o.report != "" {
		err = errors.Join(err, o.writeReport())
	}
	return match.ResultPrinter{Config: &o.cfg, Out: c.OutOrStdout(), Err: c.ErrOrStderr(), JSON: o.json}.Print(c.Context(), &table, err)
}

// setOutput has games told on standard output. On a terminal that is one line, which is drawn again and again, on
// standard error if standard output is for JSON.
func (o *matchOptions) setOutput(c *cobra.Command) {
	o.cfg.Output.Warn = c.ErrOrStderr()
	out := c.OutOrStdout()
	if o.json {
		out = c.ErrOrStderr()
	} else {
		o.cfg.Output.Out = out
	}
	if line := view.LineOn(out); line != nil {
		o.cfg.Output.Live, o.cfg.Output.Columns = out, line.Columns
	}
}

func (o *matchOptions) writeReport() error {
	f, err := match.Follow(o.cfg.Files.Journal)
	if err != nil {
		return fmt.Errorf("report: %s: %w", o.cfg.Files.Journal, err)
	}
	return web.WriteReport(o.report, f, o.cfg.Files.Journal, o.cfg.SPRT)
}

// printStats prints the statistics of games that were played, and writes a report of them with --report.
func (o *matchOptions) printStats(c *cobra.Command) error {
	games, err := match.ReadGames(o.stats, o.names[0], o.names[1])
	if err != nil {
		return fmt.Errorf("--stats: %w", err)
	}
	if o.cfg.SPRT == nil {
		o.cfg.SPRT = games.Followed.Header.Test
	}
	r := games.Tally(o.cfg.SPRT).Result()
	if o.report != "" {
		if err := web.WriteReport(o.report, games.Followed, o.stats, o.cfg.SPRT); err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(c.OutOrStdout(), games.JSON(r, engine.Commit()))
	}
	games.Print(c.OutOrStdout(), &r)
	return nil
}
