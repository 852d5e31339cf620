package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"tesla/bestfirst"
	"tesla/lab/calibrate"
	"tesla/tt128"
	"tesla/uci"
)

type calibrateResult struct {
	Backend    string        `json:"backend"`
	Model      string        `json:"model"`
	Searches   int           `json:"searches"`
	Evals      int64         `json:"evals"`
	Promotions int           `json:"promotions"`
	Fit        bestfirst.Fit `json:"fit"`
	calibrate.Report
	Commit string `json:"commit"`
}

func calibrateCommand() *cobra.Command {
	c := &cobra.Command{Use: "calibrate", Short: "fit the change model of the best-first search to a net", Args: cobra.NoArgs,
		Long: "Lets the best-first search play itself from random openings, logs how the values of its nodes change as more is spent\n" +
			"below them, fits its change model to four fifths of the searches and measures it on the others. A fit that is written\n" +
			"beside a net file, as FILE.fit.json, is used with that net."}
	set := settingsFlags(c, "backend", "weights", "threads", "search-options", "hash")
	c.Flags().IntVar(&set.LeafDepth, "leaf-depth", 0, "plies of alpha-beta at each leaf")
	searches := c.Flags().Int("searches", 1000, "searches to log")
	evals := c.Flags().Int64("evals", 1500, "evaluations of a search")
	seed := c.Flags().Uint64("seed", 1, "of the random openings")
	out := c.Flags().String("out", "", "file to write the fit to (default: beside --weights)")
	plot := c.Flags().String("plot", "", "SVG or PNG file to draw the calibration in")
	asJSON := c.Flags().Bool("json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := checkSettings(set); err != nil {
			return err
		}
		if *searches < 5 || *evals < 100 {
			return usage("calibrate: --searches must be at least 5 and --evals 100")
		}
		r, err := fitModel(c, *set, *searches, *evals, *seed)
		if err != nil {
			return err
		}
		if *out == "" && set.WeightsFile != "" {
			*out = fitFile(set.WeightsFile)
		}
		if *out != "" {
			text, err := json.Marshal(r.Fit)
			if err != nil {
				return fmt.Errorf("%s: %w", *out, err)
			}
			if err := os.WriteFile(*out, append(text, '\n'), 0o644); err != nil {
				return err
			}
		}
		if *plot != "" {
			if err := r.Plot(*plot); err != nil {
				return err
			}
		}
		if *asJSON {
			return printJSON(c.OutOrStdout(), r)
		}
		fmt.Fprintf(c.OutOrStdout(), "%s, net %s: %d promotions logged in %d searches of %d evaluations\n", r.Backend, r.Model, r.Promotions,
			r.Searches, r.Evals)
		return r.Print(c.OutOrStdout())
	}
	return c
}

// fitModel logs and fits. An interrupt ends it with an error.
func fitModel(c *cobra.Command, set uci.Settings, searches int, evals int64, seed uint64) (r calibrateResult, err error) {
	ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
	defer stop()
	tuning, err := readSearchOptions("bestfirst", set.SearchOptions, false)
	if err != nil {
		return r, err
	}
	e := &engine{}
	defer func() { err = errors.Join(err, e.Close()) }()
	if e.table, err = tt128.New(set.Hash); err != nil {
		return r, err
	}
	backend, notes, err := e.load(set)
	tellNotes(c, notes)
	if err != nil {
		return r, err
	}
	e.backend = backend
	info := backend.Info()
	options, err := e.bestfirst(info, set, leafDepth(info, set), tuning.bestfirst)
	if err != nil {
		return r, err
	}
	log, err := calibrate.Collect(ctx, backend, options, searches, evals, seed)
	if err != nil {
		return r, err
	}
	train, test := log.Split()
	r = calibrateResult{Backend: info.Name, Model: info.Model, Searches: searches, Evals: evals, Promotions: log.Promotions(),
		Fit: calibrate.Estimate(train), Commit: commit()}
	r.Fit.Net = info.Model
	r.Report = calibrate.Measure(r.Fit, train, test)
	return r, nil
}
