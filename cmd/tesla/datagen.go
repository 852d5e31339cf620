package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/datagen"
	"tesla/lab/fleet"
	"tesla/lab/games"
	"tesla/lab/view"
)

// defaultTree is the search whose leaves games begin from. It asks the net for every leaf, which a deepened leaf does not.
const defaultTree = "search=bestfirst,backend=nnue,threads=1,hash=1,option.LeafDepth=0,option.TreeMemory=16,evals=800"

type datagenOptions struct {
	cfg                               datagen.Config
	fleet                             fleet.Host
	flags                             *pflag.FlagSet
	out, text, random, stats, convert string
	treeText                          string
	concurrency                       int
	resume, distinct, json            bool
}

func datagenCommand() *cobra.Command {
	return command(&cobra.Command{Use: "datagen", Short: "make games for training",
		Long: "Makes games whose every position is searched with a small limit, by a searcher in this program or by any UCI engine, and\n" +
			"keeps them with their scores in a file (go doc ./lab/games). The player is given as for tesla match, with nodes or evals.\n" +
			"With --leaves the games begin from leaves of a best-first search of each start; the defaults are then --plies 2 and\n" +
			"--random 0-0. A UCI engine needs the option UCI_Chess960 where a game has castling rights of Chess960.",
		Example: "  tesla datagen --out games --games 10000 --player search=lazysmp,backend=nnue,nodes=1000\n" +
			"  tesla datagen --out games --games 20000 --resume\n" +
			"  tesla datagen --out games --start dfrc --player cmd=stockfish,nodes=400\n" +
			"  tesla datagen --out lines --from games --leaves 40 --player cmd=stockfish,nodes=400\n" +
			"  tesla datagen --out games --games 1000000 --fleet 127.0.0.1:4222\n" +
			"  tesla datagen --stats games"},
		&datagenOptions{concurrency: defaultSettings().Threads, cfg: datagen.Config{Games: 1000}})
}

func (o *datagenOptions) AddFlags(f *pflag.FlagSet) {
	o.flags = f
	f.StringVar(&o.out, "out", "", "file for the games")
	f.BoolVar(&o.resume, "resume", false, "continue the file of --out")
	f.StringVar(&o.text, "player", "search=lazysmp,backend=nnue,nodes=1000", `who plays, "key=value,.."`)
	numberFlag(f, &o.concurrency, "concurrency", 1, "players side by side")
	numberFlag(f, &o.cfg.Games, "games", 1, "games in the file, including those of earlier runs")
	f.Uint64Var(&o.cfg.Seed, "seed", 1, "seed for everything that is random")
	f.StringVar(&o.random, "random", "", "random moves before the first searched move, from-to (default 6-12)")
	f.StringVar(&o.cfg.Start, "start", "", "kind of start positions: chess960, or dfrc for double Chess960 (default: the initial position)")
	f.StringVar(&o.cfg.From, "from", "", "file of games whose positions the new games begin from")
	numberFlag(f, &o.cfg.Leaves, "leaves", 1, "begin games from this many leaves of a search of each position")
	f.StringVar(&o.treeText, "tree", defaultTree, `with --leaves, who searches, as --player`)
	f.IntVar(&o.cfg.Plies, "plies", 0, "plies of each game; 0: play to the end")
	f.IntVar(&o.cfg.Within, "within", 0, "drop games that begin with a score beyond this, centipawns; 0: keep all")
	f.IntVar(&o.cfg.Choices, "choices", 1, "best moves to keep with their scores")
	f.Float64Var(&o.cfg.Temperature, "temperature", 0, "temperature of the random choice among the best moves, units of q; 0: play the best")
	f.IntVar(&o.cfg.Warm, "warm", 20, "plies of each game that are chosen at that temperature")
	f.StringVar(&o.stats, "stats", "", "make no games: print statistics of this file of games, text or binary")
	f.StringVar(&o.convert, "convert", "", "make no games: write the games of this file, text or binary, to --out")
	f.BoolVar(&o.distinct, "distinct", false, "with --convert, leave out games with the moves of an earlier game")
	f.StringVar(&o.cfg.Tables, "syzygy", "", "folders of Syzygy tables, separated as in PATH: positions that they know are labelled by them")
	hostFlags(f, &o.fleet)
	jsonFlag(f, &o.json)
}

