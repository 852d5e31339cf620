package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tesla/batcher/remote"
	"tesla/bestfirst"
	"tesla/search"
	"tesla/search/alphabeta"
	"tesla/search/treemachine"
	"tesla/tablebase"
	"tesla/tablebase/gaviota"
	"tesla/tablebase/syzygy"
	"tesla/uci/option"
)

// AutoSearch lets the backend decide which searcher searches; see searchOn.
const AutoSearch = "auto"

// treeMachine is the searcher whose nodes are processes.
const treeMachine = "treemachine"

// trees are the names of the searchers that keep a tree.
var trees = []string{"bestfirst", "puct"}

// Searches are the names of the searchers, after AutoSearch.
var Searches = slices.Concat([]string{AutoSearch}, trees, alphabeta.Names, []string{treeMachine})

// HasTree reports whether a searcher keeps a tree that can be watched and written.
func HasTree(name string) bool { return slices.Contains(trees, name) }

// AutoLeafDepth lets the backend decide how deep leaves are searched.
const AutoLeafDepth = -1

// Settings are what a searcher is made from. Start from Default.
type Settings struct {
	Threads          int    // threads that compute
	Hash             int    // transposition table, MiB
	LimitStrength    bool   // play as strong as Elo says
	Elo              int    // see search.StrengthOf
	Search           string // one of Searches
	Backend          string // one of Backends
	WeightsFile      string // net file, or a folder of them; empty: the embedded net
	Server           string // of the backend remote, as in remote.Address
	ServerToken      string // that the server asks for; empty: that of the environment
	ServerCA         string // PEM file of certificates to trust in a server, beside the system's
	BatchSize        int    // positions; 0: what the backend does best
	TreeMemory       int    // nodes and edges of bestfirst and puct, MiB
	LeafDepth        int    // depth of the alpha-beta search at a leaf, plies; AutoLeafDepth: the backend's default
	SearchOptions    string // words for the searcher: bestfirst.Tuning, bestfirst.PUCT, alphabeta.Options, treemachine.Words
	Hosts            string // file that describes the processes of treemachine; empty: Threads processes on this machine
	VerboseMoveStats bool   // report batches, and root moves at the end

	SyzygyPath       string // folders of Syzygy tables, separated as in PATH; empty: none
	SyzygyProbeDepth int    // see tablebase.Rules, as the next two
	Syzygy50MoveRule bool
	SyzygyProbeLimit int
	GaviotaTbPath    string // folders of Gaviota tables
	GaviotaTbCache   int    // memory for what is read of them, MiB

	FitFile string // change model of bestfirst, without an option; empty: the file beside the net, else the net's own
}

// Default are the settings before any option is set.
func Default() Settings {
	return Settings{Threads: 1, Hash: 16, Elo: search.MaxElo, Search: AutoSearch, Backend: "auto", TreeMemory: 256, LeafDepth: AutoLeafDepth,
		SyzygyProbeDepth: 1, Syzygy50MoveRule: true, SyzygyProbeLimit: syzygy.MaxPieces, GaviotaTbCache: gaviota.DefaultCacheBytes >> 20}
}

// Ranges of the options.
const (
	maxThreads   = 1024
	maxMegabytes = 1 << 25
	maxBatch     = 1024
	maxLeafDepth = 20
	maxProbe     = 100 // plies
)

