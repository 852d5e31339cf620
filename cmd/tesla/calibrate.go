package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/calibrate"
	"tesla/lab/view"
)

type calibrateOptions struct {
	set       engine.Settings
	cfg       calibrate.Config
	out, plot string
	json      bool
}

func calibrateCommand() *cobra.Command {
	set := defaultSettings()
	set.LeafDepth = 0
	return command(&cobra.Command{Use: "calibrate", Short: "fit the change model of the best-first search to a net",
		Long: "Lets the best-first search play itself from random openings, logs how the values of its nodes change as more evaluations\n" +
			"are spent below them, fits its change model to four fifths of the searches and measures it on the others. A fit that is\n" +
			"written beside a net file, as FILE.fit.json, is used with that net.",
		Example: "  tesla calibrate --backend nnue --weights net.tesla --plot calibration.svg"},
		&calibrateOptions{set: set, cfg: calibrate.Config{Searches: 1000, Evals: 1500}})
}

func (o *calibrateOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "backend", "weights", "threads", "search-options", "hash", "leaf-depth")
	numberFlag(f, &o.cfg.Searches, "searches", 5, "searches to log")
	numberFlag(f, &o.cfg.Evals, "evals", 100, "evaluations of each search")
	f.Uint64Var(&o.cfg.Seed, "seed", 1, "seed for the random openings")
	f.StringVar(&o.out, "out", "", "file to write the fit to (default: beside --weights)")
	f.StringVar(&o.plot, "plot", "", "SVG or PNG file to draw the calibration in")
	jsonFlag(f, &o.json)
}

func (o *calibrateOptions) Validate([]string) error { return o.set.Validate() }

func (o *calibrateOptions) Run(c *cobra.Command) error {
	if o.out == "" && o.set.WeightsFile != "" {
		o.out = engine.FitFile(o.set.WeightsFile)
	}
	release, err := calibrate.Hold(o.out, o.plot) // before the work, so that an error is reported at once
	if err != nil {
		return err
	}
	defer release()
	o.cfg.Progress = view.ProgressOn(c.ErrOrStderr())
	r, err := calibrate.Run(c.Context(), o.set, o.cfg, func(notes []string) { tellNotes(c, notes) })
	if err == nil {
		err = r.Write(o.out, o.plot)
	}
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(c.OutOrStdout(), r)
	}
	return r.Print(c.OutOrStdout())
}