func (o *datagenOptions) Validate([]string) (err error) {
	if o.distinct && o.convert == "" {
		return errors.New("--distinct without --convert")
	}
	if o.stats != "" {
		return alone(o.flags, "stats", "json")
	}
	if o.out == "" {
		return errors.New("no --out")
	}
	if o.convert != "" {
		return alone(o.flags, "convert", "out", "distinct")
	}
	if o.treeText != defaultTree && o.cfg.Leaves == 0 {
		return errors.New("--tree without --leaves")
	}
	random := "6-12"
	if o.cfg.Leaves > 0 {
		random, o.cfg.Plies, o.cfg.Tree = "0-0", cmp.Or(o.cfg.Plies, 2), &datagen.Spec{}
		if err := readSpec("tree", o.treeText, o.cfg.Tree); err != nil {
			return err
		}
	}
	if o.cfg.Random, err = datagen.ParseRange(cmp.Or(o.random, random)); err != nil {
		return fmt.Errorf("--random: %w", err)
	}
	if err := readSpec("player", o.text, &o.cfg.Player); err != nil {
		return err
	}
	if o.fleet.Address.Server != "" {
		o.fleet.Prove = fleet.Bench
		err = o.fleet.Address.Validate()
	}
	return errors.Join(err, o.cfg.Validate())
}

// readSpec reads the text of a flag: a player with its limit for each move.
func readSpec(flag, text string, to *datagen.Spec) (err error) {
	if *to, err = datagen.ParseSpec(text); err == nil {
		err = checkPlayers(to.Player)
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	return nil
}

func (o *datagenOptions) Run(c *cobra.Command) error {
	switch {
	case o.stats != "":
		return o.printStats(c)
	case o.convert != "":
		kept, dropped, err := games.Convert(o.convert, o.out, o.distinct)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s; %d repeated games left out\n", &kept, dropped)
		return err
	}
	return o.generate(c)
}

func (o *datagenOptions) printStats(c *cobra.Command) error {
	gather := games.NewGather()
	if err := games.EachOf(o.stats, gather.Add); err != nil {
		return err
	}
	if gather.Games() == 0 {
		return fmt.Errorf("%s: no game", o.stats)
	}
	return printResult(c, gather.Done(), o.json)
}

// generate makes the games. The file is opened first: what it refuses has cost nothing.
func (o *datagenOptions) generate(c *cobra.Command) (err error) {
	o.cfg.Commit = engine.Commit()
	if err := o.cfg.Identify(inProcess); err != nil {
		return err
	}
	g, notes, err := datagen.Open(o.cfg, o.out, o.resume)
	tellNotes(c, notes)
	if err != nil {
		return err
	}
	var last datagen.Progress
	var told time.Time
	progress := view.ProgressOn(c.ErrOrStderr())
	err = o.run(c, g, func(p datagen.Progress) {
		last = p
		progress.Skip(p.Before)
		progress.Draw(p.Games, p.Of, "games", fmt.Sprintf("%d positions", p.Positions))
		if !o.json && progress == nil && p.Games < p.Of && time.Since(told) > 10*time.Second {
			told = time.Now()
			fmt.Fprintln(c.OutOrStdout(), &p)
		}
	})
	progress.End()
	if !o.json && err == nil {
		fmt.Fprintln(c.OutOrStdout(), &last)
	}
	err = errors.Join(err, g.Close())
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("--resume goes on: %w", err)
	}
	if err != nil || !o.json {
		return err
	}
	return printJSON(c.OutOrStdout(), struct {
		Games     int     `json:"games"`
		Positions int     `json:"positions"`
		Seconds   float64 `json:"seconds"`
		Commit    string  `json:"commit"`
	}{last.Games, last.Positions, last.Took.Seconds(), engine.Commit()})
}

// run has the games made by a fleet, or by players here.
func (o *datagenOptions) run(c *cobra.Command, g *datagen.Generator, tell func(datagen.Progress)) error {
	say := func(text string) { tellNotes(c, []string{text}) }
	if o.fleet.Address.Server != "" {
		return g.Distribute(c.Context(), &o.fleet, tell, say)
	}
	crew, err := datagen.OpenCrew(c.Context(), o.cfg, o.concurrency, inProcess, say)
	if err != nil {
		g.Refuse()
		return err
	}
	return errors.Join(g.Run(c.Context(), crew.Players, crew.Trees, tell), crew.Close())
}
