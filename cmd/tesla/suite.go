package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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
	s, notes, err := engine.Open(set)
	for _, note := range notes { // the others are the same for each searcher
		if strings.HasPrefix(note, "error: ") {
			o.tell(note)
		}
	}
	if err == nil {
		o.tell(s.Describe(&o.cfg.Records[0].Position, search.Limits{}))
	}
	return opened(s, nil, err)
}

// fitted refuses, before anything is searched, a searcher that does not state how sure it is.
func (o *suiteOptions) fitted() error {
	for _, set := range o.sets {
		s, _, err := engine.Open(set)
		if err != nil {
			return err
		}
		if !s.StatesSureness() {
			err = notFitted(s)
		}
		if err = errors.Join(err, s.Close()); err != nil {
			return err
		}
	}
	return nil
}

// opened is a searcher as its users see it. The notes are not told: the same ones for each searcher.
func opened(s *engine.Searcher, _ []string, err error) (search.Searcher, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
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
		if err := o.fitted(); err != nil {
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
