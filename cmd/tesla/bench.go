package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/bench"
	"tesla/search"
)

type benchOptions struct {
	set          engine.Settings
	depth        int
	nodes, evals int64
	profile      string
	json         bool
	flags        *pflag.FlagSet // arguments set them too
}

func benchCommand() *cobra.Command {
	return command(&cobra.Command{Use: "bench [HASH] [THREADS] [DEPTH]", Short: "search 24 fixed positions; the signature changes when play does",
		Example: "  tesla bench --backend mock\n  tesla bench --search lazysmp --threads 1 --nodes 20000\n" +
			"  tesla bench 16 1 13    as other engines have it: hash in MiB, threads, depth"}, &benchOptions{set: treeSettings()})
}

func (o *benchOptions) AddFlags(f *pflag.FlagSet) {
	o.flags = f
	settingsFlags(f, &o.set, "search", "search-options", "backend", "weights", "threads", "hash")
	numberFlag(f, &o.depth, "depth", 1, "limit for each position, plies")
	numberFlag(f, &o.nodes, "nodes", 1, "limit for each position, nodes")
	numberFlag(f, &o.evals, "evals", 1, fmt.Sprintf("limit for each position, evaluations (default %d)", bench.DefaultEvals))
	f.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile to this file")
	jsonFlag(f, &o.json)
}

func (o *benchOptions) Validate(args []string) error {
	for i, name := range []string{"hash", "threads", "depth"}[:len(args)] {
		if err := o.flags.Set(name, args[i]); err != nil {
			return fmt.Errorf("argument %d, %s: %w", i+1, name, err)
		}
	}
	given := 0
	for _, n := range []int64{int64(o.depth), o.nodes, o.evals} {
		if n > 0 {
			given++
		}
	}
	if given > 1 {
		return errors.New("--depth, --nodes and --evals exclude each other")
	}
	if given == 0 {
		o.evals = bench.DefaultEvals
	}
	return o.set.Validate()
}

func (o *benchOptions) Run(c *cobra.Command) (failed error) {
	if o.profile != "" {
		stop, err := bench.Profile(o.profile)
		if err != nil {
			return fmt.Errorf("--cpuprofile: %w", err)
		}
		defer func() { failed = errors.Join(failed, stop()) }()
	}
	var each io.Writer
	if !o.json {
		each = c.OutOrStdout()
	}
	r, err := bench.Run(c.Context(), o.set, search.Limits{Depth: o.depth, Nodes: o.nodes, Evals: o.evals}, each)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(c.OutOrStdout(), r)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "search %s backend %s net %s threads %d hash %d\n%s\n", r.Search, r.Backend, r.Model, r.Threads, r.Hash, &r)
	return err
}