// Options declares the options that set s, in the order in which they are listed in the answer to uci.
func (s *Settings) Options() []option.Option {
	return []option.Option{
		{Name: "Threads", Flag: "threads", Remake: true, Value: option.Number[int]{To: &s.Threads, Min: 1, Max: maxThreads},
			Help: "threads to search or evaluate with"},
		{Name: "Hash", Flag: "hash", Remake: true, Value: option.Number[int]{To: &s.Hash, Min: 1, Max: maxMegabytes},
			Help: "size of the transposition table, MiB"},
		{Name: "UCI_LimitStrength", Remake: true, Value: option.Check{To: &s.LimitStrength}},
		{Name: "UCI_Elo", Remake: true, Value: option.Number[int]{To: &s.Elo, Min: search.MinElo, Max: search.MaxElo}},
		{Name: "Search", Flag: "search", Remake: true, Value: option.Choice{To: &s.Search, Of: Searches},
			Help: "search algorithm: " + strings.Join(Searches, ", ")},
		{Name: "Backend", Flag: "backend", Remake: true, Value: option.Choice{To: &s.Backend, Of: Backends},
			Help: "what evaluates positions: " + strings.Join(Backends, ", ")},
		{Name: "WeightsFile", Flag: "weights", Remake: true, Value: option.Text{To: &s.WeightsFile},
			Help: "net file, or a folder of net files of which the strongest is taken (default: the embedded net)"},
		{Name: "Server", Flag: "server", Remake: true, Value: option.Text{To: &s.Server},
			Help: "server that the backend remote asks: host:port or host:port/model, after grpcs:// if encrypted; several, separated by commas, share the batches"},
		{Name: "ServerToken", Flag: "server-token", Remake: true, Value: option.Text{To: &s.ServerToken},
			Help: "token that the server asks for (default: TESLA_SERVER_TOKEN of the environment)"},
		{Name: "ServerCA", Flag: "server-ca", Remake: true, Value: option.Text{To: &s.ServerCA},
			Help: "PEM file of certificates to trust in an encrypted server, beside the system's"},
		{Name: "BatchSize", Remake: true, Value: option.Number[int]{To: &s.BatchSize, Max: maxBatch}},
		{Name: "TreeMemory", Remake: true, Value: option.Number[int]{To: &s.TreeMemory, Min: 1, Max: maxMegabytes}},
		{Name: "LeafDepth", Flag: "leaf-depth", Remake: true, Value: option.Number[int]{To: &s.LeafDepth, Min: AutoLeafDepth, Max: maxLeafDepth},
			Help: "depth of the alpha-beta search at each leaf, plies; -1: the backend's default"},
		{Name: "SearchOptions", Flag: "search-options", Remake: true, Value: option.Text{To: &s.SearchOptions},
			Help: `words for the searcher: "evidence=0 share=off" for bestfirst, "cpuct=1.5" for puct, "splitdepth=5" for alpha-beta`},
		{Name: "Hosts", Flag: "hosts", Remake: true, Value: option.Text{To: &s.Hosts},
			Help: "file that describes the processes of treemachine (default: one for each of --threads, on this machine)"},
		{Name: "VerboseMoveStats", Remake: true, Value: option.Check{To: &s.VerboseMoveStats}},
		{Name: "SyzygyPath", Flag: "syzygy", Remake: true, Value: option.Text{To: &s.SyzygyPath},
			Help: "folders of Syzygy endgame tables, separated as in PATH"},
		{Name: "SyzygyProbeDepth", Remake: true, Value: option.Number[int]{To: &s.SyzygyProbeDepth, Min: 1, Max: maxProbe}},
		{Name: "Syzygy50MoveRule", Remake: true, Value: option.Check{To: &s.Syzygy50MoveRule}},
		{Name: "SyzygyProbeLimit", Remake: true, Value: option.Number[int]{To: &s.SyzygyProbeLimit, Max: syzygy.MaxPieces}},
		{Name: "GaviotaTbPath", Flag: "gaviota", Remake: true, Value: option.Text{To: &s.GaviotaTbPath},
			Help: "folders of Gaviota endgame tables (distance to mate), separated as in PATH"},
		{Name: "GaviotaTbCache", Remake: true, Value: option.Number[int]{To: &s.GaviotaTbCache, Min: 1, Max: maxMegabytes}},
	}
}

// Set changes the option of that name or flag. The error names the option and its range, or the options that there are.
func (s *Settings) Set(name, value string) error {
	o, err := option.Find(s.Options(), name)
	if err != nil {
		return err
	}
	_, err = o.Change(value)
	return err
}

// Validate reports all settings that no searcher can be made from, joined.
func (s Settings) Validate() error {
	var errs []error
	for _, o := range s.Options() {
		_, err := o.Change(o.String())
		errs = append(errs, err)
	}
	if slices.Contains(Searches, s.Search) {
		if _, err := s.words(false); err != nil {
			errs = append(errs, fmt.Errorf("option SearchOptions: %w", err))
		}
	}
	return errors.Join(errs...)
}

