package engine

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/board"
	"tesla/models"
	"tesla/search"
	"tesla/search/alphabeta"
	"tesla/search/sure"
	"tesla/search/treesearch"
	"tesla/tablebase"
	"tesla/tt128"
)

// cacheBytes is the memory for evaluations. The cache answers a tenth (middlegames) to a third (endgames) of all
// requests.
const cacheBytes = 64 << 20

// deepLeafBatch is the batch size of bestfirst and puct when leaves are deepened. Each thread searches one leaf, which
// takes milliseconds.
const deepLeafBatch = 1

// Engine owns what a searcher is made of, and keeps the parts that a change of settings does not concern. Its methods
// may be called by several goroutines.
type Engine struct {
	fallback bool                   // take the next best if something is missing
	borrowed bool                   // the backend is the caller's
	trace    func(bestfirst.Sample) // see OpenTraced
	sureness func(sure.Facts)       // see OpenSureness
	notices  chan string            // of failures after opening

	mu         sync.Mutex
	notes      []string // not yet returned by Open
	asked      source   // of the backend
	backend    opened   // its Backend is nil until it is opened
	table      *tt128.Table
	tables     *tablebase.Tables // nil: none
	paths      tablebase.Paths   // of tables
	searcher   *Searcher
	treeMemory int // of the searcher, MiB
}

// New makes a strict engine: it does what the settings say, or returns an error.
func New() *Engine { return &Engine{} }

// NewFallback makes an engine for a game that must go on. If something is missing, it takes the next best and adds a
// note. If a backend fails later, the embedded nnue net takes over, and a notice says so.
func NewFallback() *Engine { return &Engine{fallback: true, notices: make(chan string, 16)} }

// Open makes a searcher with a strict engine of its own. Notes are for the user.
func Open(set Settings) (*Searcher, []string, error) { return New().openOwn(set) }

// OpenTraced makes a best-first search that calls trace as bestfirst.Options.Trace says. Its tree takes nothing from
// the transposition table.
func OpenTraced(set Settings, trace func(bestfirst.Sample)) (*Searcher, []string, error) {
	set.Search = "bestfirst"
	return (&Engine{trace: trace}).openOwn(set)
}

// OpenSureness makes a searcher that calls trace with the facts of each look at its choice. It states nothing of its own.
func OpenSureness(set Settings, trace func(sure.Facts)) (*Searcher, []string, error) {
	return (&Engine{sureness: trace}).openOwn(set)
}

// OpenOn makes a searcher on a backend and its net. The backend stays the caller's.
func OpenOn(b batcher.Backend, net models.Net, set Settings) (*Searcher, error) {
	cache, _ := b.(*batcher.Cache)
	e := &Engine{borrowed: true, backend: opened{b, net, cache}}
	s, _, err := e.openOwn(set)
	return s, err
}

// OpenBackend opens the backend of the settings alone, with the net that it evaluates with. Threads are those of the
// settings whatever the options say. An alpha-beta search evaluates with nnue whatever the backend is.
func OpenBackend(set Settings, opts batcher.Options) (batcher.Backend, models.Net, []string, error) {
	return openBackend(source{name: set.backend(), weights: set.WeightsFile, server: set.address(), threads: set.Threads,
		batch: opts.MaxBatch, sums: opts.Sums})
}

// openOwn opens, and closes the engine after an error.
func (e *Engine) openOwn(set Settings) (*Searcher, []string, error) {
	s, notes, err := e.Open(set, false)
	if err != nil {
		return nil, notes, errors.Join(err, e.Close())
	}
	return s, notes, nil
}

// Notices are failures after opening, for the user; nil where there is no fallback.
func (e *Engine) Notices() <-chan string { return e.notices }

// Open makes the searcher for the settings, and closes the one that it made before. After an error the one before still
// works. Notes are for the user. Open blocks while a net loads and, once on a machine, while a backend is measured for
// about a second. If hurried, nothing is measured: somebody waits for a move.
func (e *Engine) Open(set Settings, hurried bool) (s *Searcher, notes []string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() { notes, e.notes = e.notes, nil }()
	set = set.Limited()
	runtime.GOMAXPROCS(max(runtime.NumCPU(), set.Threads+2)) // a searcher's own thread and the reader of the protocol beside them
	if err := e.openTable(set.Hash); err != nil {
		return nil, nil, err
	}
	backend, err := e.load(&set, hurried)
	if err != nil {
		return nil, nil, err
	}
	asked := e.source(&set)
	set.Search = set.searchOn(backend.Info().Name)
	tables, err := e.openTablebases(&set, hurried)
	var made *Searcher
	if err == nil {
		made, err = e.openSearcher(parts{backend, tables}, set)
	}
	if err != nil {
		if backend != e.backend {
			err = errors.Join(err, backend.Close())
		}
		return nil, nil, errors.Join(err, e.replaceTablebases(e.tables, tables)) // the present ones stay
	}
	replaced := e.backend.Backend != nil && backend != e.backend
	if err := e.drop(replaced); err != nil {
		e.note("error: closing: %v", err)
	}
	if err := e.replaceTablebases(tables, e.tables); err != nil {
		e.note("error: closing endgame tables: %v", err)
	}
	e.table.HandOver()
	if replaced {
		debug.FreeOSMemory() // the cache and the batches of the one before: a hundred megabytes
	}
	e.backend, e.searcher, e.treeMemory, e.asked = backend, made, made.settings.TreeMemory, asked
	e.paths = set.Tables()
	return made, nil, nil
}

