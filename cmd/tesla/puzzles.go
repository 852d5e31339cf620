package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/puzzles"
	"tesla/lab/view"
)

type puzzlesOptions struct {
	set engine.Settings
	cfg puzzles.Config
}

func puzzlesCommand() *cobra.Command {
	return command(&cobra.Command{Use: "puzzles FILE.pgn", Short: "find positions of games that have one solution",
		Long: "puzzles searches the positions of games for those where one move solves it: the second move is worse by more than the error of\n" +
			"the search, at each move of the solution. It writes them as games, and as a test suite in EPD beside. A run that was killed goes\n" +
			"on where it ended when the same command is given again.",
		Example: "  tesla puzzles games.pgn --out puzzles.pgn --nodes 200000\n  tesla suite puzzles.epd --search lazysmp --nodes 200000"},
		&puzzlesOptions{set: sureSettings()})
}

func (o *puzzlesOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "search", "search-options", "backend", "weights", "threads", "hash")
	f.StringVar(&o.cfg.Out, "out", "", "file of the puzzles in PGN; those in EPD go to the same name with .epd")
	limitFlags(f, &o.cfg.Limits, "search", time.Second)
}

func (o *puzzlesOptions) Validate(args []string) error {
	o.cfg.In = args[0]
	limitedBy(&o.cfg.Limits, time.Second)
	return errors.Join(o.cfg.Validate(), o.set.Validate())
}

func (o *puzzlesOptions) Run(c *cobra.Command) (err error) {
	s, err := openSearcher(c, o.set)
	if err != nil {
		return err
	}
	defer func() { err = closeSearcher(s, err) }()
	if !s.StatesSureness() {
		return fmt.Errorf("no fit to %s on net %s with these options, see docs/sure.md", s.Name(), s.Backend().ModelName)
	}
	o.cfg.Label, o.cfg.Err, o.cfg.Progress = labelOf(&o.set, s), c.ErrOrStderr(), view.ProgressOn(c.ErrOrStderr())
	return puzzles.Run(c.Context(), o.cfg, s, c.OutOrStdout())
}
