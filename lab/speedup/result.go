package speedup

import (
	"math"
	"runtime"

	"gonum.org/v1/gonum/stat"
)

// Result is what a run found. Times are in seconds; overheads and speed-ups are ratios.
type Result struct {
	Search    string    `json:"search"`
	Baseline  string    `json:"baseline"` // the searcher that the others are compared with
	Unit      Unit      `json:"unit"`     // of work
	Backend   string    `json:"backend"`
	Model     string    `json:"model"`
	Commit    string    `json:"commit"`
	Note      string    `json:"note,omitempty"`
	Hash      int       `json:"hash"` // MiB
	Cores     int       `json:"cores"`
	Repeat    int       `json:"repeat"`
	Seed      uint64    `json:"seed"`    // of the bootstrap
	Limit     float64   `json:"limit"`   // seconds that the baseline may take; 0: the work was given
	Ceiling   float64   `json:"ceiling"` // with the most threads
	Base      Base      `json:"base"`
	Runs      []Summary `json:"runs"`
	Positions int       `json:"positions"` // finished ones
	Table     []Row     `json:"table"`

	own bool // the baseline is the searcher itself on one thread
}

// Base is the sum over the positions for the baseline; each position counts with its median over the repeats.
type Base struct {
	Nodes   int64   `json:"nodes"`
	Seconds float64 `json:"seconds"`
	Solved  int     `json:"solved"`
}

// Summary is the sum over the positions for one number of threads.
type Summary struct {
	Threads int     `json:"threads"`
	Nodes   int64   `json:"nodes"`   // sum of medians
	Seconds float64 `json:"seconds"` // sum of medians
	Speedup float64 `json:"speedup"` // ratio of the sums
	Mean    float64 `json:"mean"`    // arithmetic mean over the positions, as in the 1984 table
	Geomean float64 `json:"geomean"` // geometric mean over the positions
	Low     float64 `json:"low"`     // 95 % interval of Speedup
	High    float64 `json:"high"`
	Ceiling float64 `json:"ceiling"` // speed-up of the same number of baselines at the same time
	Overheads
	Idle   float64 `json:"idle"`   // the part of SY in which threads waited
	Path   int64   `json:"path"`   // nodes on the critical path, sum of medians; 0: not measured
	Solved int     `json:"solved"` // positions whose best move was found in most repeats
	Short  int     `json:"short"`  // positions with less work done than by the baseline; they are not comparable
}

// Row is one position. Its cells are medians over the repeats.
type Row struct {
	ID   string `json:"id"`
	Work int64  `json:"work"`
	Base Cell   `json:"base"`
	Runs []Cell `json:"runs"` // in the order of Result.Runs
}

// Cell is one position with one number of threads.
type Cell struct {
	Nodes   float64 `json:"nodes"`
	Seconds float64 `json:"seconds"`
	Speedup float64 `json:"speedup"`
	Move    string  `json:"move"` // the most frequent one, in UCI form
	Solved  bool    `json:"solved"`

	reached, messages, idle, path float64 // work, seconds spent on messages, seconds waited, nodes
}

// newResult is the result of the measured positions, which are the first ones of the configuration. It is nil where
// there are none.
func newResult(c *Config, rows []samples) *Result {
	if len(rows) == 0 {
		return nil
	}
	r := &Result{
		Search: c.Driver.Name, Baseline: c.Driver.BaselineName, Unit: c.Driver.Unit, Backend: c.Backend, Model: c.Model,
		Commit: c.Commit, Note: c.Driver.Note, Hash: c.Hash, Cores: runtime.NumCPU(), Repeat: c.Repeat,
		Positions: len(rows), Seed: c.Seed, own: c.Driver.Own,
	}
	if c.Work == 0 {
		r.Limit = c.Limit.Seconds()
	}
	for i := range rows {
		r.Table = append(r.Table, newRow(c, &c.Positions[i], &rows[i]))
	}
	var nodes float64
	for i := range r.Table {
		cell := &r.Table[i].Base
		nodes += cell.Nodes
		r.Base.Seconds += cell.Seconds
		r.Base.Solved += count(cell.Solved)
	}
	r.Base.Nodes = int64(math.Round(nodes))
	for k, n := range c.Threads {
		r.Runs = append(r.Runs, r.sumUp(k, n, nodes, rows, c.Seed))
	}
	r.Ceiling = r.Runs[len(r.Runs)-1].Ceiling
	return r
}

func newRow(c *Config, p *Position, s *samples) Row {
	row := Row{ID: p.ID, Work: s.work, Base: newCell(p, s.base)}
	row.Base.Speedup = 1
	for k := range c.Threads {
		cell := row.Base
		if s.driver[k] != nil {
			cell = newCell(p, s.driver[k])
			cell.Speedup = ratio(row.Base.Seconds, cell.Seconds, leastSeconds)
		}
		row.Runs = append(row.Runs, cell)
	}
	return row
}

func newCell(p *Position, all []record) Cell {
	var cell Cell
	var nodes, reached, messages, idle, path []float64
	solved := 0
	votes := map[string]int{}
	for i := range all {
		rec := &all[i]
		nodes = append(nodes, float64(rec.Nodes))
		reached = append(reached, float64(rec.Reached))
		messages = append(messages, float64(rec.Messages)*rec.Cost)
		idle, path = append(idle, rec.Idle), append(path, float64(rec.Path))
		solved += count(p.solvedBy(rec.Best))
		if votes[rec.Best]++; votes[rec.Best] > votes[cell.Move] {
			cell.Move = rec.Best
		}
	}
	cell.Nodes, cell.Seconds, cell.reached, cell.messages = median(nodes), median(seconds(all)), median(reached),
		median(messages)
	cell.idle, cell.path = median(idle), median(path)
	cell.Solved = 2*solved > len(all)
	return cell
}

// sumUp makes the summary for n threads, which are Config.Threads[k]. nodes is the sum of the nodes of the baseline.
func (r *Result) sumUp(k, n int, nodes float64, rows []samples, seed uint64) Summary {
	run := Summary{Threads: n, Speedup: 1, Low: 1, High: 1, Ceiling: 1}
	var own, messages, idle, path, side float64
	var each []float64
	var pairs []pair
	for i := range r.Table {
		base, cell := &r.Table[i].Base, &r.Table[i].Runs[k]
		own += cell.Nodes
		messages += cell.messages
		idle, path = idle+cell.idle, path+cell.path
		run.Seconds += cell.Seconds
		run.Solved += count(cell.Solved)
		run.Short += count(cell.reached < base.reached)
		each = append(each, cell.Speedup)
		side += median(seconds(rows[i].side[k]))
		if rows[i].driver[k] != nil {
			pairs = append(pairs, pair{seconds(rows[i].base), seconds(rows[i].driver[k])})
		}
	}
	run.Nodes, run.Mean, run.Geomean = int64(math.Round(own)), stat.Mean(each, nil), stat.GeometricMean(each, nil)
	run.Idle, run.Path = idle/max(r.Base.Seconds, leastSeconds), int64(math.Round(path))
	run.Overheads = overheads(n, run.Seconds, r.Base.Seconds, own, nodes, messages)
	if pairs != nil {
		run.Speedup = ratio(r.Base.Seconds, run.Seconds, leastSeconds)
		run.Low, run.High = bootstrap(pairs, bootstrapRounds, seed+uint64(n))
	}
	if n > 1 {
		run.Ceiling = float64(n) * ratio(r.Base.Seconds, side, leastSeconds)
	}
	return run
}

func seconds(all []record) []float64 {
	var x []float64
	for i := range all {
		x = append(x, all[i].Seconds)
	}
	return x
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
