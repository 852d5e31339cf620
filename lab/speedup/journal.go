package speedup

import (
	"errors"
	"fmt"
)

// The kinds of journal lines.
const (
	kindConfig = "config" // the first line: a header
	kindTrial  = "trial"  // a search of the baseline to find the work of a position
	kindBase   = "base"   // a search of the baseline
	kindDriver = "driver" // a search of the driver
	kindSide   = "side"   // searches of the baseline at the same time, counted as one
)

// step names one search of a run.
type step struct {
	Kind     string `json:"kind"`
	Position int    `json:"position"` // from 1
	Repeat   int    `json:"repeat"`   // from 1; 0 for trials
	Threads  int    `json:"threads"`  // in a side step: searches
	Work     int64  `json:"work"`     // in the driver's unit
}

// record is one finished search.
type record struct {
	step
	Nodes    int64   `json:"nodes"`
	Seconds  float64 `json:"seconds"`
	Reached  int64   `json:"reached"`  // work that was done; less than Work where nothing was left to search
	Finished bool    `json:"finished"` // false only for a trial that took too long
	Messages int64   `json:"messages"`
	Cost     float64 `json:"cost"` // seconds per message
	Idle     float64 `json:"idle"` // seconds, of all threads
	Path     int64   `json:"path"` // nodes
	Best     string  `json:"best"` // in UCI form
}

// stepOf is the step of a record. It finds values that no run writes.
func stepOf(r *record) (step, error) {
	switch r.Kind {
	case kindTrial, kindBase, kindDriver, kindSide:
	default:
		return step{}, fmt.Errorf("kind %q", r.Kind)
	}
	if r.Position < 1 || r.Repeat < 0 || r.Threads < 1 || r.Work < 1 || r.Nodes < 0 || !(r.Seconds >= 0) || r.Messages < 0 ||
		!(r.Cost >= 0) || !(r.Idle >= 0) || r.Path < 0 {
		return step{}, errors.New("a number is out of range")
	}
	return r.step, nil
}
