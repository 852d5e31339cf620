package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/board"
	"tesla/engine"
	"tesla/internal/output"
	"tesla/lab/explain"
	"tesla/lab/match/pgn"
	"tesla/search"
)

type explainOptions struct {
	positionFlags
	set       engine.Settings
	limits    search.Limits
	move      string
	file      string
	game, ply int
	json      bool
	flags     *pflag.FlagSet

	from *board.Game
	of   board.Move
}

// explainTime is for each of two searches without another limit.
const explainTime = 2 * time.Second

func explainCommand() *cobra.Command {
	return command(&cobra.Command{Use: "explain [FEN]", Short: "say why a move is not the best, and what would change that",
		Long: "explain searches a position and the position after a move, and says why that move is not played: its refutation,\n" +
			"what it loses, how probable it is that it is as good, what was spent on it, and what would most likely change the choice.",
		Example: "  tesla explain --move Qh5 \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"\n" +
			"  tesla explain --pgn games.pgn --game 2 --ply 31 --search bestfirst --evals 300 --json"}, &explainOptions{set: sureSettings()})
}

func (o *explainOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "search", "search-options", "backend", "weights", "threads", "hash")
	o.add(f)
	o.flags = f
	f.StringVar(&o.move, "move", "", "the move to explain, as Nf3 or g1f3 (default with --pgn: that of the game)")
	f.StringVar(&o.file, "pgn", "", "take the position from a game of this file")
	o.game, o.ply = 1, 1
	numberFlag(f, &o.game, "game", 1, "number of the game in --pgn")
	numberFlag(f, &o.ply, "ply", 1, "the move of the game in --pgn, counted in plies")
	limitFlags(f, &o.limits, "of the two searches", explainTime)
	jsonFlag(f, &o.json)
}

func (o *explainOptions) Validate(args []string) error {
	limitedBy(&o.limits, explainTime)
	if err := o.parse(args); err != nil {
		return err
	}
	if o.file != "" && (o.fen != "" || len(args) > 0) {
		return errors.New("--pgn and a FEN: two positions, want one")
	}
	if o.file == "" && (o.flags.Changed("game") || o.flags.Changed("ply")) {
		return errors.New("--game and --ply without --pgn")
	}
	if o.file == "" && o.move == "" {
		return errors.New("no --move to explain")
	}
	if o.file == "" {
		o.from = board.NewGame(o.position)
		if err := o.parseMove(); err != nil {
			return err
		}
	}
	return o.set.Validate()
}

func (o *explainOptions) parseMove() (err error) {
	p := &o.from.Pos
	if !p.HasLegalMove() {
		return fmt.Errorf("%s: the game is over here, %s", p.FEN(false), o.from.Outcome())
	}
	if o.of, err = p.ParseMove(o.move); err != nil {
		o.of, err = pgn.ParseSAN(p, o.move)
	}
	if err != nil {
		return fmt.Errorf("%w in %s", err, p.FEN(false))
	}
	return nil
}

// open takes the position from the file, and the move unless one is asked for.
func (o *explainOptions) open() error {
	data, err := output.ReadRegular(o.file)
	if err != nil {
		return err
	}
	games, _ := pgn.ReadSome(string(data), o.game)
	if len(games) < o.game {
		return fmt.Errorf("%s: %d games, no game %d", o.file, len(games), o.game)
	}
	a := games[o.game-1]
	if a.Err != nil {
		return fmt.Errorf("%s: %s: %w", o.file, a.Name(), a.Err)
	}
	if len(a.Moves) < o.ply {
		return fmt.Errorf("%s: %s has %d plies, no ply %d", o.file, a.Name(), len(a.Moves), o.ply)
	}
	line := pgn.Line{Start: a.Start, Moves: a.Moves[:o.ply-1]}
	o.from = line.Game()
	if o.move == "" {
		if a.Moves[o.ply-1] == board.NullMove {
			return fmt.Errorf("%s: %s, ply %d: a null move", o.file, a.Name(), o.ply)
		}
		o.move = o.from.Pos.UCI(a.Moves[o.ply-1], true)
	}
	return o.parseMove()
}

func (o *explainOptions) Run(c *cobra.Command) (err error) {
	if o.file != "" {
		if err := o.open(); err != nil {
			return err
		}
	}
	o.set.VerboseMoveStats = true
	s, err := openSearcher(c, o.set, o.repairs...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	a, err := explain.Ask(c.Context(), s, s.Name(), o.from, o.of, o.limits)
	if err != nil {
		return err
	}
	if o.chess960 {
		a.Chess960()
	}
	if o.json {
		return printJSON(c.OutOrStdout(), a)
	}
	return a.Text(c.OutOrStdout())
}
