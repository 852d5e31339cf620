package calibrate

import (
	"context"
	"fmt"
	"io"

	"tesla/bestfirst"
	"tesla/engine"
	"tesla/lab/view"
	"tesla/search"
)

// Config sizes the measurement.
type Config struct {
	Searches int            // searches to log
	Evals    int64          // evaluations of each search
	Seed     uint64         // seed for the random openings
	Progress *view.Progress // nil: none
}

// Result is a fit and how well it predicts.
type Result struct {
	Backend    string        `json:"backend"`
	Model      string        `json:"model"`
	Searches   int           `json:"searches"`
	Evals      int64         `json:"evals"`
	Promotions int           `json:"promotions"`
	Fit        bestfirst.Fit `json:"fit"`
	Report
	Commit string `json:"commit"` // of the program
}

// Run logs searches of the settings, fits the change model to four fifths of them and measures it on the others. tell
// gets the notes of opening.
func Run(ctx context.Context, set engine.Settings, cfg Config, tell func(notes []string)) (r Result, err error) {
	open := func(trace func(bestfirst.Sample)) (search.Searcher, error) {
		s, notes, err := engine.OpenTraced(set, trace)
		tell(notes)
		if err != nil {
			return nil, err
		}
		info := s.Backend()
		r.Backend, r.Model = info.Name, info.Model
		return s, nil
	}
	log, err := Collect(ctx, open, cfg)
	if err != nil {
		return r, err
	}
	train, test := log.Split()
	r.Searches, r.Evals, r.Promotions = cfg.Searches, cfg.Evals, log.Promotions()
	r.Fit = Estimate(train)
	r.Fit.Net = r.Model
	r.Report, r.Commit = Measure(r.Fit, train, test), engine.Commit()
	return r, nil
}

// Print writes one line about the searches, and then the report.
func (r *Result) Print(out io.Writer) error {
	fmt.Fprintf(out, "%s, net %s: %d promotions logged in %d searches of %d evaluations\n", r.Backend, r.Model, r.Promotions, r.Searches, r.Evals)
	return r.Report.Print(out)
}
