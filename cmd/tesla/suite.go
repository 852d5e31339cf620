package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/internal/output"
	"tesla/lab/annotate"
	"tesla/lab/suite"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/search"
)

type suiteOptions struct {
	set      engine.Settings
	cfg      suite.Config
	file     string
	searches []string
	sets     []engine.Settings // of searches
	json     bool
	tell     func(string) // what plays
}

func suiteCommand() *cobra.Command {
	return command(&cobra.Command{Use: "suite FILE.epd", Short: "solve a test suite, by several searchers side by side",
		Long: "suite has searchers solve the records of a file in EPD: best moves (bm), moves to avoid (am), points for moves (c0, as in the\n" +
			"Strategic Test Suite) and mates (dm). It tells how many each solves, and what each solution takes.",
		Example: "  tesla suite wac.epd --search bestfirst,puct,lazysmp --movetime 1s\n  tesla suite sts.epd --nodes 100000 --json"},
		&suiteOptions{set: treeSettings()})
}

func (o *suiteOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "search-options", "backend", "weights", "threads", "hash")
	f.StringSliceVar(&o.searches, "search", []string{o.set.Search}, "searches that solve it, with commas between them")
	limitFlags(f, &o.cfg.Limits, "position", time.Second)
	sureFlag(f, &o.cfg.Limits.Sure, "end a search sooner when its first move is the best one with this probability")
	journalFlags(f, &o.cfg.Journal)
	jsonFlag(f, &o.json)
}

func (o *suiteOptions) Validate(args []string) error {
	o.file = args[0]
	var errs []error
	for i, name := range o.searches {
		if slices.Contains(o.searches[:i], name) {
			errs = append(errs, fmt.Errorf("--search %s: twice", name))
		}
		set := o.set
		err := set.Set("search", name)
		if errs = append(errs, err, set.Validate()); err == nil {
			o.sets = append(o.sets, set)
			o.cfg.Searches = append(o.cfg.Searches, sweep.Searcher{Name: name, Open: func() (search.Searcher, error) { return o.open(set) }})
		}
	}
	if len(o.searches) == 0 {
		errs = append(errs, errors.New("--search: want one at least"))
	}
	limitedBy(&o.cfg.Limits, time.Second)
	return errors.Join(append(errs, suite.OneLimit(&o.cfg.Limits), o.cfg.Journal.Check())...)
}

// open opens a searcher, and says in a line what plays.
func (o *suiteOptions) open(set engine.Settings) (search.Searcher, error) {
	s, _, err := engine.Open(set) // its notes are the same for each searcher
	if err != nil {
		return nil, err
	}
	o.tell(s.Describe(&o.cfg.Records[0].Position, search.Limits{}))
	return s, nil
}

// fitted refuses, before anything is searched, a searcher that would not state how sure it is.
func (o *suiteOptions) fitted(c *cobra.Command) error {
	for _, set := range o.sets {
		info, err := backendOf(c, set)
		if err != nil {
			return err
		}
		states, err := set.States(info)
		if err == nil && !states {
			err = notFitted(set.Search, info.ModelName)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *suiteOptions) Run(c *cobra.Command) error {
	in, err := output.OpenRegular(o.file)
	if err != nil {
		return err
	}
	defer in.Close()
	if o.cfg.Records, err = suite.Read(in); err != nil {
		return fmt.Errorf("%s: %w", o.file, err)
	}
	if o.cfg.Limits.Sure > 0 {
		if err := o.fitted(c); err != nil {
			return err
		}
	}
	if o.cfg.Journal.Path != "" {
		info, err := backendOf(c, o.set)
		if err != nil {
			return err
		}
		o.cfg.Label = annotate.Label{Options: o.set.SearchOptions, Backend: info.Name, Net: info.Model, Threads: o.set.Threads, Hash: o.set.Hash,
			Leaf: o.set.LeafDepth, Tables: o.set.SyzygyPath + o.set.GaviotaTbPath, Commit: engine.Commit()}
	}
	o.cfg.Journal.Tell = func(text string) { tellNotes(c, []string{text}) }
	o.cfg.Progress = view.ProgressOn(c.ErrOrStderr())
	o.tell = func(text string) { fmt.Fprintln(o.cfg.Progress.Above(c.ErrOrStderr()), text) }
	r, err := suite.Run(c.Context(), o.cfg)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(c.OutOrStdout(), struct {
			*suite.Result
			Commit string `json:"commit"`
		}{r, engine.Commit()})
	}
	return r.Print(c.OutOrStdout())
}
