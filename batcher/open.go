package batcher

import (
	"fmt"
	"slices"
	"strings"

	"tesla/models"
)

// Names are the names that Open knows.
var Names = []string{"auto", "cuda", "tensorrt", "cpu", "nnue", "mock"}

// Open opens the backend called name on the net file weights (empty: the embedded net of its kind), or on the best of those in the
// folder weights. A named one that cannot load is an error with the reason. auto takes the one that promises most; see
// openBest. What it passed over, and why, is in notes, for the user. It never falls back to mock.
func Open(name, weights string, opts Options) (Backend, []string, error) {
	opts = opts.withDefaults()
	if !slices.Contains(Names, name) {
		return nil, nil, fmt.Errorf("unknown backend %q, want one of %s", name, strings.Join(Names, ", "))
	}
	if name == "auto" || isFolder(weights) {
		return openBest(name, weights, opts)
	}
	b, notes, err := openNamed(name, weights, opts)
	if err != nil {
		return nil, notes, fmt.Errorf("backend %s: %w", name, err)
	}
	return b, notes, nil
}

// openNamed opens any of Names but auto.
func openNamed(name, weights string, opts Options) (b Backend, notes []string, err error) {
	switch name {
	case "mock":
		return NewMock(opts), nil, nil
	case "nnue":
		b, err = openNNUE(weights, opts)
		return b, nil, err
	}
	net, err := models.Load(weights)
	if err != nil {
		return nil, nil, err
	}
	return openORT(name, weights, net, opts)
}

// Status says whether a backend can be opened, and what it is or why not.
type Status struct {
	Name string
	OK   bool
	Text string // the library's path and version, the kernels, or the reason
}

// Probe tries every backend, without a net's graph.
func Probe() []Status {
	var all []Status
	add := func(name, text string, err error) {
		if err != nil {
			text = err.Error()
		}
		all = append(all, Status{Name: name, OK: err == nil, Text: text})
	}
	for _, name := range ortBackends {
		text, err := probeORT(name)
		add(name, text, err)
	}
	text, err := probeNNUE()
	add("nnue", text, err)
	add("mock", "deterministic values without a net, for tests", nil)
	return all
}
