package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tesla/alphabeta"
	"tesla/batcher"
	"tesla/lab/speedup"
	"tesla/search"
	"tesla/uci"
)

// cleared is a searcher that takes its engine with it, and forgets evaluations too when a game is new: searches that
// are compared must find nothing of each other.
type cleared struct {
	search.Searcher
	engine *engine
}

func (c cleared) NewGame() {
	c.Searcher.NewGame()
	c.engine.forget()
}

func (c cleared) Close() error { return c.engine.Close() }

// clearedMessenger is one whose threads send messages.
type clearedMessenger struct {
	cleared
	speedup.Messenger
}

// speedupDrivers are the searchers that can be measured: what a new one has to add to. most is the largest number of
// threads that will be asked for: the scheduler is the same for all searches.
func speedupDrivers(set uci.Settings, most int) []speedup.Driver {
	open := func(name string, threads int) (speedup.Searcher, error) {
		set := set
		set.Search, set.Threads = name, threads
		e := &engine{}
		s, _, err := e.open(set)
		runtime.GOMAXPROCS(max(runtime.NumCPU(), most+2))
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		if m, ok := s.(speedup.Messenger); ok {
			return clearedMessenger{cleared{s, e}, m}, nil
		}
		return cleared{s, e}, nil
	}
	drivers := []speedup.Driver{{
		Name: "bestfirst",
		Unit: speedup.Evals,
		Open: func(threads int) (speedup.Searcher, error) { return open("bestfirst", threads) },
		Note: "threads are the backend's: the promoter is one thread beside them, and mock computes on one whatever is asked",
	}}
	for _, name := range alphabeta.Names {
		drivers = append(drivers, speedup.Driver{
			Name:         name,
			Unit:         speedup.Depth,
			Open:         func(threads int) (speedup.Searcher, error) { return open(name, threads) },
			Baseline:     func() (speedup.Searcher, error) { return open("lazysmp", 1) },
			BaselineName: "plain PVS of the same core",
		})
	}
	return drivers
}

// speedupFlags are what the flags hold besides the settings.
type speedupFlags struct {
	command      *cobra.Command
	settings     *uci.Settings
	config       speedup.Config
	depth, evals int64
	report       string
	asJSON       bool
}

func speedupCommand() *cobra.Command {
	c := &cobra.Command{Use: "speedup", Short: "measure how much sooner more threads finish the same search, and what they lose",
		Long: "Searches the 24 positions of Bratko and Kopec with a baseline thread and with more threads in turn, each from\n" +
			"cleared tables, and prints speed-up and overheads as Marsland, Olafsson and Schaeffer (1984) define them.",
		Args: cobra.NoArgs}
	f := &speedupFlags{command: c, settings: settingsFlags(c, "search", "search-options", "backend", "weights", "hash")}
	c.Flags().IntSliceVar(&f.config.Threads, "threads", defaultThreads(runtime.NumCPU()), "numbers of threads, ascending; 1 is always measured")
	c.Flags().IntVar(&f.config.Repeat, "repeat", speedup.DefaultRepeat, "searches of each kind for each position")
	c.Flags().Int64Var(&f.depth, "depth", 0, "plies for each position (default: found by --time)")
	c.Flags().Int64Var(&f.evals, "evals", 0, "evaluations for each position, of searches without a depth (default: found by --time)")
	c.Flags().DurationVar(&f.config.Limit, "time", speedup.DefaultLimit, "a position's work is the last that the baseline finishes within this")
	c.Flags().Uint64Var(&f.config.Seed, "seed", 1, "of the bootstrap")
	c.Flags().StringVar(&f.config.Journal, "journal", "", "file that keeps each finished search")
	c.Flags().BoolVar(&f.config.Resume, "resume", false, "go on with the journal where it ends")
	c.Flags().StringVar(&f.report, "report", "", "folder for speedup.txt, speedup.json and the plot speedup.svg")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := f.prepare(); err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
		defer stop()
		return f.run(ctx)
	}
	return c
}

// defaultThreads doubles up to the number of cores, which is the last.
func defaultThreads(cores int) (threads []int) {
	for n := 1; n < cores; n *= 2 {
		threads = append(threads, n)
	}
	return append(threads, cores)
}

// prepare checks the flags, and finds out what the measurement is labelled with.
func (f *speedupFlags) prepare() error {
	if err := checkSettings(f.settings); err != nil {
		return err
	}
	driver, err := speedup.Find(speedupDrivers(*f.settings, slices.Max(append(f.config.Threads, 1))), f.settings.Search)
	if err != nil {
		return usage("--search: %w", err)
	}
	for _, w := range []struct {
		name string
		unit speedup.Unit
		work int64
	}{{"depth", speedup.Depth, f.depth}, {"evals", speedup.Evals, f.evals}} {
		if !f.command.Flags().Changed(w.name) {
			continue
		}
		if w.unit != driver.Unit {
			return usage("--%s: the work of %s is counted in %s: use --%s", w.name, driver.Name, driver.Unit, driver.Unit)
		}
		if w.work < 1 {
			return usage("--%s %d: at least 1 is needed", w.name, w.work)
		}
		f.config.Work = w.work
	}
	f.config.Driver, f.config.Hash, f.config.Commit = driver, f.settings.Hash, commit()
	f.config.Progress = f.command.ErrOrStderr()
	if f.config.Positions, err = speedup.ParsePositions(speedup.BratkoKopec); err != nil {
		return fmt.Errorf("built-in %w", err)
	}
	if err := f.config.Validate(); err != nil {
		return usage("speedup: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if f.report != "" { // found out now, not after the measurement
		if err := os.MkdirAll(f.report, 0o755); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	b, _, notes, err := openBackend(*f.settings, batcher.Options{})
	tellNotes(f.command, notes)
	if err != nil {
		return err
	}
	info := b.Info()
	f.config.Backend, f.config.Model = info.Name, info.Model
	return b.Close()
}

// run measures and tells; of a run that was cut short, what it finished.
func (f *speedupFlags) run(ctx context.Context) error {
	out := f.command.OutOrStdout()
	r, err := speedup.Run(ctx, f.config)
	switch {
	case errors.Is(err, speedup.ErrJournal):
		return usageError{err}
	case err != nil:
		if f.config.Journal != "" {
			err = fmt.Errorf("%w; what was finished is in %s, --resume goes on with it", err, f.config.Journal)
		}
		if r != nil && !f.asJSON {
			err = errors.Join(err, r.Print(out))
		}
		return err
	}
	if f.asJSON {
		err = printJSON(out, r)
	} else {
		err = r.Print(out)
	}
	if f.report != "" {
		err = errors.Join(err, r.Report(f.report))
	}
	return err
}
