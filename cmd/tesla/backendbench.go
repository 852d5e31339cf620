package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/batcher"
	"tesla/engine"
	"tesla/internal/output"
	"tesla/lab/backendbench"
	"tesla/lab/view"
	"tesla/uci/option"
)

// maxBatch is the largest batch of any backend.
const maxBatch = 1024

type backendbenchOptions struct {
	set              engine.Settings
	budget, moveTime time.Duration
	maxBatch, pairs  int
	search, report   string
	plans, json      bool
}

func backendbenchCommand() *cobra.Command {
	return command(&cobra.Command{Use: "backendbench", Short: "measure the evaluator at growing batch sizes",
		Example: "  tesla backendbench --backend cpu\n  tesla backendbench --backend cuda --search puct --report folder"},
		&backendbenchOptions{set: defaultSettings(), maxBatch: 256, pairs: 7})
}

func (o *backendbenchOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "backend", "weights", "threads")
	f.DurationVar(&o.budget, "time", 500*time.Millisecond, "time for each batch size")
	f.Var(option.Number[int]{To: &o.maxBatch, Min: 1, Max: maxBatch}, "maxbatch", "largest batch size")
	f.BoolVar(&o.plans, "plans", false, "first measure each way in which the backend can compute, and keep the best")
	f.Var(option.Choice{To: &o.search, Of: engine.Searches}, "search", "also set a search beside the net alone: bestfirst or puct")
	numberFlag(f, &o.pairs, "pairs", 1, "number of searches, and of runs of the net between them")
	f.DurationVar(&o.moveTime, "movetime", 3*time.Second, "time for each search and for each run of the net")
	f.StringVar(&o.report, "report", "", "folder for backendbench.txt, backendbench.json and the plot backendbench.svg")
	jsonFlag(f, &o.json)
}

func (o *backendbenchOptions) Validate([]string) error {
	if o.budget <= 0 || o.moveTime <= 0 {
		return errors.New("--time and --movetime must be positive")
	}
	if o.search != "" {
		o.set.Search = o.search
	}
	return o.set.Validate()
}

func (o *backendbenchOptions) Run(c *cobra.Command) error {
	if err := output.Report(o.report, backendbench.ReportFiles...); err != nil {
		return err
	}
	r, err := o.measure(c)
	if errors.Is(err, backendbench.ErrNotBatching) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	r.Commit = engine.Commit()
	if o.report != "" {
		if err := r.Write(o.report); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	if o.json {
		return printJSON(c.OutOrStdout(), r)
	}
	_, err = fmt.Fprint(c.OutOrStdout(), r.String())
	return err
}

// measure opens the backend, and measures it alone and in a search.
func (o *backendbenchOptions) measure(c *cobra.Command) (r backendbench.Result, err error) {
	opts := batcher.Options{MaxBatch: o.maxBatch}
	var plans []batcher.Plan
	if o.plans {
		opts.MaxBatch = max(o.maxBatch, 2*batcher.DefaultMaxBatch) // as in a search, whose plan is to be kept
		tell := func(text string) { tellNotes(c, []string{text}) }
		if plans, err = backendbench.RunPlans(o.set, opts, o.maxBatch, o.budget, tell); err != nil {
			return r, err
		}
	}
	b, net, err := openBackend(c, o.set, opts)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	progress := view.ProgressOn(c.ErrOrStderr())
	r, err = backendbench.Run(b, net, o.maxBatch, o.budget, progress)
	if err == nil && o.search != "" {
		r.Search, err = backendbench.RunSearch(c.Context(), b, net, o.set, o.pairs, o.moveTime, progress)
	}
	r.Plans = plans
	return r, err
}
