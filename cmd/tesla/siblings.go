package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/batcher"
	"tesla/engine"
	"tesla/lab/siblings"
	"tesla/lab/view"
)

type siblingsOptions struct {
	set    engine.Settings
	file   string
	static bool
	json   bool
}

func siblingsCommand() *cobra.Command {
	return command(&cobra.Command{Use: "siblings FILE", Short: "measure how well a net's values order the moves of one position",
		Args: cobra.ExactArgs(1),
		Long: "siblings measures whether values order the moves of one position. A line of the file is\n\"FEN;move:score move:score ...\": " +
			"all legal moves, with the score of a strong engine after each, in centipawns of the mover.",
		Example: "  tesla siblings siblings.txt\n  tesla siblings siblings.txt --static\n  tesla siblings siblings.txt --backend cpu"},
		&siblingsOptions{set: treeSettings()})
}

func (o *siblingsOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "backend", "weights", "threads")
	f.BoolVar(&o.static, "static", false, "take the net's own values; nnue then does not search captures first")
	jsonFlag(f, &o.json)
}

func (o *siblingsOptions) Validate(args []string) error {
	o.file = args[0]
	return o.set.Validate()
}

func (o *siblingsOptions) Run(c *cobra.Command) (err error) {
	positions, err := siblings.ReadFile(o.file)
	if err != nil {
		return err
	}
	b, _, err := openBackend(c, o.set, batcher.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	evaluate := b.Evaluate
	if s, ok := b.(batcher.Static); ok && o.static {
		evaluate = s.EvaluateStatic
	}
	r, err := siblings.Measure(c.Context(), positions, siblings.ByNet(evaluate, b.Info().MaxBatch), view.ProgressOn(c.ErrOrStderr()))
	if err != nil {
		return err
	}
	r.Backend, r.Model = b.Info().Name, b.Info().Model
	return printResult(c, r, o.json)
}
