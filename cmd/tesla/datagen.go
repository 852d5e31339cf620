package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/datagen"
	"tesla/lab/games"
	"tesla/lab/journal"
	"tesla/lab/match/player"
	"tesla/search"
)

type datagenOptions struct {
	cfg                               datagen.Config
	player                            player.Player
	out, text, random, stats, convert string
	concurrency                       int
	resume, distinct, json            bool
}

func datagenCommand() *cobra.Command {
	return command(&cobra.Command{Use: "datagen", Short: "make games for training",
		Long: "Makes games whose every position is searched with a small limit, by a searcher in this program or by any UCI engine, and\n" +
			"keeps them with their scores in a file (go doc ./lab/games). The player is given as for tesla match, with nodes or evals.",
		Example: "  tesla datagen --out games --games 10000 --player search=lazysmp,backend=nnue,nodes=1000\n" +
			"  tesla datagen --out games --games 20000 --resume\n  tesla datagen --stats games"},
		&datagenOptions{concurrency: defaultSettings().Threads, cfg: datagen.Config{Games: 1000}})
}

func (o *datagenOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "", "file for the games")
	f.BoolVar(&o.resume, "resume", false, "continue the file of --out")
	f.StringVar(&o.text, "player", "search=lazysmp,backend=nnue,nodes=1000", `who plays, "key=value,.."`)
	numberFlag(f, &o.concurrency, "concurrency", 1, "players side by side")
	numberFlag(f, &o.cfg.Games, "games", 1, "games in the file, including those of earlier runs")
	f.Uint64Var(&o.cfg.Seed, "seed", 1, "seed for everything that is random")
	f.StringVar(&o.random, "random", "6-12", "random moves before the first searched move, from-to")
	f.StringVar(&o.cfg.From, "from", "", "file of games whose positions the new games begin from (default: the initial position)")
	f.IntVar(&o.cfg.Plies, "plies", 0, "plies of each game; 0: play to the end")
	f.IntVar(&o.cfg.Within, "within", 0, "drop games that begin with a score beyond this, centipawns; 0: keep all")
	f.IntVar(&o.cfg.Choices, "choices", 1, "best moves to keep with their scores")
	f.Float64Var(&o.cfg.Temperature, "temperature", 0, "temperature of the random choice among the best moves, units of q; 0: play the best")
	f.IntVar(&o.cfg.Warm, "warm", 20, "plies of each game that are chosen at that temperature")
	f.StringVar(&o.stats, "stats", "", "make no games: print statistics of this file of games, text or binary")
	f.StringVar(&o.convert, "convert", "", "make no games: write the games of this file, text or binary, to --out")
	f.BoolVar(&o.distinct, "distinct", false, "with --convert, leave out games with the moves of an earlier game")
	jsonFlag(f, &o.json)
}

func (o *datagenOptions) Validate([]string) (err error) {
	if o.stats != "" {
		return nil
	}
	if o.out == "" {
		return errors.New("--out is needed")
	}
	if o.convert != "" {
		return nil
	}
	if o.cfg.Random, err = datagen.ParseRange(o.random); err != nil {
		return fmt.Errorf("--random: %w", err)
	}
	p, err := player.Parse(o.text)
	if err != nil {
		return fmt.Errorf("--player: %w", err)
	}
	if (p.Condition.Nodes > 0) == (p.Condition.Evals > 0) || p.Cmd != "" && p.Condition.Evals > 0 {
		return errors.New("--player: want either nodes or, in process, evals")
	}
	if err := checkPlayers(p); err != nil {
		return fmt.Errorf("--player: %w", err)
	}
	o.player = p
	o.cfg.Player = struct {
		player.Player
		Nodes int64 `json:"nodes,omitempty"`
		Evals int64 `json:"evals,omitempty"`
	}{p, p.Condition.Nodes, p.Condition.Evals}
	return o.cfg.Validate()
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

// printStats prints what is in a file of games.
func (o *datagenOptions) printStats(c *cobra.Command) error {
	gather := games.NewGather()
	if err := games.EachOf(o.stats, gather.Add); err != nil {
		return err
	}
	return printResult(c, gather.Done(), o.json)
}

// generate makes the games. The file is opened first: what it refuses has cost nothing.
func (o *datagenOptions) generate(c *cobra.Command) (err error) {
	o.cfg.Commit = engine.Commit()
	if o.player.Cmd != "" {
		o.cfg.Net, err = journal.ProgramHash(o.player.Cmd)
	} else {
		o.cfg.Net, err = netOf(o.player)
	}
	if err != nil {
		return fmt.Errorf("--player: %w", err)
	}
	g, notes, err := datagen.Open(o.cfg, o.out, o.resume)
	tellNotes(c, notes)
	if err != nil {
		return err
	}
	var players []datagen.Player
	defer func() {
		for _, p := range players {
			err = errors.Join(err, p.Close())
		}
		err = errors.Join(err, g.Close())
	}()
	for range o.concurrency {
		p, err := o.open(c)
		if err != nil {
			return err
		}
		players = append(players, p)
	}
	var last datagen.Progress
	err = g.Run(c.Context(), players, func(p datagen.Progress) {
		last = p
		if !o.json {
			fmt.Fprintf(c.OutOrStdout(), "games %d of %d, positions %d in %v, %.0f a second\n", p.Games, p.Of, p.Positions,
				p.Took.Round(time.Second), float64(p.Positions)/p.Took.Seconds())
		}
	})
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

// open makes one player.
func (o *datagenOptions) open(c *cobra.Command) (datagen.Player, error) {
	p := o.player
	if p.Cmd != "" {
		return datagen.NewTeacher(c.Context(), p.Engine(), p.Condition.Nodes, o.cfg.Choices, func(text string) { tellNotes(c, []string{text}) })
	}
	s, err := openPlayer(p)
	if err != nil {
		return nil, err
	}
	return datagen.NewSearcher(s, search.Limits{Nodes: p.Condition.Nodes, Evals: p.Condition.Evals}, o.cfg.Choices), nil
}
