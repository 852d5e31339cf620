package engine

import (
	"cmp"
	"fmt"

	"tesla/batcher"
	"tesla/models"
	"tesla/tt128"
)

// instead reports whether an engine with fallback goes on with the next best after an error, which it notes then.
func (e *Engine) instead(err error, format string, next ...any) bool {
	if err == nil || !e.fallback {
		return false
	}
	e.note("error: %v; %s", err, fmt.Sprintf(format, next...))
	return true
}

// openTable makes the transposition table with that many MiB. If there is no memory for it, the present table stays, or
// one of the default size is made.
func (e *Engine) openTable(megabytes int) (err error) {
	if e.table != nil {
		e.resizeTable(megabytes)
		return nil
	}
	if e.table, err = tt128.New(megabytes); err != nil {
		err = fmt.Errorf("hash of %d MiB: %w", megabytes, err)
	}
	if usual := Default().Hash; e.instead(err, "using %d MiB", usual) {
		e.table, err = tt128.New(usual)
	}
	return err
}

// resizeTable changes the size of the present table. It keeps its size where there is no memory for the other.
func (e *Engine) resizeTable(megabytes int) {
	if e.table.Megabytes() == megabytes {
		return
	}
	if err := e.table.Resize(megabytes); err != nil {
		e.note("error: hash of %d MiB: %v; still %d MiB", megabytes, err, e.table.Megabytes())
	}
}

// readWords checks the search options. With fallback it drops them all if one cannot be read.
func (e *Engine) readWords(set *Settings) error {
	_, err := set.words(false)
	if err != nil {
		err = fmt.Errorf("search options: %w", err)
	}
	if e.instead(err, "using none") {
		set.SearchOptions = ""
		return nil
	}
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
	b, err := e.openFrom(asked)
	if e.instead(err, "taking the best backend that loads") {
		asked.name = "auto"
		b, err = e.openFrom(asked)
	}
	if asked.weights != "" && e.instead(err, "taking the embedded net") {
		asked.weights = ""
		b, err = e.openFrom(asked)
	}
	return b, err
}

// openFrom opens a backend, and keeps the notes of that.
func (e *Engine) openFrom(s source) (opened, error) {
	b, n, notes, err := openBackend(s)
	e.notes = append(e.notes, notes...)
	return opened{Backend: b, net: n}, err
}

// openSearcher makes the searcher, with the search options that can be read. If there is no memory for its tree, the tree
// keeps the size of the one before, or gets the default size. Without its processes, a tree machine searches alone.
func (e *Engine) openSearcher(b parts, set Settings) (*Searcher, error) {
	if err := e.readWords(&set); err != nil {
		return nil, err
	}
	s, err := e.newSearcher(b, set)
	if set.Search == treeMachine {
		if !e.instead(err, "searching with lazysmp") {
			return s, err
		}
		set.Search, set.SearchOptions = "lazysmp", ""
		return e.newSearcher(b, set)
	}
	if smaller := cmp.Or(e.treeMemory, Default().TreeMemory); e.instead(err, "using %d MiB", smaller) {
		set.TreeMemory = smaller
		return e.newSearcher(b, set)
	}
	return s, err
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
