package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"tesla/lab/match/player"
	"tesla/lab/regret"
	"tesla/search"
)

// regretFlags are those of tesla regret.
type regretFlags struct {
	players                       []string
	judge, verdicts, games        string
	evals, nodes                  int64
	positions, within, concurrent int
	seed                          uint64
	json                          bool
}

func regretCommand() *cobra.Command {
	c := &cobra.Command{Use: "regret", Short: "compare searches by what their moves lose", Args: cobra.NoArgs,
		Long: "Lets players move in positions of games, each from an empty tree, and a stronger engine judge the moves where they differ.\n" +
			"Finds small differences in a fraction of a match's time; a match has the last word (go doc ./regret)."}
	var text regretFlags
	f := c.Flags()
	f.StringArrayVar(&text.players, "player", nil, `who moves, in process, "key=value,.." as for tesla match; several, the first is what others are compared with`)
	f.Int64Var(&text.evals, "evals", 0, "evaluations a move, of players without a limit of their own")
	f.Int64Var(&text.nodes, "nodes", 0, "nodes a move, alike")
	f.StringVar(&text.games, "games", "", "file of games that positions are drawn from (tesla datagen)")
	f.IntVar(&text.positions, "positions", 1000, "positions")
	f.IntVar(&text.within, "within", 400, "centipawns of balance that a position's score is within")
	f.Uint64Var(&text.seed, "seed", 1, "of the draw")
	f.StringVar(&text.judge, "judge", "cmd=stockfish,nodes=50000", "the engine that judges")
	f.StringVar(&text.verdicts, "verdicts", "", "journal that the judge's verdicts are kept in, for this run and others")
	f.IntVar(&text.concurrent, "concurrency", defaultSettings().Threads, "positions side by side")
	f.BoolVar(&text.json, "json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error { return runRegret(c, &text) }
	return c
}

func runRegret(c *cobra.Command, text *regretFlags) (err error) {
	if text.games == "" || len(text.players) < 2 {
		return usage("regret: --games and two players are needed")
	}
	if text.positions < 2 || text.within < 1 || text.concurrent < 1 {
		return usage("regret: at least 2 positions, within 1 centipawn, 1 at a time")
	}
	cfg := regret.Config{Workers: text.concurrent}
	for _, one := range text.players {
		p, err := text.player(one)
		if err != nil {
			return usage("--player: %w", err)
		}
		cfg.Players = append(cfg.Players, p)
	}
	j, err := player.Parse(text.judge)
	if err == nil && (j.Cmd == "" || j.Condition.Nodes == 0) {
		err = fmt.Errorf("%q: cmd and nodes are needed", text.judge)
	}
	if err != nil {
		return usage("--judge: %w", err)
	}
	if cfg.Judge, err = regret.NewJudge(j.Engine(), j.Condition.Nodes, text.verdicts); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cfg.Judge.Close()) }()
	if cfg.Positions, err = regret.Sample(text.games, text.positions, text.within, text.seed); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	result, err := regret.Run(ctx, cfg)
	if err != nil {
		return fmt.Errorf("regret: %w", err)
	}
	if text.json {
		return printJSON(c.OutOrStdout(), struct {
			*regret.Result
			Commit string `json:"commit"`
		}{result, commit()})
	}
	_, err = fmt.Fprint(c.OutOrStdout(), result)
	return err
}

// player makes one that is given as for tesla match.
func (f *regretFlags) player(text string) (r regret.Player, err error) {
	p, err := player.Parse(text)
	if err != nil {
		return r, err
	}
	if p.Cmd != "" {
		return r, fmt.Errorf("%q: players in process are compared", text)
	}
	if p.Condition.Evals == 0 && p.Condition.Nodes == 0 {
		p.Condition.Evals, p.Condition.Nodes = f.evals, f.nodes
	}
	if (p.Condition.Nodes > 0) == (p.Condition.Evals > 0) {
		return r, fmt.Errorf("%q: want either nodes or evals", text)
	}
	if _, err := playerSettings(p); err != nil {
		return r, err
	}
	name := p.Name
	if name == "" {
		name = text
	}
	return regret.Player{Name: name, Limits: search.Limits{Nodes: p.Condition.Nodes, Evals: p.Condition.Evals}, New: func() (search.Searcher, error) { return makePlayer(p) }}, nil
}
