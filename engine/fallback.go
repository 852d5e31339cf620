package engine

import (
	"fmt"

	"tesla/batcher"
	"tesla/models"
	"tesla/tt128"
)

// way is one way to get something.
type way[T any] struct {
	name string // how a note calls it when it is taken because the way before it failed
	try  func() (T, error)
}

// first takes the ways in turn until one succeeds. A strict engine takes the first way only.
func first[T any](e *Engine, ways ...way[T]) (found T, err error) {
	if !e.fallback {
		ways = ways[:1]
	}
	for i, w := range ways {
		if found, err = w.try(); err == nil || i+1 == len(ways) {
			break
		}
		e.note("error: %v; %s", err, ways[i+1].name)
	}
	return found, err
}

// openTable makes the transposition table with that many MiB. If there is no memory for it, the present table stays, or
// one of the default size is made.
func (e *Engine) openTable(megabytes int) (err error) {
	if e.table != nil {
		return e.resizeTable(megabytes)
	}
	size := func(megabytes int) func() (*tt128.Table, error) {
		return func() (*tt128.Table, error) {
			table, err := tt128.New(megabytes)
			if err != nil {
				err = fmt.Errorf("hash of %d MiB: %w", megabytes, err)
			}
			return table, err
		}
	}
	usual := Default().Hash
	e.table, err = first(e, way[*tt128.Table]{try: size(megabytes)}, way[*tt128.Table]{fmt.Sprintf("using %d MiB", usual), size(usual)})
	return err
}

// resizeTable changes the size of the present table. It keeps its size where there is no memory for the other.
func (e *Engine) resizeTable(megabytes int) error {
	if e.table.Megabytes() == megabytes {
		return nil
	}
	if err := e.table.Resize(megabytes); err != nil {
		e.note("error: hash of %d MiB: %v; still %d MiB", megabytes, err, e.table.Megabytes())
	}
	return nil
}

// readWords checks the search options. With fallback it drops them all if one cannot be read.
func (e *Engine) readWords(set *Settings) error {
	ask := func() (string, error) {
		if _, err := set.words(false); err != nil {
			return "", fmt.Errorf("search options: %w", err)
		}
		return set.SearchOptions, nil
	}
	words, err := first(e, way[string]{try: ask}, way[string]{"using none", func() (string, error) { return "", nil }})
	set.SearchOptions = words
	return err
}

// opened is a backend with its net.
type opened struct {
	batcher.Backend
	net   models.Net
	cache *batcher.Cache // what the backend has behind its guard; nil: none
}

// openBackend opens the backend that was asked for. If that fails, it opens the best backend that loads on the same net
// file, and at last the best one on an embedded net.
func (e *Engine) openBackend(asked source) (opened, error) {
	from := func(s source) func() (opened, error) {
		return func() (opened, error) {
			b, n, notes, err := openBackend(s)
			e.notes = append(e.notes, notes...)
			return opened{Backend: b, net: n}, err
		}
	}
	auto, embedded := asked, asked
	auto.name = "auto"
	embedded.name, embedded.weights = "auto", ""
	ways := []way[opened]{{try: from(asked)}, {"taking the best backend that loads", from(auto)}}
	if asked.weights != "" {
		ways = append(ways, way[opened]{"taking the embedded net", from(embedded)})
	}
	return first(e, ways...)
}

// openSearcher makes the searcher, with the search options that can be read. If there is no memory for its tree, the tree
// keeps the size of the one before, or gets the default size. Without its processes, a tree machine searches alone.
func (e *Engine) openSearcher(b parts, set Settings) (*Searcher, error) {
	if err := e.readWords(&set); err != nil {
		return nil, err
	}
	if set.Search == treeMachine {
		alone := set
		alone.Search, alone.SearchOptions = "lazysmp", ""
		return first(e,
			way[*Searcher]{try: func() (*Searcher, error) { return e.newSearcher(b, set) }},
			way[*Searcher]{"searching with " + alone.Search, func() (*Searcher, error) { return e.newSearcher(b, alone) }})
	}
	smaller := set
	if smaller.TreeMemory = e.treeMemory; e.treeMemory == 0 {
		smaller.TreeMemory = Default().TreeMemory
	}
	return first(e,
		way[*Searcher]{try: func() (*Searcher, error) { return e.newSearcher(b, set) }},
		way[*Searcher]{fmt.Sprintf("using %d MiB", smaller.TreeMemory), func() (*Searcher, error) { return e.newSearcher(b, smaller) }})
}

// guard turns two faults of a backend into errors: a hang, and outputs that are not numbers. With fallback the embedded
// nnue net answers until the backend works again.
func (e *Engine) guard(b batcher.Backend, asked source) batcher.Backend {
	if !e.fallback {
		return batcher.NewGuard(b, batcher.GuardOptions{})
	}
	spare := source{name: "nnue", threads: asked.threads, batch: asked.batch}
	return batcher.NewGuard(b, batcher.GuardOptions{Tell: e.notify, Spare: func() (batcher.Backend, error) {
		b, _, _, err := openBackend(spare)
		return b, err
	}})
}

// note keeps a note for whoever opens next.
func (e *Engine) note(format string, args ...any) {
	e.notes = append(e.notes, fmt.Sprintf(format, args...))
}

// notify sends a notice of a failure. It drops the notice when many wait.
func (e *Engine) notify(text string) {
	select {
	case e.notices <- text:
	default:
	}
}
