package suite

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/search"
)

// Config says who solves what.
type Config struct {
	Records  []*Record
	Searches []sweep.Searcher
	Limits   search.Limits  // one of Nodes, Evals and MoveTime; and Sure
	Progress *view.Progress // nil: none
	Journal  sweep.File     // of the attempts
	Label    any            // what the attempts depend on beside the limits, for the header of the journal
}

// OneLimit is an error unless exactly one of the limits for a position is set: nodes, evaluations, or a time.
func OneLimit(l *search.Limits) error {
	set := 0
	for _, is := range []bool{l.Nodes > 0, l.Evals > 0, l.MoveTime > 0} {
		if is {
			set++
		}
	}
	if set != 1 {
		return errors.New("want one of --nodes, --evals and --movetime")
	}
	return nil
}

// Use is what was used of a limit.
type Use struct {
	Seconds float64 `json:"seconds"`
	Nodes   int64   `json:"nodes"`
	Evals   int64   `json:"evals"`
}

func useOf(i *search.Info) Use { return Use{i.Time.Seconds(), i.Nodes, i.Evals} }

// Attempt is what a searcher made of a record, and a record of the journal. Use is that after which it held to a solution
// until the end; 0 where it has none.
type Attempt struct {
	Search string `json:"search"`
	Line   int    `json:"line"`
	ID     string `json:"id"`
	Move   string `json:"move"` // SAN
	Solved bool   `json:"solved"`
	Points int    `json:"points"`
	Use
	Depth int `json:"depth"`         // plies, when it was found
	Acd   int `json:"acd,omitempty"` // plies, of the analysis behind the record
	Used  Use `json:"used"`          // in all

	// Sure is P(best) at the end; 0: nothing is stated.
	Sure float64 `json:"sure,omitempty"`
}

// Standing is the result of a searcher. It has what the searcher used of the limit for all positions together, solved or not.
type Standing struct {
	Search string `json:"search"`
	Solved int    `json:"solved"`
	Points int    `json:"points"`
	Use
	Over    []int     `json:"over"` // solved within each of Result.Steps
	Records []Attempt `json:"records"`
}

// Result is what all searchers made of the suite.
type Result struct {
	Positions int        `json:"positions"`
	Solved    int        `json:"solved"` // by the first searcher, as the next
	Points    int        `json:"points"`
	Most      int        `json:"most_points"` // that a searcher can get
	Unit      string     `json:"unit"`        // of the limit: seconds, nodes or evals
	Limit     float64    `json:"limit"`       // for each position
	Steps     []float64  `json:"steps"`       // parts of the limit
	Searches  []Standing `json:"searches"`
	groups    []string
}

// header is the first line of a journal.
type header struct {
	Version int           `json:"tesla_suite"`
	Label   any           `json:"label"`
	Records string        `json:"records"` // hash
	Nodes   int64         `json:"nodes,omitempty"`
	Evals   int64         `json:"evals,omitempty"`
	Time    time.Duration `json:"movetime_ns,omitempty"`
	Sure    float64       `json:"sure,omitempty"`
}

// question is what an attempt answers.
type question struct {
	search string
	line   int
}

// Run has each searcher solve all records, one searcher after the other.
func Run(ctx context.Context, cfg Config) (r *Result, err error) {
	h := header{1, cfg.Label, recordsHash(cfg.Records), cfg.Limits.Nodes, cfg.Limits.Evals, cfg.Limits.MoveTime, cfg.Limits.Sure}
	j, err := sweep.OpenJournal(cfg.Journal, h, func(a *Attempt) (question, error) { return question{a.Search, a.Line}, nil })
	if err != nil {
		return nil, err
	}
	defer func() { err = j.End(err) }()
	tried, solved, by := 0, 0, ""
	all := &sweep.Sweep{Steps: len(cfg.Records), What: "searches", Progress: cfg.Progress, Resumed: j.Resumed,
		More: func() string { return fmt.Sprintf("%s solved %d of %d", by, solved, tried) }}
	found, err := sweep.Searches(ctx, all, cfg.Searches, func(ctx context.Context, s *sweep.Searcher, i int) (Attempt, error) {
		a, err := j.Do(question{s.Name, cfg.Records[i].Line}, func() (Attempt, error) { return try(ctx, s, cfg.Records[i], cfg.Limits) })
		if err != nil {
			return a, fmt.Errorf("%s: %w", cfg.Records[i].ID, err)
		}
		if s.Name != by {
			tried, solved, by = 0, 0, s.Name
		}
		if tried++; a.Solved {
			solved++
		}
		return a, nil
	})
	if err != nil {
		return nil, err
	}
	r = newResult(&cfg)
	for k := range found {
		r.Searches = append(r.Searches, r.standing(cfg.Searches[k].Name, found[k]))
	}
	r.Solved, r.Points = r.Searches[0].Solved, r.Searches[0].Points
	return r, nil
}

