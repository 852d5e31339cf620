package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/batcher"
	"tesla/engine"
	"tesla/internal/output"
	"tesla/lab/speedup"
	"tesla/lab/view"
)

type speedupOptions struct {
	set          engine.Settings
	cfg          speedup.Config
	depth, evals int64
	report       string
	json         bool

	flags         *pflag.FlagSet
	simulate      bool
	message, node time.Duration
}

func speedupCommand() *cobra.Command {
	return command(&cobra.Command{Use: "speedup", Short: "measure how much sooner more threads finish the same search, and what they lose",
		Long: "Searches the 24 positions of Bratko and Kopec with a baseline thread and with more threads in turn, each from\n" +
			"cleared tables, and prints speed-up and overheads as Marsland, Olafsson and Schaeffer (1984) define them.",
		Example: "  tesla speedup --search lazysmp --threads 1,2,4 --depth 12 --report folder"}, &speedupOptions{set: treeSettings()})
}

func (o *speedupOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "search", "search-options", "backend", "weights", "hash")
	o.flags = f
	f.IntSliceVar(&o.cfg.Threads, "threads", speedup.DefaultThreads(runtime.NumCPU()), "numbers of threads, ascending; 1 is always measured")
	f.IntVar(&o.cfg.Repeat, "repeat", speedup.DefaultRepeat, "searches of each kind for each position")
	numberFlag(f, &o.depth, "depth", 1, "depth for each position, plies (default: found by --time)")
	numberFlag(f, &o.evals, "evals", 1, "evaluations for each position, for searches without a depth (default: found by --time)")
	f.DurationVar(&o.cfg.Limit, "time", speedup.DefaultLimit, "a position gets the most work that the baseline finishes within this time")
	f.Uint64Var(&o.cfg.Seed, "seed", 1, "seed for the bootstrap")
	journalFlags(f, &o.cfg.Journal)
	f.StringVar(&o.report, "report", "", "folder for speedup.txt, speedup.json and the plot speedup.svg")
	f.BoolVar(&o.simulate, "simulate", false, "log trees of one thread and replay them with --threads processors (default 2 to 64)")
	f.DurationVar(&o.message, "message", speedup.DefaultMessage, "with --simulate: time of a message")
	f.DurationVar(&o.node, "node", 0, "with --simulate: time of a node (default: as measured)")
	jsonFlag(f, &o.json)
}

func (o *speedupOptions) Validate([]string) error {
	if o.simulate && !o.flags.Changed("threads") {
		o.cfg.Threads = speedup.SimulatedProcessors
	}
	if o.message < 0 || o.node < 0 {
		return errors.New("--message and --node must not be negative")
	}
	if err := o.set.Validate(); err != nil {
		return err
	}
	driver, err := speedup.Find(speedup.Drivers(o.set, slices.Max(append(o.cfg.Threads, 1))), o.set.Search)
	if err != nil {
		return fmt.Errorf("--search: %w", err)
	}
	if o.simulate && (driver.Name != "pvsplit" && driver.Name != "jamboree" || o.report != "" || o.cfg.Journal.Path != "") {
		return errors.New("--simulate replays pvsplit or jamboree, without --report and --journal")
	}
	for _, w := range []struct {
		name string
		unit speedup.Unit
		work int64
	}{{"depth", speedup.Depth, o.depth}, {"evals", speedup.Evals, o.evals}} {
		if w.work == 0 {
			continue
		}
		if w.unit != driver.Unit {
			return fmt.Errorf("--%s: the work of %s is counted in %s: use --%s", w.name, driver.Name, driver.Unit, driver.Unit)
		}
		o.cfg.Work = w.work
	}
	o.cfg.Driver, o.cfg.Hash, o.cfg.Commit = driver, o.set.Hash, engine.Commit()
	o.cfg.Options = o.set.SearchOptions
	if o.cfg.Positions, err = speedup.ParsePositions(speedup.BratkoKopec); err != nil {
		return fmt.Errorf("built-in %w", err)
	}
	return o.cfg.Validate()
}

// Run measures and prints. Of a measurement that was cut short it prints what was finished.
func (o *speedupOptions) Run(c *cobra.Command) error {
	o.cfg.Progress = view.ProgressOn(c.ErrOrStderr())
	o.cfg.Tell = func(text string) { fmt.Fprintln(o.cfg.Progress.Above(c.ErrOrStderr()), text) }
	info, err := backendOf(c, o.set)
	if err := errors.Join(output.Report(o.report, speedup.ReportFiles...), err); err != nil {
		return err
	}
	o.cfg.Backend, o.cfg.Model = info.Name, info.Model
	out := c.OutOrStdout()
	if o.simulate {
		sim, err := speedup.Simulate(c.Context(), o.cfg, o.message, o.node)
		if err != nil {
			return err
		}
		if o.json {
			return printJSON(out, sim)
		}
		return sim.Print(out)
	}
	r, err := speedup.Run(c.Context(), o.cfg)
	if err != nil {
		if r != nil && !o.json {
			err = errors.Join(err, r.Print(out))
		}
		return err
	}
	if o.json {
		err = printJSON(out, r)
	} else {
		err = r.Print(out)
	}
	if o.report != "" {
		err = errors.Join(err, r.Report(o.report))
	}
	return err
}

// backendOf is the backend and the net that results are labelled with.
func backendOf(c *cobra.Command, set engine.Settings) (batcher.Info, error) {
	b, _, err := openBackend(c, set, batcher.Options{})
	if err != nil {
		return batcher.Info{}, err
	}
	return b.Info(), b.Close()
}
