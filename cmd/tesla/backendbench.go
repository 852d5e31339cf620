package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tesla/alphabeta"
	"tesla/batcher"
	"tesla/lab/speedup"
	"tesla/models"
	"tesla/nnue"
	"tesla/tt128"
	"tesla/uci"
)

type backendRow struct {
	Batch     int     `json:"batch"`
	EPSMean   float64 `json:"eps_mean"`
	EPSMedian float64 `json:"eps_median"`
	MSMean    float64 `json:"ms_mean"`
	MSSdev    float64 `json:"ms_sdev"`
	MSFirst   float64 `json:"ms_first"`
	RawEPS    float64 `json:"raw_eps"`
}

type backendResult struct {
	Backend        string        `json:"backend"`
	Model          string        `json:"model"`
	Threads        int           `json:"threads"`
	Rows           []backendRow  `json:"rows"`
	Recommended    int           `json:"recommended"` // batch
	IncrementalEPS float64       `json:"incremental_eps"`
	Search         *searchResult `json:"search,omitempty"`
	Commit         string        `json:"commit"`
}

func backendbenchCommand() *cobra.Command {
	c := &cobra.Command{Use: "backendbench", Short: "measure the evaluator at growing batch sizes", Args: cobra.NoArgs}
	set := settingsFlags(c, "backend", "weights", "threads")
	budget := c.Flags().Duration("time", 500*time.Millisecond, "time for each batch size")
	most := c.Flags().Int("maxbatch", 256, "largest batch size")
	with := c.Flags().String("search", "", "also set a search beside the net alone: bestfirst or puct")
	pairs := c.Flags().Int("pairs", 7, "searches, and runs of the net between them")
	moveTime := c.Flags().Duration("movetime", 3*time.Second, "time for each of these")
	report := c.Flags().String("report", "", "folder for backendbench.txt, backendbench.json and the plot backendbench.svg")
	asJSON := c.Flags().Bool("json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *with != "" {
			set.Search = *with
		}
		if err := checkSettings(set); err != nil {
			return err
		}
		if *pairs < 1 || *moveTime <= 0 {
			return usage("backendbench: --pairs and --movetime must be positive")
		}
		if *budget <= 0 || *most < 1 || *most > 1024 {
			return usage("backendbench: --time must be positive and --maxbatch in 1..1024")
		}
		b, net, notes, err := openBackend(*set, batcher.Options{Threads: set.Threads, MaxBatch: *most})
		tellNotes(c, notes)
		if err != nil {
			return err
		}
		r, err := measure(b, net, *most, *budget)
		if err == nil && *with != "" {
			var found searchResult
			found, err = measureSearch(c.Context(), b, net, *set, *pairs, *moveTime)
			r.Search = &found
		}
		if err = errors.Join(err, b.Close()); err != nil {
			return err
		}
		if *report != "" {
			if err := r.write(*report); err != nil {
				return fmt.Errorf("--report: %w", err)
			}
		}
		if *asJSON {
			return printJSON(c.OutOrStdout(), r)
		}
		_, err = fmt.Fprint(c.OutOrStdout(), r.text())
		return err
	}
	return c
}

// write writes the result as text, as JSON and as a plot into a folder.
func (r *backendResult) write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var rows []batcher.Row
	for _, row := range r.Rows {
		rows = append(rows, batcher.Row(row))
	}
	name := filepath.Join(folder, "backendbench")
	return errors.Join(os.WriteFile(name+".txt", []byte(r.text()), 0o644), os.WriteFile(name+".json", append(data, '\n'), 0o644),
		plotRates(rows, name+".svg"))
}

func measure(b batcher.Backend, net models.Net, most int, budget time.Duration) (backendResult, error) {
	info := b.Info()
	r := backendResult{Backend: info.Name, Model: info.Model, Threads: info.Threads, Commit: commit()}
	var sizes []int
	for n := 1; n <= min(most, info.MaxBatch); n *= 2 {
		sizes = append(sizes, n)
	}
	rows, err := batcher.Measure(b, sizes, budget)
	if err != nil {
		return r, err
	}
	for _, row := range rows {
		r.Rows = append(r.Rows, backendRow(row))
	}
	r.Recommended = batcher.Recommend(rows).Batch
	switch {
	case net.NNUE != nil:
		r.IncrementalEPS, err = measureNNUE(net.NNUE, budget)
	case net.EUT != nil:
		r.IncrementalEPS, err = batcher.MeasureIncremental(net.EUT, budget)
	}
	return r, err
}

// incrementalNodes are those of each search that measureNNUE makes.
const incrementalNodes = 30000

// measureNNUE is the value evaluations a second of lazysmp searches of the bench positions, on one thread.
func measureNNUE(net *nnue.Net, budget time.Duration) (float64, error) {
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return 0, err
	}
	table, err := tt128.New(uci.DefaultSettings().Hash)
	if err != nil {
		return 0, err
	}
	defer table.Close()
	t := alphabeta.NewThread(net, table, alphabeta.AllParts())
	evals, start := int64(0), time.Now()
	for i := 0; i < len(positions) || time.Since(start) < budget; i++ {
		t.Deepen(&positions[i%len(positions)].Board, alphabeta.MaxDepth, incrementalNodes, nil)
		evals += t.Evals()
	}
	return float64(evals) / time.Since(start).Seconds(), nil
}

// text is the result as a table, with what it recommends.
func (r *backendResult) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "backend %s, net %s, %d threads\n", r.Backend, r.Model, r.Threads)
	fmt.Fprintf(&out, "%6s %10s %10s %10s %8s %8s %10s\n", "batch", "evals/s", "median", "ms", "sdev", "first", "raw")
	for _, row := range r.Rows {
		fmt.Fprintf(&out, "%6d %10.0f %10.0f %10.3f %8.3f %8.3f %10.0f\n", row.Batch, row.EPSMean, row.EPSMedian, row.MSMean, row.MSSdev, row.MSFirst, row.RawEPS)
	}
	if r.IncrementalEPS > 0 {
		what := "first layer alone, incrementally"
		if r.Backend == "nnue" {
			what = "values in an alpha-beta search on one thread"
		}
		fmt.Fprintf(&out, "%s: %.0f a second\n", what, r.IncrementalEPS)
	}
	if s := r.Search; s != nil {
		fmt.Fprintf(&out, "%10s %8s %10s %6s %6s %6s\n", s.Search, "batch", "raw", "ratio", "idle", "used")
		for _, p := range s.Pairs {
			fmt.Fprintf(&out, "%10.0f %8.1f %10.0f %6.3f %5.1f%% %5.1f%%\n", p.EPS, p.Batch, p.RawEPS, p.EPS/p.RawEPS, 100*p.Idle, 100*p.Used)
		}
		fmt.Fprintf(&out, "A search's evaluations a second are %.3f of the net's alone (median).\n", s.Ratio)
	}
	fmt.Fprintf(&out, "Recommended: batches of %d, the smallest within 5 %% of the best rate.\n", r.Recommended)
	return out.String()
}