// recordsHash tells suites apart.
func recordsHash(all []*Record) string {
	sum := fnv.New64a()
	for _, r := range all {
		fmt.Fprintln(sum, r.Line, r.Position.FEN(true), r.Best, r.Avoid, r.Points, r.Mate)
	}
	return fmt.Sprintf("%d %016x", len(all), sum.Sum64())
}

// stepCount is the number of parts of the limit after which solutions are counted. Each is twice the one before.
const stepCount = 6

func newResult(cfg *Config) *Result {
	r := &Result{Positions: len(cfg.Records)}
	switch l := &cfg.Limits; {
	case l.Nodes > 0:
		r.Unit, r.Limit = "nodes", float64(l.Nodes)
	case l.Evals > 0:
		r.Unit, r.Limit = "evals", float64(l.Evals)
	default:
		r.Unit, r.Limit = "seconds", l.MoveTime.Seconds()
	}
	for k := stepCount - 1; k >= 0; k-- {
		r.Steps = append(r.Steps, r.Limit/float64(int(1)<<k))
	}
	for _, record := range cfg.Records {
		r.Most += record.MostPoints()
		r.groups = append(r.groups, record.Group())
	}
	return r
}

// standing sums up what a searcher made of the records.
func (r *Result) standing(name string, all []Attempt) Standing {
	st := Standing{Search: name, Over: make([]int, stepCount), Records: all}
	for i := range all {
		a := &all[i]
		st.Points += a.Points
		st.Seconds, st.Nodes, st.Evals = st.Seconds+a.Used.Seconds, st.Nodes+a.Used.Nodes, st.Evals+a.Used.Evals
		if !a.Solved {
			continue
		}
		st.Solved++
		for k, step := range r.Steps {
			if a.cost(r.Unit) <= step || k == stepCount-1 { // a search may end a little late
				st.Over[k]++
			}
		}
	}
	return st
}

func (a *Attempt) cost(unit string) float64 {
	switch unit {
	case "nodes":
		return float64(a.Nodes)
	case "evals":
		return float64(a.Evals)
	}
	return a.Seconds
}

func try(ctx context.Context, s *sweep.Searcher, r *Record, limits search.Limits) (a Attempt, err error) {
	solves, begun := false, time.Now()
	note := func(m board.Move, i *search.Info) {
		is := r.Solves(m, i.Score)
		if is && !solves {
			a.Use, a.Depth = useOf(i), i.Depth
		}
		solves = is
	}
	found, err := s.FromNothing(ctx, &r.Position, limits, func(i search.Info) {
		if len(i.PV) > 0 && i.MultiPV <= 1 {
			note(i.PV[0], &i)
		}
	})
	if err != nil {
		return a, err
	}
	if found.Info.Time == 0 {
		found.Info.Time = time.Since(begun)
	}
	note(found.Best, &found.Info)
	if !solves {
		a = Attempt{}
	}
	a.Search, a.Line, a.ID, a.Acd, a.Used, a.Sure = s.Name, r.Line, r.ID, r.Depth, useOf(&found.Info), found.Info.Sure.Best
	a.Move, a.Solved, a.Points = pgn.SAN(&r.Position, found.Best), solves, r.PointsOf(found.Best, solves)
	return a, nil
}