// source is what the backend of the settings is opened from.
func (e *Engine) source(set *Settings) source {
	return source{name: set.backend(), weights: set.WeightsFile, server: set.address(), threads: set.Threads, batch: room(set.BatchSize)}
}

// load returns the backend for the settings: the present one where it was opened from the same source.
func (e *Engine) load(set *Settings, hurried bool) (opened, error) {
	want := e.source(set)
	if want.name != set.Backend && set.Backend != "auto" {
		e.note("%s evaluates with %s, not %s", set.Search, want.name, set.Backend)
	}
	if e.backend.Backend != nil && (e.asked == want || e.borrowed) {
		return e.backend, nil
	}
	want.hurried = hurried
	b, err := e.openBackend(want)
	if err != nil {
		return opened{}, err
	}
	info, why := b.Info(), ""
	if want.name == "auto" {
		why = ": the strongest here, tesla doctor lists all"
	}
	e.note("backend %s, net %s %s, %d threads%s", info.Name, info.ModelName, info.Model, info.Threads, why)
	e.decorate(&b, want)
	return b, nil
}

// decorate puts a cache before the backend, and a guard before that: the cache is to hold nothing that a spare backend evaluated.
func (e *Engine) decorate(b *opened, asked source) {
	name := b.Info().Name
	if name != "mock" { // mock is faster than any cache
		b.cache = batcher.NewCache(b.Backend, cacheBytes)
		b.Backend = b.cache
	}
	if name != "nnue" && name != "mock" { // which are code of this program
		b.Backend = e.guard(b.Backend, asked)
	}
}

// parts are what a searcher is made of beside the engine's table.
type parts struct {
	opened
	tables *tablebase.Tables // nil: none
}

// newSearcher makes the searcher on its parts and the engine's table.
func (e *Engine) newSearcher(b parts, set Settings) (*Searcher, error) {
	prober := b.prober(&set)
	depth := set.leafDepth(b.Info().Name)
	t, err := set.words(depth > 0)
	if err != nil {
		return nil, fmt.Errorf("search options: %w", err)
	}
	model, err := e.sure(b.Info(), &set, depth)
	if err != nil {
		return nil, err
	}
	wrap := func(s search.Searcher, err error) (*Searcher, error) {
		if err != nil {
			return nil, err
		}
		return &Searcher{inner: s, engine: e, info: b.Info(), settings: set, tables: prober, sureness: model}, nil
	}
	if set.alphaBeta() {
		n, err := nnueOf(b.net)
		if err != nil {
			return nil, err
		}
		s, err := alphabeta.New(set.Search, n, e.table, set.Threads, t.alphabeta)
		if err == nil {
			s.UseTables(prober)
			s.UseSureness(model)
		}
		return wrap(s, err)
	}
	if set.Search == treeMachine {
		return wrap(e.treeMachine(b, &set, t.treemachine, prober))
	}
	leaves, err := e.leaves(b.net, set.Threads, depth, prober)
	if err != nil {
		return nil, err
	}
	batch := set.BatchSize
	if batch == 0 && depth > 0 {
		batch = deepLeafBatch
	}
	o := bestfirst.Options{Tuning: t.bestfirst, BatchSize: batch, TreeMemory: set.TreeMemory << 20, Leaves: leaves, Tables: prober,
		Sure: model, Verbose: set.VerboseMoveStats, Trace: e.trace}
	if set.Search == "puct" {
		o.PUCT = &t.puct
	} else if o.Fit, err = set.fit(b.net.Path); err != nil {
		return nil, err
	}
	table := e.table
	if e.trace != nil {
		table = nil
	}
	return wrap(bestfirst.New(b.Backend, table, o))
}

// leaves are the alpha-beta searches that deepen leaves, one for each thread; none at depth 0.
func (e *Engine) leaves(of models.Net, threads, depth int, prober *tablebase.Prober) (all []treesearch.Deepener, err error) {
	if depth == 0 {
		return nil, nil
	}
	n, err := nnueOf(of)
	if err != nil {
		return nil, err
	}
	for range threads {
		leaf := alphabeta.NewLeaf(n, e.table, depth)
		leaf.UseTables(prober)
		all = append(all, leaf)
	}
	return all, nil
}

// drop closes the searcher, and the backend below it when asked to.
func (e *Engine) drop(backend bool) error {
	var errs []error
	if e.searcher != nil {
		errs = append(errs, e.searcher.inner.Close())
		e.searcher = nil
	}
	if backend && e.backend.Backend != nil {
		if !e.borrowed {
			errs = append(errs, e.backend.Close())
		}
		e.backend = opened{}
	}
	return errors.Join(errs...)
}

// Close frees everything, the searcher included. Not during a search.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := errors.Join(e.drop(true), e.replaceTablebases(nil, e.tables))
	if e.table != nil {
		err = errors.Join(err, e.table.Close())
		e.table = nil
	}
	return err
}

// Evaluate says what the net makes of a position, for a prompt command. It loads a backend where no search has yet, and
// may run during a search.
func (e *Engine) Evaluate(set Settings, p *board.Position, chess960 bool) (Evaluation, error) {
	e.mu.Lock() // until the end: Open must not close the backend
	defer e.mu.Unlock()
	if e.backend.Backend == nil {
		set = set.Limited()
		b, err := e.load(&set, true)
		if err != nil {
			return Evaluation{}, err
		}
		e.backend, e.asked = b, e.source(&set)
	}
	all, err := Evaluate(e.backend.Backend, []board.Position{*p}, chess960)
	if err != nil {
		return Evaluation{}, err
	}
	return all[0], nil
}
