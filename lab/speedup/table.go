package speedup

import (
	"fmt"
	"io"
	"strings"
)

// columns are those of the table beside the baseline: one for each number of threads. A searcher that is its own
// baseline has no second column for one thread.
func (r *Result) columns() (names []string, runs []int) {
	for k := range r.Runs {
		if k == 0 && r.own {
			continue
		}
		names, runs = append(names, fmt.Sprintf("CPU %d", r.Runs[k].Threads)), append(runs, k)
	}
	return names, runs
}

// Print writes the table in the manner of Marsland, Olafsson and Schaeffer (1984), then speed-ups and overheads for
// each number of threads.
func (r *Result) Print(w io.Writer) error {
	var b strings.Builder
	r.head(&b)
	r.table(&b)
	r.summary(&b)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("speedup: writing the table: %w", err)
	}
	return nil
}

// overBaseline is in the first line of a table.
const overBaseline = ": speed-up over "

func (r *Result) head(b *strings.Builder) {
	fmt.Fprintf(b, "%s%s%s\n", r.Search, overBaseline, r.Baseline)
	fmt.Fprintf(b, "backend %s net %s hash %d commit %s; %d cores, %d positions, %d repeats, medians\n", r.Backend,
		r.Model,
		r.Hash, r.Commit, r.Cores, r.Positions, r.Repeat)
	work := map[Unit]string{Depth: "depth in plies", Evals: "a number of evaluations"}[r.Unit]
	if r.Limit > 0 {
		last := map[Unit]string{Depth: "the last", Evals: "the last power of two"}[r.Unit]
		work += fmt.Sprintf(", %s that %s finishes in %g s", last, r.Baseline, r.Limit)
	}
	fmt.Fprintf(b, "work: %s\n", work)
	if r.Note != "" {
		fmt.Fprintf(b, "note: %s\n", r.Note)
	}
}

// base is the head of the baseline's column.
func (r *Result) base() string {
	if r.own {
		return "CPU 1"
	}
	return r.Baseline
}

func (r *Result) table(b *strings.Builder) {
	names, runs := r.columns()
	wide := 12 * (1 + len(runs))
	fmt.Fprintf(b, "\n%-7s %9s%*s%*s%*s\n", "", "", wide, "total node count", wide, "time in seconds", max(10,
		8*len(runs)),
		"speed-up")
	fmt.Fprintf(b, "%-7s %9s", "POS", string(r.Unit))
	for range 2 {
		fmt.Fprintf(b, " %11s", r.base())
		for _, name := range names {
			fmt.Fprintf(b, " %11s", name)
		}
	}
	for _, k := range runs {
		fmt.Fprintf(b, " %7d", r.Runs[k].Threads)
	}
	b.WriteString("  Move\n")
	for i := range r.Table {
		row := &r.Table[i]
		cells := []Cell{row.Base}
		for _, k := range runs {
			cells = append(cells, row.Runs[k])
		}
		last := cells[len(cells)-1]
		move := last.Move
		if last.Solved {
			move += "!"
		}
		line(b, row.ID, fmt.Sprint(row.Work), cells, move)
	}
	total := []Cell{{Nodes: float64(r.Base.Nodes), Seconds: r.Base.Seconds}}
	average := []Cell{{Nodes: float64(r.Base.Nodes) / float64(r.Positions),
		Seconds: r.Base.Seconds / float64(r.Positions)}}
	solved := r.Base.Solved
	for _, k := range runs {
		run := &r.Runs[k]
		total = append(total, Cell{Nodes: float64(run.Nodes), Seconds: run.Seconds, Speedup: run.Speedup})
		average = append(average, Cell{Nodes: float64(run.Nodes) / float64(r.Positions),
			Seconds: run.Seconds / float64(r.Positions), Speedup: run.Mean})
		solved = run.Solved
	}
	line(b, "TTL", "", total, fmt.Sprint(solved))
	line(b, "AVG", "", average, "")
}

// line writes one row, with the baseline's cell first.
func line(b *strings.Builder, name, work string, cells []Cell, move string) {
	fmt.Fprintf(b, "%-7s %9s", name, work)
	for i := range cells {
		fmt.Fprintf(b, " %11.0f", cells[i].Nodes)
	}
	for i := range cells {
		fmt.Fprintf(b, " %11.3f", cells[i].Seconds)
	}
	for i := range cells[1:] {
		fmt.Fprintf(b, " %7.2f", cells[1+i].Speedup)
	}
	b.WriteString(strings.TrimRight("  "+move, " ") + "\n")
}

func (r *Result) summary(b *strings.Builder) {
	fmt.Fprintf(b, "\n%4s %9s %16s %8s %8s %8s %8s %8s %8s %8s %8s %7s\n", "CPU", "speed-up", "95 % interval", "geomean",
		"ceiling",
		"TO %", "CO %", "SO %", "SY %", "idle %", "W/path", "solved")
	for i := range r.Runs {
		run := &r.Runs[i]
		fmt.Fprintf(b, "%4d %9.3f %16s %8.3f %8.3f %8.1f %8.1f %8.1f %8.1f %8.1f %8s %7d\n", run.Threads, run.Speedup,
			fmt.Sprintf("%.3f .. %.3f", run.Low, run.High), run.Geomean, run.Ceiling, 100*run.TO, 100*run.CO, 100*run.SO,
			100*run.SY, 100*run.Idle, run.Parallelism(), run.Solved)
	}
	fmt.Fprintf(b, "baseline solved %d of %d; TO = CO + SO + SY; idle is part of SY; ", r.Base.Solved, r.Positions)
	b.WriteString("ceiling: as many baselines at the same time\n")
	b.WriteString("a greater speed-up is better, at best the number of threads; smaller overheads are better\n")
	for i := range r.Runs {
		if run := &r.Runs[i]; run.Short > 0 {
			fmt.Fprintf(b, "warning: with %d threads %d positions ended before the baseline's work was done\n", run.Threads,
				run.Short)
		}
	}
}

// Parallelism is the work divided by the critical path: the most threads that could be busy on average. It is - where
// the path was not measured.
func (s *Summary) Parallelism() string {
	if s.Path == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(s.Nodes)/float64(s.Path))
}
