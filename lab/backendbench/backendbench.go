// Package backendbench measures how fast a backend evaluates: alone, in batches of growing size, and as the evaluator
// of a search.
package backendbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/engine"
	"tesla/internal/output"
	"tesla/internal/output/plots"
	"tesla/lab/speedup"
	"tesla/lab/view"
	"tesla/models"
	"tesla/search"
)

// Result is what Run found.
type Result struct {
	Backend        string         `json:"backend"`
	Model          string         `json:"model"`
	Threads        int            `json:"threads"`
	Rows           []batcher.Row  `json:"rows"`
	Recommended    int            `json:"recommended"` // batch
	IncrementalEPS float64        `json:"incremental_eps"`
	Search         *Search        `json:"search,omitempty"`
	Plans          []batcher.Plan `json:"plans,omitempty"`
	Commit         string         `json:"commit"` // of the program
}

// Run measures a backend at batches of 1, 2, 4 and so on up to most, each for about budget.
func Run(b batcher.Backend, net models.Net, most int, budget time.Duration, progress *view.Progress) (Result, error) {
	info := b.Info()
	r := Result{Backend: info.Name, Model: info.Model, Threads: info.Threads}
	all, done := sizes(min(most, info.MaxBatch)), 0
	var err error
	r.Rows, err = batcher.Measure(b, all, budget, func(batcher.Row) {
		done++
		progress.Draw(done, len(all), "batch sizes", "")
	})
	progress.End()
	if err != nil {
		return r, err
	}
	r.Recommended = batcher.Recommend(r.Rows).Batch
	r.IncrementalEPS, err = incremental(b, net, budget)
	return r, err
}

// sizes are 1, 2, 4 and so on up to most.
func sizes(most int) (all []int) {
	for n := 1; n <= most; n *= 2 {
		all = append(all, n)
	}
	return all
}

// incremental is how many positions a second the net takes in along a line, where it can keep most of the one before; 0 without a net.
func incremental(b batcher.Backend, net models.Net, budget time.Duration) (float64, error) {
	switch {
	case net.NNUE != nil:
		return alongLines(b, net, budget)
	case net.EUT != nil:
		return batcher.MeasureIncremental(net.EUT, budget)
	}
	return 0, nil
}

// lineNodes is the size of each search of alongLines.
const lineNodes = 30000

// alongLines is the value evaluations a second of lazysmp searches of the bench positions, on one thread.
func alongLines(b batcher.Backend, net models.Net, budget time.Duration) (float64, error) {
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return 0, err
	}
	set := engine.Default()
	set.Search = "lazysmp"
	s, err := engine.OpenOn(b, net, set)
	if err != nil {
		return 0, err
	}
	evals, start := int64(0), time.Now()
	for i := 0; i < len(positions) || time.Since(start) < budget; i++ {
		r, err := s.Search(context.Background(), board.NewGame(positions[i%len(positions)].Board), search.Limits{Nodes: lineNodes, MultiPV: 1}, nil)
		if err != nil {
			return 0, errors.Join(err, s.Close())
		}
		evals += r.Info.Evals
	}
	return float64(evals) / math.Max(1e-9, time.Since(start).Seconds()), s.Close()
}

// The files of a report.
var (
	textFile = output.File{Name: "backendbench.txt", Ours: regexp.MustCompile(`(?m)^backend \S+, net .*, \d+ threads$`).Match}
	dataFile = output.File{Name: "backendbench.json", Ours: output.Begins(`{"backend":`)}
	plotFile = output.File{Name: "backendbench.svg", Ours: plots.Ours}
)

// ReportFiles are the files that Write writes.
var ReportFiles = []output.File{textFile, dataFile, plotFile}

// Write writes the result as text, as JSON and as a plot into a folder that is there.
func (r *Result) Write(folder string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return errors.Join(output.WriteBytes(filepath.Join(folder, textFile.Name), textFile.Ours, []byte(r.String())),
		output.WriteBytes(filepath.Join(folder, dataFile.Name), dataFile.Ours, append(data, '\n')), plotRates(r.Rows, filepath.Join(folder, plotFile.Name)))
}

// String is the result as a table, with the recommended batch, behind those of the plans.
func (r *Result) String() string {
	var out strings.Builder
	for i := range r.Plans {
		writePlan(&out, &r.Plans[i])
	}
	fmt.Fprintf(&out, "backend %s, net %s, %d threads\n", r.Backend, r.Model, r.Threads)
	writeRows(&out, r.Rows)
	if r.IncrementalEPS > 0 {
		what := "first layer alone, incrementally"
		if r.Backend == "nnue" {
			what = "values in an alpha-beta search on one thread"
		}
		fmt.Fprintf(&out, "%s: %.0f a second\n", what, r.IncrementalEPS)
	}
	if r.Search != nil {
		out.WriteString(r.Search.String())
	}
	fmt.Fprintf(&out, "Recommended: batches of %d, the smallest within 5 %% of the best rate. More evaluations a second are better.\n", r.Recommended)
	return out.String()
}

func writeRows(out *strings.Builder, rows []batcher.Row) {
	fmt.Fprintf(out, "%6s %10s %10s %10s %8s %8s %10s\n", "batch", "evals/s", "median", "ms", "sdev", "first", "raw")
	for _, row := range rows {
		fmt.Fprintf(out, "%6d %10.0f %10.0f %10.3f %8.3f %8.3f %10.0f\n", row.Batch, row.EPSMean, row.EPSMedian, row.MSMean, row.MSSdev, row.MSFirst, row.RawEPS)
	}
}
