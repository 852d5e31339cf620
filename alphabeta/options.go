package alphabeta

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"tesla/nnue"
	"tesla/tt128"
)

// Options of a Searcher: what Set reads, by the names of the fields in small letters.
type Options struct {
	Parts

	Local bool // each thread has a table of its own, as large: they share nothing there

	// lazysmp: what makes its threads search differently, and whose move is played.
	Offsets   bool // every other thread a depth ahead
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

// plain is a name for a configuration like those of 1984: neither null moves, reductions, extensions nor pruning.
const plain = "plain"

// setPlain keeps what orders moves, the windows and the corrections.
func (p *Parts) setPlain() {
	*p = Parts{Aspiration: true, Butterfly: true, CaptureHistory: true, Continuation: true, Correction: true}
}

// Set changes options by words such as "nullmove=off splitdepth=5", or "plain". Its error names the word.
func (o *Options) Set(text string) error {
	for _, word := range strings.Fields(text) {
		if strings.EqualFold(word, plain) {
			o.setPlain()
			continue
		}
		name, value, _ := strings.Cut(word, "=")
		field := reflect.ValueOf(o).Elem().FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
		if !field.IsValid() || field.Kind() == reflect.Struct {
			return fmt.Errorf("%q: there is no option %q; there are %s and %s", word, name, plain, strings.Join(optionNames(), ", "))
		}
		if err := setField(field, value); err != nil {
			return fmt.Errorf("%q: %w", word, err)
		}
	}
	return nil
}

func setField(field reflect.Value, value string) error {
	switch field.Kind() {
	case reflect.Bool:
		if value != "on" && value != "off" {
			return fmt.Errorf("%q is neither on nor off", value)
		}
		field.SetBool(value == "on")
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 1000 {
			return fmt.Errorf("%q is no whole number from 0 to 1000", value)
		}
		field.SetInt(int64(n))
	default:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return fmt.Errorf("%q is no number from 0 to 1", value)
		}
		field.SetFloat(x)
	}
	return nil
}

// optionNames are the names that Set knows.
func optionNames() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Options]()) {
		if f.Type.Kind() != reflect.Struct {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return names
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
