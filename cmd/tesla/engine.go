package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"

	"tesla/alphabeta"
	"tesla/batcher"
	"tesla/bestfirst"
	engines "tesla/engine"
	"tesla/models"
	"tesla/puct"
	"tesla/search"
	"tesla/tt128"
	"tesla/uci"
)

// searches are the searchers that there are.
var searches = append([]string{"bestfirst", "puct"}, alphabeta.Names...)

func backends() []string { return engines.Backends }

// cacheBytes of evaluations are remembered: a tenth (middle games) to a third (endgames) of all requests are answered.
const cacheBytes = 64 << 20

// source is what a backend is made from.
type source struct {
	name, weights, server string
	threads, batch        int
}

// engine owns what a searcher is made of, and keeps what a change of settings leaves as it is.
type engine struct {
	mu       sync.Mutex
	fallback bool        // a named backend that cannot load, or fails later, gives way to the next
	notices  chan string // of failures, where fallback
	source   source
	backend  batcher.Backend
	net      models.Net // the backend's
	table    *tt128.Table
	searcher search.Searcher
	tree     int      // MiB of the searcher's tree
	notes    []string // of a load for a prompt command, not yet told
}

// open makes the searcher for the settings. After an error the one before is still good.
func (e *engine) open(set uci.Settings) (search.Searcher, []string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	runtime.GOMAXPROCS(max(runtime.NumCPU(), set.Threads+2))
	notes := e.notes
	e.notes = nil
	if e.table == nil {
		table, err := tt128.New(set.Hash)
		if err != nil {
			if !e.fallback {
				return nil, nil, fmt.Errorf("hash of %d MiB: %w", set.Hash, err)
			}
			notes = append(notes, fmt.Sprintf("error: hash of %d MiB: %v; using 1 MiB", set.Hash, err))
			if table, err = tt128.New(1); err != nil {
				return nil, notes, fmt.Errorf("hash of 1 MiB: %w", err)
			}
		}
		e.table = table
	} else if e.table.Megabytes() != set.Hash {
		if err := e.table.Resize(set.Hash); err != nil {
			notes = append(notes, fmt.Sprintf("error: hash of %d MiB: %v; still %d MiB", set.Hash, err, e.table.Megabytes()))
		}
	}
	if _, err := readSearchOptions(set.Search, set.SearchOptions, false); err != nil && e.fallback {
		notes = append(notes, fmt.Sprintf("error: search options: %v; using none", err))
		set.SearchOptions = ""
	}
	backend, more, err := e.load(set)
	notes = append(notes, more...)
	if err != nil {
		return nil, notes, err
	}
	searcher, err := e.makeSearcher(backend, set)
	if err != nil && e.fallback {
		set.TreeMemory = e.tree
		if e.tree == 0 {
			set.TreeMemory = uci.DefaultSettings().TreeMemory
		}
		notes = append(notes, fmt.Sprintf("error: %v; using %d MiB", err, set.TreeMemory))
		searcher, err = e.makeSearcher(backend, set)
	}
	if err != nil {
		if backend != e.backend {
			err = errors.Join(err, backend.Close())
		}
		return nil, notes, err
	}
	err = e.drop(backend != e.backend)
	e.backend, e.searcher, e.tree = backend, searcher, set.TreeMemory
	if err != nil {
		notes = append(notes, fmt.Sprintf("error: closing: %v", err))
	}
	return searcher, notes, nil
}

// nnueLeafDepth is the depth of leaves on a processor, tuned in games, see docs/experiments.md; deepLeafBatch the size of
// batches of such leaves, of which each thread searches one: a leaf takes milliseconds.
const (
	nnueLeafDepth = 4
	deepLeafBatch = 1
)

// searchOptions are what SearchOptions sets, of the searcher that they are for.
type searchOptions struct {
	alphabeta alphabeta.Options
	bestfirst bestfirst.Tuning
	puct      puct.Tuning
}

// readSearchOptions reads the words for a searcher, whose leaves are deepened or not. Its error names the wrong word.
func readSearchOptions(name, text string, deepened bool) (searchOptions, error) {
	o := searchOptions{alphabeta.DefaultOptions(), bestfirst.DefaultTuning(deepened), puct.DefaultTuning(deepened)}
	switch name {
	case "bestfirst":
		return o, search.SetOptions(&o.bestfirst, text, nil)
	case "puct":
		return o, search.SetOptions(&o.puct, text, nil)
	}
	return o, o.alphabeta.Set(text)
}

// makeSearcher makes the searcher on a backend and the engine's table.
func (e *engine) makeSearcher(backend batcher.Backend, set uci.Settings) (search.Searcher, error) {
	info := backend.Info()
	depth := leafDepth(info, set)
	o, err := readSearchOptions(set.Search, set.SearchOptions, depth > 0)
	if err != nil {
		return nil, fmt.Errorf("search options: %w", err)
	}
	if slices.Contains(alphabeta.Names, set.Search) {
		n, err := engines.NNUEOf(e.net)
		if err != nil {
			return nil, err
		}
		return alphabeta.New(set.Search, n, e.table, set.Threads, o.alphabeta)
	}
	options, err := e.bestfirst(info, set, depth, o.bestfirst)
	if err != nil {
		return nil, err
	}
	if set.Search == "puct" {
		return puct.New(backend, e.table, puct.Options{Tuning: o.puct, BatchSize: options.BatchSize, TreeMemory: options.TreeMemory,
			Leaves: options.Leaves, Verbose: options.Verbose})
	}
	return bestfirst.New(backend, e.table, options)
}

