package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/match/player"
	"tesla/lab/regret"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/search"
	"tesla/tablebase"
)

type regretOptions struct {
	cfg                            regret.Config
	judge                          player.Player
	players                        []string
	parsed                         []player.Player
	judgeText, verdicts, games     string
	syzygy                         string
	evals, nodes                   int64
	positions, within, concurrency int
	seed                           uint64
	json                           bool
	label                          regretLabel
}

// regretLabel is what the moves of the players depend on.
type regretLabel struct {
	Version int      `json:"tesla_regret"`
	Commit  string   `json:"commit"`
	Players []string `json:"players"`
	Limits  []string `json:"limits"`
	Nets    []string `json:"nets"`
}

func regretCommand() *cobra.Command {
	return command(&cobra.Command{Use: "regret", Short: "compare searches by what their moves lose",
		Long: "Lets players move in positions of games, each from an empty tree, and has a stronger engine judge the moves where they\n" +
			"differ. It finds small differences in a fraction of a match's time; a match has the last word (go doc ./lab/regret).",
		Example: "  tesla regret --from games.pgn --evals 800 --player search=bestfirst --player search=puct"},
		&regretOptions{positions: 1000, within: 400, concurrency: defaultSettings().Threads})
}

func (o *regretOptions) AddFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.players, "player", nil, `a player in process, "key=value,.." as for tesla match; repeat it: the others are compared with the first`)
	numberFlag(f, &o.evals, "evals", 1, "evaluations for each move of players without a limit of their own")
	numberFlag(f, &o.nodes, "nodes", 1, "nodes for each move of players without a limit of their own")
	f.StringVar(&o.games, "from", "", "file of games that positions are drawn from: PGN (.pgn), or of tesla datagen")
	numberFlag(f, &o.positions, "positions", 2, "positions to draw")
	numberFlag(f, &o.within, "within", 1, "draw positions with scores up to this, centipawns for either side; PGN has no scores")
	f.Uint64Var(&o.seed, "seed", 1, "seed for drawing positions")
	f.StringVar(&o.judgeText, "judge", "cmd=stockfish,nodes=50000", "the engine that judges")
	journalFlags(f, &o.cfg.Journal)
	f.StringVar(&o.verdicts, "verdicts", "", "journal of the judge's verdicts, for this run and later ones")
	f.StringVar(&o.syzygy, "syzygy", "", "folders of Syzygy tables that judge the positions they know, separated as in PATH")
	numberFlag(f, &o.concurrency, "concurrency", 1, "positions side by side")
	jsonFlag(f, &o.json)
}

func (o *regretOptions) Validate([]string) (err error) {
	if o.games == "" || len(o.players) < 2 {
		return errors.New("want --from and two of --player")
	}
	o.cfg.Workers = o.concurrency
	o.label = regretLabel{Version: 1, Commit: engine.Commit(), Players: o.players}
	for _, text := range o.players {
		p, err := o.player(text)
		if err != nil {
			return fmt.Errorf("--player: %w", err)
		}
		o.cfg.Players = append(o.cfg.Players, p)
	}
	if o.judge, err = player.Parse(o.judgeText); err == nil && (o.judge.Cmd == "" || o.judge.Condition.Nodes == 0) {
		err = fmt.Errorf("%q: want cmd and nodes", o.judgeText)
	}
	if err != nil {
		return fmt.Errorf("--judge: %w", err)
	}
	return o.cfg.Journal.Check()
}

func (o *regretOptions) Run(c *cobra.Command) (err error) {
	j := o.judge
	if o.cfg.Judge, err = regret.NewJudge(j.Engine(), j.Condition.Nodes, o.verdicts, func(text string) { tellNotes(c, []string{text}) }); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.cfg.Judge.Close()) }()
	if o.syzygy != "" {
		tables, bad := tablebase.Open(tablebase.Paths{Syzygy: o.syzygy})
		defer func() { err = errors.Join(err, tables.Close()) }()
		if len(bad) > 0 {
			return errors.Join(bad...)
		}
		o.cfg.Judge.Tables = tables
	}
	var notes []string
	if o.cfg.Positions, notes, err = regret.Sample(o.games, o.positions, o.within, o.seed); err != nil {
		return err
	}
	tellNotes(c, notes)
	for i, p := range o.parsed {
		if o.cfg.Journal.Path == "" {
			break
		}
		net, err := netOf(p)
		if err != nil {
			return fmt.Errorf("%s: %w", o.players[i], err)
		}
		o.label.Nets = append(o.label.Nets, net)
	}
	o.cfg.Label = o.label
	o.cfg.Journal.Tell = func(text string) { tellNotes(c, []string{text}) }
	o.cfg.Progress = view.ProgressOn(c.ErrOrStderr())
	result, err := regret.Run(c.Context(), o.cfg)
	if err != nil {
		return fmt.Errorf("regret: %w", err)
	}
	if o.json {
		return printJSON(c.OutOrStdout(), struct {
			*regret.Result
			Commit string `json:"commit"`
		}{result, engine.Commit()})
	}
	_, err = fmt.Fprint(c.OutOrStdout(), result)
	return err
}

// player reads one that is given as for tesla match.
func (o *regretOptions) player(text string) (r regret.Player, err error) {
	p, err := player.Parse(text)
	if err != nil {
		return r, err
	}
	if p.Cmd != "" {
		return r, fmt.Errorf("%q: only players in process can be compared", text)
	}
	if p.Condition.Evals == 0 && p.Condition.Nodes == 0 {
		p.Condition.Evals, p.Condition.Nodes = o.evals, o.nodes
	}
	if (p.Condition.Nodes > 0) == (p.Condition.Evals > 0) {
		return r, fmt.Errorf("%q: want either nodes or evals", text)
	}
	if err := checkPlayers(p); err != nil {
		return r, err
	}
	o.parsed, o.label.Limits = append(o.parsed, p), append(o.label.Limits, p.Condition.String())
	return regret.Player{Searcher: sweep.Searcher{Name: cmp.Or(p.Name, text), Open: func() (search.Searcher, error) { return openPlayer(p) }},
		Limits: search.Limits{Nodes: p.Condition.Nodes, Evals: p.Condition.Evals}}, nil
}
