package alphabeta

import (
	"fmt"

	"tesla/nnue"
	"tesla/search"
	"tesla/tt128"
)

// Options are the options of a Searcher. Set reads them by the names of the fields in lower case. They are those of the
// laboratory: what the sources of the drivers describe can be switched, so that its gain can be measured
// (docs/log/threads.md). The defaults play, and no player needs another value.
type Options struct {
	Mode

	Local bool // each thread has a table of its own, of the same size; the threads share no table

	// lazysmp: how its threads differ.
	Offsets   bool // every other thread searches at least a depth ahead
	Histories bool // helpers keep their own histories; else each search begins with those of the first thread
	Windows   bool // the aspiration windows of helpers are wider
	Noise     int  // the most that is added to static values of helpers, or taken off, in centipawns

	// pvsplit and jamboree.
	SplitDepth int // the least depth of a node whose moves are shared out

	// pvsplit.
	Broadcast   bool // searches that have begun use an alpha that was raised since
	Resplit     bool // a thread that is idle below the principal variation helps in the subtree of another
	Refutations bool // the last line against each root move is stored in the table of the thread that searches it next
	Affinity    bool // a thread prefers root moves that it searched last, among the next few

	// jamboree.
	Strong     bool    // moves that exceed alpha are searched again after all others, in order; else at once
	Sequential float64 // the share of the moves that is searched before any is shared out; at least one move

	// mtdf, in centipawns.
	Step  int // between betas, at first
	Trust int // an iteration ends where the bounds are no further apart
}

// Set changes options by words such as "plain splitdepth=5"; see [search.SetOptions].
func (o *Options) Set(text string) error { return search.SetOptions(o, text) }

// DefaultOptions are the options that play.
func DefaultOptions() Options {
	return Options{
		Offsets: true, Histories: true,
		SplitDepth: 4,
		Broadcast:  true, Resplit: true,
		Step: 16, Trust: 16,
	}
}

// Names are the drivers that New knows.
var Names = []string{"lazysmp", "mtdf", "pvsplit", "jamboree"}

// New makes a Searcher with the driver called name and a number of threads, on a net and a table, which stay the
// caller's. It fails where there is no such driver, and where there is no memory for the tables of the option Local.
func New(name string, net *nnue.Net, table *tt128.Table, threads int, o Options) (*Searcher, error) {
	switch name {
	case "lazysmp":
		return newSearcher(&lazySMP{options: o}, net, table, threads, o)
	case "mtdf":
		return newSearcher(newMTDF(threads, o), net, table, threads, o)
	case "pvsplit":
		return newSplitting(rule{
			principal: true, depth: o.SplitDepth, broadcast: o.Broadcast, resplit: o.Resplit,
			refutations: o.Refutations, affinity: o.Affinity,
		}, net, table, threads, o)
	case "jamboree":
		return newSplitting(rule{depth: o.SplitDepth, sequential: o.Sequential, ordered: o.Strong}, net, table, threads, o)
	}
	return nil, fmt.Errorf("no searcher %q", name)
}
