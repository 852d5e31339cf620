package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
)

// Search is a searcher that solves the suite.
type Search struct {
	Name string
	Open func() (search.Searcher, error)
}

// Config says who solves what.
type Config struct {
	Records  []*Record
	Searches []Search
	Limits   search.Limits               // one of Nodes, Evals and MoveTime
	Progress func(st *Standing, all int) // gets the standing of the present searcher, and the records that all have searched; may be nil
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

// Attempt is what a searcher made of a record. Time, nodes and evaluations are those after which it held to a solution
// until the end; 0 where it has none.
type Attempt struct {
	Line    int     `json:"line"`
	ID      string  `json:"id"`
	Move    string  `json:"move"` // SAN
	Solved  bool    `json:"solved"`
	Points  int     `json:"points"`
	Seconds float64 `json:"seconds"`
	Nodes   int64   `json:"nodes"`
	Evals   int64   `json:"evals"`
	Depth   int     `json:"depth"`         // plies, when it was found
	Acd     int     `json:"acd,omitempty"` // plies, of the analysis behind the record
}

// Standing is the result of a searcher. It has what the searcher used of the limit for all positions together, solved or not.
type Standing struct {
	Search  string    `json:"search"`
	Solved  int       `json:"solved"`
	Points  int       `json:"points"`
	Seconds float64   `json:"seconds"`
	Nodes   int64     `json:"nodes"`
	Evals   int64     `json:"evals"`
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

// Run has each searcher solve all records, one searcher after the other.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	r := newResult(&cfg)
	for _, s := range cfg.Searches {
		standing, err := r.solve(ctx, &cfg, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		r.Searches = append(r.Searches, standing)
	}
	r.Solved, r.Points = r.Searches[0].Solved, r.Searches[0].Points
	return r, nil
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

// solve has one searcher solve all records.
func (r *Result) solve(ctx context.Context, cfg *Config, by Search) (st Standing, err error) {
	s, err := by.Open()
	if err != nil {
		return st, err
	}
	defer s.Close()
	st = Standing{Search: by.Name, Over: make([]int, stepCount)}
	for i, record := range cfg.Records {
		a, last, err := try(ctx, s, record, cfg.Limits)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return st, fmt.Errorf("%s: %w", record.ID, err)
		}
		st.Points += a.Points
		st.Seconds, st.Nodes, st.Evals = st.Seconds+last.Time.Seconds(), st.Nodes+last.Nodes, st.Evals+last.Evals
		if a.Solved {
			st.Solved++
		}
		for k, step := range r.Steps {
			if a.Solved && (a.cost(r.Unit) <= step || k == stepCount-1) { // a search may end a little late
				st.Over[k]++
			}
		}
		st.Records = append(st.Records, a)
		if cfg.Progress != nil {
			cfg.Progress(&st, len(r.Searches)*len(cfg.Records)+i+1)
		}
	}
	return st, nil
}

// cost is what the solution took.
func (a *Attempt) cost(unit string) float64 {
	switch unit {
	case "nodes":
		return float64(a.Nodes)
	case "evals":
		return float64(a.Evals)
	}
	return a.Seconds
}

// try has a searcher solve one record. last is the last report of the search.
func try(ctx context.Context, s search.Searcher, r *Record, limits search.Limits) (a Attempt, last search.Info, err error) {
	s.NewGame()
	solves, begun := false, time.Now()
	note := func(m board.Move, i *search.Info) {
		is := r.Solves(m, i.Score)
		if is && !solves {
			a.Seconds, a.Nodes, a.Evals, a.Depth = i.Time.Seconds(), i.Nodes, i.Evals, i.Depth
		}
		solves = is
	}
	found, err := s.Search(ctx, board.NewGame(r.Position), limits, func(i search.Info) {
		if len(i.PV) > 0 && i.MultiPV <= 1 {
			note(i.PV[0], &i)
		}
	})
	if err != nil {
		return a, last, err
	}
	if found.Info.Time == 0 {
		found.Info.Time = time.Since(begun)
	}
	note(found.Best, &found.Info)
	if !solves {
		a = Attempt{}
	}
	a.Line, a.ID, a.Acd = r.Line, r.ID, r.Depth
	a.Move, a.Solved, a.Points = pgn.SAN(&r.Position, found.Best), solves, r.PointsOf(found.Best, solves)
	return a, found.Info, nil
}
