package web

import (
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/engine"
	"tesla/search"
)

// wish is what a tab wants, as a whole.
type wish struct {
	Serial  int64             `json:"serial"` // of the tab's; events bear that of the wish that they are of
	Game    game              `json:"game"`
	Options map[string]string `json:"options"` // that differ from the server's, see pageOptions
	Limits  limits            `json:"limits"`
	Run     bool              `json:"run"`    // search; else stop
	Forget  bool              `json:"forget"` // what was learned before: another game begins
}

// limits are those of a search, in milliseconds. Without any the search is infinite.
type limits struct {
	Lines    int      `json:"lines"` // MultiPV
	Evals    int64    `json:"evals"`
	Depth    int      `json:"depth"`
	MoveTime int64    `json:"moveTime"`
	Clock    bool     `json:"clock"` // the next two count
	Time     [2]int64 `json:"time"`  // of the side to move, and of the other
	Inc      [2]int64 `json:"inc"`
}

// pageOptions are the options that the page may set. Names of files and servers are not among them: only the command line
// gives those.
var pageOptions = []string{"Search", "Backend", "Threads", "UCI_LimitStrength", "UCI_Elo", "LeafDepth", "SearchOptions"}

// Limits of limits.
const (
	mostLines = 10
	mostMS    = 24 * 60 * 60 * 1000 // a day
)

// mostThreads is the most threads that the page can ask for.
func mostThreads(set engine.Settings) int { return max(runtime.NumCPU(), set.Threads) }

// backends are those that the page can ask for: those of this machine, and the server that the command line names.
func backends(set engine.Settings) []string {
	return slices.DeleteFunc(slices.Clone(engine.Backends), func(name string) bool { return name == "remote" && set.Backend != "remote" })
}

// order is a wish that was read.
type order struct {
	serial   int64
	game     *board.Game
	settings engine.Settings
	limits   search.Limits
	run      bool
	forget   bool
}

// order reads the wish. set are the server's settings.
func (w *wish) order(set engine.Settings) (o order, err error) {
	o = order{serial: w.Serial, settings: set, run: w.Run, forget: w.Forget}
	line, _, err := w.Game.line()
	if err != nil {
		return o, err
	}
	o.game = line.Game()
	if err := choose(&o.settings, w.Options); err != nil {
		return o, err
	}
	o.limits, err = w.Limits.search()
	return o, err
}

// choose sets options of the page on the server's settings.
func choose(set *engine.Settings, options map[string]string) error {
	most, known := mostThreads(*set), backends(*set)
	for name, value := range options {
		if !slices.ContainsFunc(pageOptions, func(known string) bool { return strings.EqualFold(known, name) }) {
			return badRequest("the page cannot set option %q", clean(name))
		}
		if err := set.Set(name, value); err != nil {
			return &problem{http.StatusBadRequest, err}
		}
	}
	if err := set.Validate(); err != nil {
		return &problem{http.StatusBadRequest, err}
	}
	switch {
	case set.Threads > most:
		return badRequest("%d threads: this machine has %d", set.Threads, most)
	case !slices.Contains(known, set.Backend):
		return badRequest("the page cannot choose backend %q", set.Backend)
	}
	return nil
}

func (l *limits) search() (search.Limits, error) {
	for _, ms := range []int64{l.MoveTime, l.Time[0], l.Time[1], l.Inc[0], l.Inc[1]} {
		if ms < 0 || ms > mostMS {
			return search.Limits{}, badRequest("%d ms: between none and a day is taken", ms)
		}
	}
	switch {
	case l.Lines < 1 || l.Lines > mostLines:
		return search.Limits{}, badRequest("%d lines: 1 to %d are taken", l.Lines, mostLines)
	case l.Evals < 0 || l.Depth < 0:
		return search.Limits{}, badRequest("a limit is negative")
	}
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	to := search.Limits{MultiPV: l.Lines, Evals: l.Evals, Depth: l.Depth, MoveTime: ms(l.MoveTime)}
	if l.Clock {
		to.HasClock, to.MoveOverhead = true, overhead
		to.Time, to.Inc = [2]time.Duration{ms(l.Time[0]), ms(l.Time[1])}, [2]time.Duration{ms(l.Inc[0]), ms(l.Inc[1])}
	}
	to.Infinite = to.Evals == 0 && to.Depth == 0 && to.MoveTime == 0 && !to.HasClock
	return to, nil
}

// overhead is what a move takes on its way from the server to the page.
const overhead = 30 * time.Millisecond
