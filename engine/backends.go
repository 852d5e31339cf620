package engine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"tesla/batcher"
	"tesla/batcher/onnx"
	"tesla/batcher/remote"
	"tesla/models"
	"tesla/nnue"
)

// Backends are the names of the backends.
var Backends = append(append([]string{"auto"}, onnx.Names...), "nnue", "mock", "remote")

// source says which backend to open, on which net.
type source struct {
	name    string // one of Backends
	weights string // net file, or a folder of them; empty: the built-in net of the backend's kind
	server  remote.Address
	threads int  // that compute; 0 means 1
	batch   int  // the most positions of a batch; 0 means batcher.DefaultMaxBatch
	sums    bool // for a server, see batcher.Options
	hurried bool // the backend computes by the plan that is known or usual: there is no time to measure
}

func (s source) options() batcher.Options {
	return batcher.Options{Threads: s.threads, MaxBatch: s.batch, Sums: s.sums}
}

// openBackend opens a backend, and returns the net that it evaluates with; mock has none. A backend that cannot be
// opened is an error with the reason. For the name auto, or a folder of nets, it takes what promises the most strength;
// see openStrongest. It never falls back to mock. notes tell the user what was measured, and what was passed over and
// why.
func openBackend(s source) (b batcher.Backend, net models.Net, notes []string, err error) {
	switch {
	case !slices.Contains(Backends, s.name):
		return nil, net, nil, fmt.Errorf("unknown backend %q, want one of %s", s.name, strings.Join(Backends, ", "))
	case s.name == "mock":
		return batcher.NewMock(s.options()), net, nil, nil
	case s.name == "auto" || s.name != "remote" && isFolder(s.weights):
		b, net, notes, err = openStrongest(s)
	default:
		if net, err = s.net(); err == nil {
			b, err = s.openOn(s.name, net)
		}
	}
	if err == nil && !s.hurried {
		var measured []string
		b, measured, err = onnx.Tune(b)
		notes = append(notes, measured...)
	}
	if err != nil {
		return nil, models.Net{}, notes, fmt.Errorf("backend %s: %w", s.name, err)
	}
	return b, net, notes, nil
}

// MeasurePlans measures the ways in which the backend of the settings can compute; see onnx.MeasurePlans.
func MeasurePlans(set Settings, opts batcher.Options, sizes []int, budget time.Duration, yield func(batcher.Plan)) error {
	s := source{name: set.backend(), weights: set.WeightsFile}
	if !slices.Contains(onnx.Names, s.name) {
		return fmt.Errorf("no plans for backend %s, want one of %s", s.name, strings.Join(onnx.Names, ", "))
	}
	net, err := s.net()
	if err != nil {
		return err
	}
	opts.Threads = set.Threads
	return onnx.MeasurePlans(s.name, net.EUT, opts, sizes, budget, yield)
}

// net is the net of a backend that is named: the one in the file, or the built-in one of the kind that the backend
// evaluates.
func (s source) net() (models.Net, error) {
	if s.name == "nnue" {
		n, err := models.OpenNNUE(s.weights)
		return models.Net{NNUE: n, Path: s.weights}, err
	}
	n, err := models.OpenEUT(s.weights)
	return models.Net{EUT: n, Path: s.weights}, err
}

// openOn opens the backend called name, any but auto and mock, on a net of its kind.
func (s source) openOn(name string, net models.Net) (batcher.Backend, error) {
	switch name {
	case "nnue":
		return batcher.NewNNUE(net.NNUE, s.options())
	case "remote":
		return remote.Open(s.server, net.EUT, s.options())
	}
	return onnx.New(name, net.EUT, s.options())
}

// nnueOf is the net that an alpha-beta search evaluates with beside a backend's net: that net where it is a CPU net,
// else the built-in one.
func nnueOf(net models.Net) (*nnue.Net, error) {
	if net.NNUE != nil {
		return net.NNUE, nil
	}
	return models.DefaultNNUE()
}

// room is the number of items that a backend must take for a searcher's batches: quiet positions join the leaves.
func room(batch int) int { return 2 * cmp.Or(batch, batcher.DefaultMaxBatch) }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Status says whether a backend can be opened here.
type Status struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text"` // the library's path and version, the kernels, or the reason why not
}

// Probe tries every backend that needs no server, without opening a net's graph.
func Probe() []Status {
	var all []Status
	add := func(name, text string, err error) {
		if err != nil {
			text = err.Error()
		}
		all = append(all, Status{Name: name, OK: err == nil, Text: text})
	}
	for _, name := range onnx.Names {
		text, err := onnx.Probe(name)
		add(name, text, err)
	}
	text, err := probeNNUE()
	add("nnue", text, err)
	add("mock", "deterministic values without a net, for tests", nil)
	return all
}

// probeNNUE says which kernels and which net the backend nnue uses here.
func probeNNUE() (string, error) {
	kernel, kernelErr := nnue.Kernel()
	net, err := models.DefaultNNUE()
	if err = errors.Join(kernelErr, err); err != nil {
		return "", err
	}
	return fmt.Sprintf("kernels %s, net %s %s", kernel, net.Name, net.ShortHash()), nil
}

// OnDevice reports whether the settings evaluate on an accelerator, of which a machine has few.
func OnDevice(set Settings) bool {
	if set.backend() == "auto" {
		return slices.ContainsFunc(Probe(), func(s Status) bool { return s.Name == "cuda" && s.OK })
	}
	return onnx.OnDevice(set.backend())
}
