package speedup

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"time"

	"tesla/lab/sweep"
	"tesla/lab/view"
)

const (
	// DefaultLimit is the time in which the baseline must finish the work of a position.
	DefaultLimit = 3 * time.Second
	// DefaultRepeat is how often each search is repeated.
	DefaultRepeat = 5
	// mostThreads is more than any machine has that this runs on.
	mostThreads = 1024
	// mostRepeat and mostHash (MiB) catch typing errors.
	mostRepeat = 1000
	mostHash   = 1 << 24
)

// Config says what to measure.
type Config struct {
	Driver    Driver
	Positions []Position
	Threads   []int         // ascending; 1 is added where it is missing
	Repeat    int           // searches of each kind for each position
	Limit     time.Duration // the work of a position is the most that the baseline finishes in it
	Work      int64         // in the driver's unit, for every position; 0: found by Limit
	Seed      uint64        // seed of the bootstrap

	// Labels of the result. A journal of other labels is refused.
	Backend, Model, Commit string
	Options                string // of the search
	Hash                   int    // MiB for each searcher

	Journal  sweep.File        // of finished searches
	Progress *view.Progress    // nil: none
	Tell     func(text string) // gets a line about each position; may be nil
	Now      func() time.Time  // the clock; nil: time.Now
}

// Validate reports all that is wrong, joined.
func (c *Config) Validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Driver.Open == nil || c.Driver.Baseline == nil || c.Driver.Unit != Depth && c.Driver.Unit != Evals {
		wrong("incomplete searcher %q: want Open, Baseline and a unit of work", c.Driver.Name)
	}
	if len(c.Positions) == 0 {
		wrong("no positions")
	}
	seen := map[string]bool{}
	for i := range c.Positions {
		p := &c.Positions[i]
		if seen[p.ID] {
			wrong("position %s twice", p.ID)
		}
		seen[p.ID] = true
		if !p.Board.HasLegalMove() {
			wrong("no legal move in position %s", p.ID)
		}
	}
	errs = append(errs, checkThreads(c.Threads))
	if c.Repeat < 1 || c.Repeat > mostRepeat {
		wrong("repeat %d: want 1..%d", c.Repeat, mostRepeat)
	}
	if c.Hash < 0 || c.Hash > mostHash {
		wrong("hash %d: want 0..%d MiB", c.Hash, mostHash)
	}
	switch {
	case c.Work == 0 && c.Limit <= 0:
		wrong("time limit %v, want more than zero", c.Limit)
	case c.Work < 0 || c.Work > mostEvals || c.Driver.Unit == Depth && c.Work > mostDepth:
		wrong("%s %d: out of range", c.Driver.Unit, c.Work)
	}
	return errors.Join(append(errs, c.Journal.Check())...)
}

func checkThreads(threads []int) error {
	if len(threads) == 0 {
		return errors.New("no threads")
	}
	for i, n := range threads {
		if n < 1 || n > mostThreads {
			return fmt.Errorf("threads %d: want 1..%d", n, mostThreads)
		}
		if i > 0 && n == threads[i-1] {
			return fmt.Errorf("threads: %d twice", n)
		}
		if i > 0 && n < threads[i-1] {
			return fmt.Errorf("threads: %d after %d, want them ascending", n, threads[i-1])
		}
	}
	return nil
}

func (c Config) withDefaults() Config {
	if len(c.Threads) > 0 && c.Threads[0] != 1 {
		c.Threads = append([]int{1}, c.Threads...)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tell == nil {
		c.Tell = func(string) {}
	}
	return c
}

// header is the first line of a journal. It holds all that makes times comparable: two runs with equal headers may
// share a journal.
type header struct {
	Kind      string  `json:"kind"` // kindConfig
	Version   int     `json:"version"`
	Search    string  `json:"search"`
	Baseline  string  `json:"baseline"`
	Unit      Unit    `json:"unit"`
	Backend   string  `json:"backend"`
	Model     string  `json:"model"`
	Commit    string  `json:"commit"`
	Options   string  `json:"options,omitempty"`
	Hash      int     `json:"hash"`
	Threads   []int   `json:"threads"`
	Repeat    int     `json:"repeat"`
	Limit     float64 `json:"limit"` // seconds; 0 where Work is given
	Work      int64   `json:"work"`
	Positions string  `json:"positions"` // their number and hash
	Machine   string  `json:"machine"`
}

// journalVersion changes with the meaning of journal lines.
const journalVersion = 1

func (c *Config) header() header {
	sum := sha256.New()
	for i := range c.Positions {
		p := &c.Positions[i]
		fmt.Fprintln(sum, p.ID, p.Board.FEN(true), p.Best)
	}
	h := header{
		Kind: kindConfig, Version: journalVersion, Search: c.Driver.Name, Baseline: c.Driver.BaselineName,
		Unit: c.Driver.Unit, Backend: c.Backend, Model: c.Model, Commit: c.Commit, Options: c.Options, Hash: c.Hash, Threads: c.Threads,
		Repeat: c.Repeat, Work: c.Work, Positions: fmt.Sprintf("%d %x", len(c.Positions), sum.Sum(nil)[:6]),
		Machine: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
	}
	if c.Work == 0 {
		h.Limit = c.Limit.Seconds()
	}
	return h
}

// DefaultThreads doubles up to the number of cores, which is the last.
func DefaultThreads(cores int) (threads []int) {
	for n := 1; n < cores; n *= 2 {
		threads = append(threads, n)
	}
	return append(threads, cores)
}
