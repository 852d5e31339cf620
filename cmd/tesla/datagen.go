package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tesla/lab/datagen"
	"tesla/lab/games"
	"tesla/lab/match/player"
	"tesla/search"
)

// datagenFlags are those that the configuration does not hold as they are written.
type datagenFlags struct {
	out, player, random, stats, convert string
	concurrency                         int
	resume, distinct, json              bool
}

func datagenCommand() *cobra.Command {
	c := &cobra.Command{Use: "datagen", Short: "make games for training", Args: cobra.NoArgs,
		Long: "Makes games whose every position is searched with a small limit, by a searcher in this program or by any UCI engine, and\n" +
			"keeps them with their scores in a file (go doc ./games). The player is given as for tesla match, with nodes or evals."}
	var cfg datagen.Config
	var text datagenFlags
	f := c.Flags()
	f.StringVar(&text.out, "out", "", "file for the games")
	f.BoolVar(&text.resume, "resume", false, "go on with the file of --out")
	f.StringVar(&text.player, "player", "search=lazysmp,backend=nnue,nodes=1000", `who plays, "key=value,.."`)
	f.IntVar(&text.concurrency, "concurrency", defaultSettings().Threads, "players side by side")
	f.IntVar(&cfg.Games, "games", 1000, "games in the file, those of earlier runs included")
	f.Uint64Var(&cfg.Seed, "seed", 1, "of all that is random")
	f.StringVar(&text.random, "random", "6-12", "moves at random before those that are searched, from-to")
	f.StringVar(&cfg.From, "from", "", "file of games of whose positions games begin (default: the initial position)")
	f.IntVar(&cfg.Plies, "plies", 0, "moves of a game, 0: to its end")
	f.IntVar(&cfg.Within, "within", 0, "centipawns: games that begin further from balance are dropped, 0: none")
	f.IntVar(&cfg.Choices, "choices", 1, "moves that are kept with their scores")
	f.Float64Var(&cfg.Temperature, "temperature", 0, "of the choice among them, in units of q")
	f.IntVar(&cfg.Warm, "warm", 20, "moves of a game that are chosen so")
	f.StringVar(&text.stats, "stats", "", "make nothing: say what is in a file of games, text or not")
	f.StringVar(&text.convert, "convert", "", "make nothing: write the games of this file, text or not, to --out")
	f.BoolVar(&text.distinct, "distinct", false, "with --convert, leave out games whose moves are those of one before")
	f.BoolVar(&text.json, "json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if text.stats != "" {
			return gameStats(c, text.stats, text.json)
		}
		if text.out == "" {
			return usage("datagen: --out is needed")
		}
		if text.convert != "" {
			return convertGames(c, text.convert, text.out, text.distinct)
		}
		return generate(c, &cfg, &text)
	}
	return c
}

// generate makes the games.
func generate(c *cobra.Command, cfg *datagen.Config, text *datagenFlags) (err error) {
	if cfg.Random, err = parseRange(text.random); err != nil {
		return usage("--random: %w", err)
	}
	p, err := player.Parse(text.player)
	if err != nil {
		return usage("--player: %w", err)
	}
	if (p.Condition.Nodes > 0) == (p.Condition.Evals > 0) || p.Cmd != "" && p.Condition.Evals > 0 {
		return usage("--player: want either nodes or, in process, evals")
	}
	cfg.Player = struct {
		player.Player
		Nodes int64 `json:"nodes,omitempty"`
		Evals int64 `json:"evals,omitempty"`
	}{p, p.Condition.Nodes, p.Condition.Evals}
	if text.concurrency < 1 {
		return usage("--concurrency %d: at least 1 is needed", text.concurrency)
	}
	if err := cfg.Validate(); err != nil {
		return usage("datagen: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	var players []datagen.Player
	defer func() {
		for _, p := range players {
			err = errors.Join(err, p.Close())
		}
	}()
	for range text.concurrency {
		one, err := generator(c.Context(), p, cfg.Choices)
		if err != nil {
			return err
		}
		players = append(players, one)
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var last datagen.Progress
	err = datagen.Run(ctx, *cfg, text.out, text.resume, players, func(p datagen.Progress) {
		last = p
		if !text.json {
			fmt.Fprintf(c.OutOrStdout(), "games %d of %d, positions %d in %v, %.0f a second\n", p.Games, p.Of, p.Positions,
				p.Took.Round(time.Second), float64(p.Positions)/p.Took.Seconds())
		}
	})
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("datagen: interrupted; go on with --resume")
	}
	if err != nil || !text.json {
		return err
	}
	return printJSON(c.OutOrStdout(), struct {
		Games     int     `json:"games"`
		Positions int     `json:"positions"`
		Seconds   float64 `json:"seconds"`
		Commit    string  `json:"commit"`
	}{last.Games, last.Positions, last.Took.Seconds(), commit()})
}

// parseRange reads "from-to".
func parseRange(s string) (r [2]int, err error) {
	from, to, ok := strings.Cut(s, "-")
	if r[0], err = strconv.Atoi(from); err == nil && ok {
		r[1], err = strconv.Atoi(to)
	}
	if err != nil || !ok {
		return r, fmt.Errorf("%q: want from-to", s)
	}
	return r, nil
}

// generator makes a player.
func generator(ctx context.Context, p player.Player, choices int) (datagen.Player, error) {
	if p.Cmd == "" {
		s, err := makePlayer(p)
		if err != nil {
			return nil, err
		}
		return datagen.NewSearcher(s, search.Limits{Nodes: p.Condition.Nodes, Evals: p.Condition.Evals}, choices), nil
	}
	return datagen.NewTeacher(ctx, p.Engine(), p.Condition.Nodes, choices)
}

// gameStats says what is in a file.
func gameStats(c *cobra.Command, path string, asJSON bool) error {
	gather := games.NewGather()
	if err := games.EachOf(path, gather.Add); err != nil {
		return err
	}
	s := gather.Done()
	if asJSON {
		return printJSON(c.OutOrStdout(), s)
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n%d distinct positions (%.1f %%), %d games repeat one before\n"+
		"positions within 100 centipawns %.1f %%, beyond 600 %.1f %%, mates %.1f %%; the best move a capture %.1f %%, in check %.1f %%\n"+
		"of the decisive games with a side ahead by 100 centipawns halfway that side won %.1f %%\n", &s.Count, s.Distinct,
		100*float64(s.Distinct)/float64(max(1, s.Positions)), s.Repeated, 100*s.Balanced, 100*s.Decided, 100*s.Mates, 100*s.Captures,
		100*s.Checks, 100*s.Agreement)
	return err
}

// convertGames copies games into a new file.
func convertGames(c *cobra.Command, from, to string, distinct bool) (err error) {
	in, err := os.Open(from) // before a file is made
	if err != nil {
		return err
	}
	defer in.Close()
	w, err := games.Create(to, map[string]string{"converted": from})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	gather := games.NewGather()
	var kept games.Count
	dropped := 0
	if err := games.Each(in, func(g *games.Game) error {
		if distinct && gather.Repeats(g) {
			dropped++
			return nil
		}
		kept.Add(g)
		return w.Write(g)
	}); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s; %d repeated games left out\n", &kept, dropped)
	return err
}