// address is where the backend remote finds its server.
func (s *Settings) address() remote.Address {
	return remote.Address{Server: s.Server, Token: s.ServerToken, CA: s.ServerCA}
}

// Tables are where the endgame tables are.
func (s *Settings) Tables() tablebase.Paths {
	return tablebase.Paths{Syzygy: s.SyzygyPath, Gaviota: s.GaviotaTbPath, GaviotaCache: s.GaviotaTbCache}
}

func (s *Settings) rules() tablebase.Rules {
	return tablebase.Rules{Pieces: s.SyzygyProbeLimit, Depth: s.SyzygyProbeDepth, FiftyMoves: s.Syzygy50MoveRule}
}

// Limited returns the settings for a limited strength, or s if the strength is not limited. The ratings of
// search.StrengthOf were measured with the best-first search on the embedded nnue net with plain leaves, so those
// settings replace the user's, without endgame tables. They take no more memory than the user allows.
func (s Settings) Limited() Settings {
	if !s.LimitStrength {
		return s
	}
	l := Default()
	l.LimitStrength, l.Elo, l.VerboseMoveStats = true, s.Elo, s.VerboseMoveStats
	l.Search, l.Backend, l.LeafDepth = "bestfirst", "nnue", 0
	l.Hash, l.TreeMemory = min(l.Hash, s.Hash), min(l.TreeMemory, s.TreeMemory)
	return l
}

func (s *Settings) alphaBeta() bool { return slices.Contains(alphabeta.Names, s.Search) }

// backend is the name of the backend that evaluates: alpha-beta searches evaluate along a line, which nnue alone can.
func (s *Settings) backend() string {
	if s.alphaBeta() || s.Search == treeMachine {
		return "nnue"
	}
	return s.Backend
}

// searchOn is the searcher on a backend. On the processor alone lazysmp is stronger than bestfirst with deepened leaves, by
// 176 Elo in docs/log/strength.md#0063.
func (s *Settings) searchOn(backend string) string {
	switch {
	case s.Search != AutoSearch:
		return s.Search
	case backend == "nnue":
		return "lazysmp"
	}
	return "bestfirst"
}

// nnueLeafDepth is the depth at leaves on the backend nnue. Games are in docs/log/leaves.md#0008.
const nnueLeafDepth = 4

// leafDepth is the depth of the alpha-beta search at leaves on a backend, plies; 0: quiescence alone.
func (s *Settings) leafDepth(backend string) int {
	if s.LeafDepth != AutoLeafDepth {
		return s.LeafDepth
	}
	switch {
	case s.Search == treeMachine:
		return treemachine.DefaultLeafDepth
	case backend == "nnue":
		return nnueLeafDepth
	}
	return 0
}

// tunings are what SearchOptions changes, one for each family of searchers.
type tunings struct {
	alphabeta   alphabeta.Options
	bestfirst   bestfirst.Tuning
	puct        bestfirst.PUCT
	treemachine treemachine.Words
}

// words reads SearchOptions for the searcher that they are for, whose leaves are deepened or not. The error names the
// wrong word. Where the backend decides which searcher that is, the words may be of any that it may take.
func (s *Settings) words(deepened bool) (t tunings, err error) {
	t = tunings{alphabeta.DefaultOptions(), bestfirst.DefaultTuning(deepened), bestfirst.DefaultPUCT(deepened), treemachine.DefaultWords()}
	switch s.Search {
	case "bestfirst":
		return t, search.SetOptions(&t.bestfirst, s.SearchOptions)
	case "puct":
		return t, search.SetOptions(&t.puct, s.SearchOptions)
	case treeMachine:
		return t, t.treemachine.Set(s.SearchOptions)
	case AutoSearch:
		if err := search.SetOptions(&t.bestfirst, s.SearchOptions); err == nil {
			return t, nil
		}
	}
	return t, t.alphabeta.Set(s.SearchOptions)
}
