package engine

import (
	"cmp"
	"slices"

	"tesla/batcher"
	"tesla/batcher/remote"
	"tesla/models"
	"tesla/nnue"
)

// Backends are the names of the backends.
var Backends = append(slices.Clone(batcher.Names), "remote")

// source is what a backend is opened from.
type source struct {
	name    string // one of Backends
	weights string // net file or folder; empty: the embedded net
	server  string // of remote
	threads int
	batch   int  // most positions in a batch; 0: batcher.DefaultMaxBatch
	sums    bool // a server's backend, see batcher.Options
}

// net is the net that a backend evaluates with.
type net struct {
	path string // file; empty: embedded
	own  bool   // an nnue net
}

// nnue is the net that alpha-beta searches on a backend evaluate with: the backend's own where it is one of nnue, else
// the embedded one.
func (n net) nnue() (*nnue.Net, error) {
	if n.own {
		return models.LoadNNUE(n.path)
	}
	return models.DefaultNNUE()
}

// openBackend opens a backend on its net. Notes say what auto passed over, and why.
func openBackend(s source) (batcher.Backend, net, []string, error) {
	opts := batcher.Options{Threads: s.threads, MaxBatch: s.batch, Sums: s.sums}
	var b batcher.Backend
	var notes []string
	var err error
	if s.name == "remote" {
		b, err = remote.Open(s.server, s.weights, opts)
	} else {
		b, notes, err = batcher.Open(s.name, s.weights, opts)
	}
	if err != nil {
		return nil, net{}, notes, err
	}
	return b, netOf(b.Info()), notes, nil
}

// netOf is the net of an open backend.
func netOf(info batcher.Info) net { return net{info.Weights, info.Name == "nnue"} }

// room is the most items that a backend must take for a searcher's batches: quiet positions come beside the leaves.
func room(batch int) int { return 2 * cmp.Or(batch, batcher.DefaultMaxBatch) }

// Probe tries every backend, and says of each why it cannot be opened.
func Probe() []batcher.Status { return batcher.Probe() }

// OnDevice tells whether the settings evaluate on an accelerator, of which a machine has few.
func OnDevice(set Settings) bool {
	switch set.backend() {
	case "cuda", "tensorrt":
		return true
	case "auto":
		return slices.ContainsFunc(Probe(), func(s batcher.Status) bool { return s.Name == "cuda" && s.OK })
	}
	return false
}
