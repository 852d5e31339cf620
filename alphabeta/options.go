package alphabeta

import (
	"fmt"

	"tesla/nnue"
	"tesla/search"
	"tesla/tt128"
)

// Options of a Searcher: what Set reads, by the names of the fields in small letters.
type Options struct {
	Parts

	Local bool // each thread has a table of its own, as large: they share nothing there

	// lazysmp: what makes its threads search differently, and whose move is played.
	Offsets   bool // every other thread at least a depth ahead
	Histories bool // helpers keep their own from search to search; else each search begins with the first thread's
	Windows   bool // helpers' aspiration windows are wider, each by more
	Noise     int  // most that is added to helpers' static values, or taken off, in centipawns
	Vote      bool // the move with the most votes, by depth and score, not that of the deepest search

	// pvsplit and jamboree.
	SplitDepth int // least depth of a node whose moves are shared out

	// pvsplit.
	Broadcast   bool // a better alpha is heeded by searches that have begun
	Resplit     bool // a thread that falls idle below the principal variation takes part in another's subtree
	Refutations bool // the last line against each root move is remembered, and told to the table of who searches it next
	Affinity    bool // a root move is searched by the thread that searched it last, where it is among the next

	// jamboree.
	Strong     bool    // failures of the tests are searched again afterwards, in order; else at once
	Sequential float64 // share of the moves that is searched before any is shared out, the first at least

	// mtdf, in centipawns.
	Step     int  // between betas, at first
	Trust    int  // an iteration ends where the bounds are no further apart
	Adaptive bool // less trust where the value hardly moved from depth to depth
}

// DefaultOptions are those that play.
func DefaultOptions() Options {
	return Options{
		Parts:   AllParts(),
		Offsets: true, Histories: true,
		SplitDepth: 4,
		Broadcast:  true, Resplit: true,
		Step: 16, Trust: 32, Adaptive: true,
	}
}

// setPlain makes a configuration like those of 1984, with neither null moves, reductions, extensions nor pruning: it keeps what
// orders moves, the windows and the corrections.
func (p *Parts) setPlain() {
	*p = Parts{Aspiration: true, Butterfly: true, CaptureHistory: true, Continuation: true, Correction: true}
}

// Set changes options by words such as "nullmove=off splitdepth=5", or "plain"; see [search.SetOptions].
func (o *Options) Set(text string) error {
	return search.SetOptions(o, text, map[string]func(){"plain": o.setPlain})
}

// Names are the searchers that New makes.
var Names = []string{"lazysmp", "mtdf", "pvsplit", "jamboree"}

// New makes the searcher called name with so many threads, on a net and a table, which stay the caller's. Its error is an
// unknown name, or that there is no memory for tables of its own.
func New(name string, net *nnue.Net, table *tt128.Table, threads int, o Options) (*Searcher, error) {
	switch name {
	case "lazysmp":
		return newSearcher(&lazySMP{options: o}, net, table, threads, o)
	case "mtdf":
		return newSearcher(newMTDF(threads, o), net, table, threads, o)
	case "pvsplit":
		r := rule{principal: true, depth: o.SplitDepth, broadcast: o.Broadcast, resplit: o.Resplit, refutations: o.Refutations, affinity: o.Affinity}
		return newSplitting(r, net, table, threads, o)
	case "jamboree":
		return newSplitting(rule{depth: o.SplitDepth, sequential: o.Sequential, ordered: o.Strong}, net, table, threads, o)
	}
	return nil, fmt.Errorf("there is no searcher %q", name)
}
