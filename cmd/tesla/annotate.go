package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/annotate"
	"tesla/lab/view"
)

type annotateOptions struct {
	set engine.Settings
	cfg annotate.Config
}

func annotateCommand() *cobra.Command {
	return command(&cobra.Command{Use: "annotate FILE.pgn", Short: "write scores, better lines and marks into games",
		Long: "annotate searches the positions of games, one by one, and writes scores, better lines, the marks ?!, ?, ?? and !, accuracy and\n" +
			"average loss, and the names of openings into them. What stands in the games stays. A run that was killed goes on where\n" +
			"it ended when the same command is given again. With lazysmp on the net nnue and at most two threads, a mark is written where it is\n" +
			"true with a probability of 0.9, and effort goes where marks are in doubt. Elsewhere marks are by the scores alone.",
		Example: "  tesla annotate games.pgn --out annotated.pgn --movetime 2s --graphs folder\n" +
			"  tesla annotate games.pgn --out mine.pgn --search lazysmp --nodes 200000 --player carlsen --from 10"}, &annotateOptions{set: sureSettings()})
}

func (o *annotateOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "search", "search-options", "backend", "weights", "threads", "hash")
	f.StringVar(&o.cfg.Out, "out", "", "file of the annotated games")
	f.StringVar(&o.cfg.Graphs, "graphs", "", "folder for a graph of the scores of each game, as SVG and as PNG")
	limitFlags(f, &o.cfg.Limits, "position", time.Second)
	numberFlag(f, &o.cfg.From, "from", 1, "number of the first move that is judged")
	numberFlag(f, &o.cfg.To, "to", 1, "number of the last move that is judged")
	f.StringVar(&o.cfg.Player, "player", "", "judge the moves of players with this in their names")
	f.BoolVar(&o.cfg.SkipBad, "skip-bad", false, "put games that cannot be read into the file of --out with .bad at its end, as they are")
	jsonFlag(f, &o.cfg.JSON)
}

func (o *annotateOptions) Validate(args []string) error {
	o.cfg.In = args[0]
	limitedBy(&o.cfg.Limits, time.Second)
	return errors.Join(o.cfg.Validate(), o.set.Validate())
}

func (o *annotateOptions) Run(c *cobra.Command) (err error) {
	o.cfg.Print, o.cfg.Err, o.cfg.Progress = c.OutOrStdout(), c.ErrOrStderr(), view.ProgressOn(c.ErrOrStderr())
	games, err := annotate.Open(o.cfg)
	if err != nil {
		return err
	}
	s, err := openSearcher(c, o.set)
	if err != nil {
		return err
	}
	defer func() { err = closeSearcher(s, err) }()
	return games.Run(c.Context(), s, labelOf(&o.set, s))
}

// labelOf says what a searcher's results depend on.
func labelOf(set *engine.Settings, s *engine.Searcher) annotate.Label {
	return annotate.Label{Search: s.Name(), Options: set.SearchOptions, Backend: s.Backend().Name, Net: s.Backend().Model, Threads: set.Threads,
		Hash: set.Hash, Leaf: set.LeafDepth, Tables: set.SyzygyPath + set.GaviotaTbPath, Commit: engine.Commit()}
}
