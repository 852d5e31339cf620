package batcher

import (
	"errors"
	"fmt"
	"strings"

	"tesla/models"
)

// Names are the names that Open knows.
var Names = []string{"auto", "cuda", "tensorrt", "cpu", "mock"}

// Open opens the backend called name on the net file weights (empty: the embedded net). A named one that cannot load
// is an error with the reason. auto takes the first of cuda and cpu that loads; what it passed over is in notes, for
// the user. It never falls back to mock.
func Open(name, weights string, opts Options) (Backend, []string, error) {
	opts = opts.withDefaults()
	switch name {
	case "mock":
		return NewMock(opts), nil, nil
	case "auto":
		return openAuto(weights, opts)
	}
	for _, known := range ortBackends {
		if name != known {
			continue
		}
		net, err := models.Load(weights)
		if err != nil {
			return nil, nil, fmt.Errorf("backend %s: %w", name, err)
		}
		b, err := openORT(name, net, opts)
		if err != nil {
			return nil, nil, fmt.Errorf("backend %s: %w", name, err)
		}
		return b, nil, nil
	}
	return nil, nil, fmt.Errorf("unknown backend %q, want one of %s", name, strings.Join(Names, ", "))
}

// autoOrder leaves tensorrt out: building its engine takes minutes at the first start.
var autoOrder = []string{"cuda", "cpu"}

func openAuto(weights string, opts Options) (Backend, []string, error) {
	net, err := models.Load(weights)
	if err != nil {
		return nil, nil, fmt.Errorf("backend auto: %w", err)
	}
	var notes []string
	var reasons []error
	for _, name := range autoOrder {
		b, err := openORT(name, net, opts)
		if err == nil {
			return b, notes, nil
		}
		notes = append(notes, fmt.Sprintf("backend %s not available: %v", name, err))
		reasons = append(reasons, fmt.Errorf("%s: %w", name, err))
	}
	return nil, notes, fmt.Errorf("backend auto: none loads: %w", errors.Join(reasons...))
}

// Status says whether a backend can be opened, and what it is or why not.
type Status struct {
	Name string
	OK   bool
	Text string // the library's path and version, or the reason
}

// Probe tries every backend, without a net's graph.
func Probe() []Status {
	var all []Status
	for _, name := range ortBackends {
		text, err := probeORT(name)
		if err != nil {
			text = err.Error()
		}
		all = append(all, Status{Name: name, OK: err == nil, Text: text})
	}
	return append(all, Status{Name: "mock", OK: true, Text: "deterministic values without a net, for tests"})
}
