// Command compare compares results of tesla speedup with each other and with those of the literature, at one number of
// threads. It prints a table in Markdown, and draws a bar chart with 95 % intervals.
//
//	compare -threads 2 -plot docs/parallel.svg pvsplit,plain=out/speedup.json ...
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"tesla/lab/speedup"
)

// entry is a row of the table and a bar of the chart.
type entry struct {
	name string
	speedup.Summary
	literature bool
}

// literature holds reported results by number of threads. Marsland, Olafsson and Schaeffer (1984) measured Parallel
// Phoenix on the same 24 positions at seven plies. Bagatur's notes report on parallel MTD(f). Scacchista's notes on
// Lazy SMP give a measured result, and one that they expect once the threads search differently.
var literature = map[int][]entry{
	2: {
		reported("PV splitting 1984", 1.85, 7.7, 5.2),
		reported("MTD(f), Bagatur", 1.7, 0, 0),
		reported("Lazy SMP, Scacchista", 1.04, 0, 0),
		reported("Lazy SMP, Scacchista, expected", 1.8, 0, 0),
	},
	3: {reported("PV splitting 1984", 2.46, 21.7, 11.9)},
	4: {
		reported("PV splitting 1984", 3.35, 19.4, 6.0),
		reported("Lazy SMP, Scacchista, expected", 2.8, 0, 0),
	},
}

// reported makes the entry of a published speed-up. Its overheads are given in per cent; 0 means that none was
// published.
func reported(name string, speedUp, to, so float64) entry {
	return entry{name, speedup.Summary{Speedup: speedUp, Low: speedUp, High: speedUp,
		Overheads: speedup.Overheads{TO: to / 100, SO: so / 100, SY: (to - so) / 100}}, true}
}

func main() {
	threads := flag.Int("threads", 2, "number of threads whose results are compared")
	file := flag.String("plot", "", "SVG, PNG or PDF file to draw the chart in")
	flag.Parse()
	if err := compare(*threads, *file, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// compare prints the table, and draws the chart where file is not empty.
func compare(threads int, file string, args []string) error {
	var all []entry
	for _, arg := range args {
		name, path, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q: want name=speedup.json", arg)
		}
		e, err := read(path, threads)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		e.name = strings.ReplaceAll(name, ",", " ")
		all = append(all, e)
	}
	all = append(all, literature[threads]...)
	fmt.Println("| | speed-up | 95 % interval | geometric mean | ceiling | TO % | CO % | SO % | SY % | idle % (part of SY) | work / path |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for i := range all {
		fmt.Println(all[i].row())
	}
	if file == "" {
		return nil
	}
	return draw(all, threads, file)
}

// read returns the summary for one number of threads.
func read(path string, threads int) (entry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return entry{}, err
	}
	var r speedup.Result
	if err := json.Unmarshal(text, &r); err != nil {
		return entry{}, err
	}
	for _, run := range r.Runs {
		if run.Threads == threads {
			return entry{Summary: run}, nil
		}
	}
	return entry{}, fmt.Errorf("no result for %d threads", threads)
}

func (e *entry) row() string {
	if e.literature {
		if e.TO == 0 {
			return fmt.Sprintf("| %s | %.2f | | | | | | | | | |", e.name, e.Speedup)
		}
		return fmt.Sprintf("| %s | %.2f | | | | %.1f | | %.1f | | | |", e.name, e.Speedup, 100*e.TO, 100*e.SO)
	}
	return fmt.Sprintf("| %s | %.2f | %.2f to %.2f | %.2f | %.2f | %.1f | %.1f | %.1f | %.1f | %.1f | %s |", e.name, e.Speedup, e.Low, e.High,
		e.Geomean, e.Ceiling, 100*e.TO, 100*e.CO, 100*e.SO, 100*e.SY, 100*e.Idle, e.Parallelism())
}

const (
	plotWidth  = 24 * vg.Centimeter
	plotHeight = 11 * vg.Centimeter
	barWidth   = 18 // points
)

// draw draws a bar for each entry. Measured entries have their intervals.
func draw(all []entry, threads int, file string) error {
	p := plot.New()
	p.Y.Label.Text = fmt.Sprintf("speed-up with %d threads", threads)
	p.Y.Min = 0
	var names []string
	values := map[bool]plotter.Values{}
	var intervals struct {
		plotter.XYs
		plotter.YErrors
	}
	for i := range all {
		e := &all[i]
		names = append(names, strings.ReplaceAll(e.name, " ", "\n"))
		for _, literature := range []bool{false, true} {
			v := 0.0
			if e.literature == literature {
				v = e.Speedup
			}
			values[literature] = append(values[literature], v)
		}
		if !e.literature {
			intervals.XYs = append(intervals.XYs, plotter.XY{X: float64(i), Y: e.Speedup})
			intervals.YErrors = append(intervals.YErrors, struct{ Low, High float64 }{e.Speedup - e.Low, e.High - e.Speedup})
		}
	}
	mine, err1 := plotter.NewBarChart(values[false], barWidth)
	others, err2 := plotter.NewBarChart(values[true], barWidth)
	bars, err3 := plotter.NewYErrorBars(intervals)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	mine.Color, others.Color = speedup.Ink, speedup.Pale
	p.Add(plotter.NewGrid(), mine, others, bars)
	p.Legend.Add("measured, 95 % interval", mine)
	p.Legend.Add("reported by others", others)
	p.Legend.Top = true
	p.Y.Max *= 1.25
	p.NominalX(names...)
	return p.Save(plotWidth, plotHeight, file)
}