// leafDepth is how many plies leaves are searched on a backend; 0: quiescence alone.
func leafDepth(backend batcher.Info, set uci.Settings) int {
	if set.LeafDepth != uci.AutoLeafDepth {
		return set.LeafDepth
	}
	if backend.Name == "nnue" {
		return nnueLeafDepth
	}
	return 0
}

// bestfirst are the options of the best-first search on a backend, its leaves so deep; puct has the same but for the change model.
func (e *engine) bestfirst(backend batcher.Info, set uci.Settings, depth int, tuning bestfirst.Tuning) (o bestfirst.Options, err error) {
	o = bestfirst.Options{Tuning: tuning, BatchSize: set.BatchSize, TreeMemory: set.TreeMemory << 20, Verbose: set.VerboseMoveStats}
	if set.Search != "puct" {
		if o.Fit, err = fitOf(e.net.Path); err != nil {
			return o, err
		}
	}
	if depth == 0 {
		return o, nil
	}
	n, err := engines.NNUEOf(e.net)
	if err != nil {
		return o, err
	}
	for range set.Threads {
		o.Leaves = append(o.Leaves, alphabeta.NewLeaf(n, e.table, depth))
	}
	if o.BatchSize == 0 {
		o.BatchSize = deepLeafBatch
	}
	return o, nil
}

// fitFile is where the change model of a net file lies.
func fitFile(weights string) string { return weights + ".fit.json" }

// fitOf is the change model that lies beside a net file; nil where there is none.
func fitOf(weights string) (*bestfirst.Fit, error) {
	if weights == "" {
		return nil, nil
	}
	text, err := os.ReadFile(fitFile(weights))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	fit, err := bestfirst.ReadFit(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fitFile(weights), err)
	}
	return &fit, nil
}

// backendOf is the backend that the settings come to: alpha-beta searches evaluate along a line, which nnue alone can.
func backendOf(set uci.Settings) string {
	if slices.Contains(alphabeta.Names, set.Search) {
		return "nnue"
	}
	return set.Backend
}

// openBackend opens the backend that the settings come to.
func openBackend(set uci.Settings, opts batcher.Options) (batcher.Backend, models.Net, []string, error) {
	set.Backend = backendOf(set)
	return engines.OpenBackend(set, opts)
}

// load returns the backend for the settings: the present one where it fits.
func (e *engine) load(set uci.Settings) (batcher.Backend, []string, error) {
	var aside []string
	if name := backendOf(set); name != set.Backend {
		if set.Backend != "auto" {
			aside = append(aside, fmt.Sprintf("%s evaluates with %s, not %s", set.Search, name, set.Backend))
		}
		set.Backend = name
	}
	want := source{set.Backend, set.WeightsFile, set.Server, set.Threads, set.BatchSize}
	if e.backend != nil && e.source == want {
		return e.backend, aside, nil
	}
	opts := batcher.Options{Threads: set.Threads, MaxBatch: engines.Room(set.BatchSize)}
	b, net, notes, err := openBackend(set, opts)
	notes = append(aside, notes...)
	if err != nil && e.fallback {
		notes = append(notes, fmt.Sprintf("%v; taking the next", err))
		var more []string
		b, net, more, err = engines.OpenBackend(uci.Settings{Backend: "auto", WeightsFile: set.WeightsFile}, opts)
		notes = append(notes, more...)
		if err != nil && set.WeightsFile != "" {
			notes = append(notes, fmt.Sprintf("%v; taking the embedded net", err))
			b, net, more, err = engines.OpenBackend(uci.Settings{Backend: "auto"}, opts)
			notes = append(notes, more...)
		}
	}
	if err != nil {
		return nil, notes, err
	}
	e.source, e.net = want, net
	info := b.Info()
	notes = append(notes, fmt.Sprintf("backend %s, net %s %s, %d threads", info.Name, info.ModelName, info.Model, info.Threads))
	if e.fallback && info.Name != "nnue" && info.Name != "mock" {
		b = batcher.NewGuard(b, batcher.GuardOptions{Tell: e.notify, Spare: func() (batcher.Backend, error) {
			b, _, _, err := engines.OpenBackend(uci.Settings{Backend: "nnue"}, opts)
			return b, err
		}})
	}
	if info.Name != "mock" { // which is faster than any cache
		b = batcher.NewCache(b, cacheBytes)
	}
	return b, notes, nil
}

// notify has a notice told unless many wait.
func (e *engine) notify(text string) {
	select {
	case e.notices <- text:
	default:
	}
}

// drop closes the searcher, and the backend below it when asked to.
func (e *engine) drop(backend bool) error {
	var errs []error
	if e.searcher != nil {
		errs = append(errs, e.searcher.Close())
		e.searcher = nil
	}
	if backend && e.backend != nil {
		errs = append(errs, e.backend.Close())
		e.backend = nil
	}
	return errors.Join(errs...)
}

func (e *engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.drop(true)
	if e.table != nil {
		err = errors.Join(err, e.table.Close())
		e.table = nil
	}
	return err
}

// forget drops the net's evaluations, where they are remembered.
func (e *engine) forget() {
	if cache, ok := e.backend.(*batcher.Cache); ok {
		cache.Clear()
	}
}

// evaluator returns the backend for a prompt command, loading it where no search has yet.
func (e *engine) evaluator(set uci.Settings) (batcher.Backend, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.backend != nil {
		return e.backend, nil
	}
	b, notes, err := e.load(set)
	e.notes = append(e.notes, notes...)
	if err != nil {
		return nil, err
	}
	e.backend = b
	return b, nil
}
