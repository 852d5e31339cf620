//go:build cgo

package onnx

import (
	"errors"
	"fmt"

	ort "github.com/yalue/onnxruntime_go"

	"tesla/batcher"
	"tesla/models/eut"
)

// backend evaluates a net with ONNX Runtime.
type backend struct {
	info    batcher.Info
	net     *eut.Net
	plan    plan
	devices []*device
	streams []*stream
	free    chan *stream // those without a batch

	unmeasured *unmeasured // nil where the plan was measured
}

// New opens a backend for a net. name is one of Names. It takes the plan that measured best before on this machine. Where
// none was measured it takes the usual one, and Tune can measure.
func New(name string, net *eut.Net, opts batcher.Options) (batcher.Backend, error) {
	opts = opts.WithDefaults()
	open, err := opener(name, net, opts)
	if err != nil {
		return nil, err
	}
	u := &unmeasured{key: planKey(name, net, opts), opts: opts, open: open}
	known, err := knownPlan(u.key, plansOf(name, opts), opts.MaxBatch)
	if err == nil && known != nil {
		var b *backend
		if b, err = open(*known); err == nil {
			return b, nil
		}
	}
	if err != nil {
		u.notes = append(u.notes, fmt.Sprintf("backend %s: the plan that was kept is measured anew: %v", name, err))
	}
	b, err := open(usualPlan(name, opts))
	if err != nil { // b is a nil pointer, which must not become an interface
		return nil, err
	}
	b.unmeasured = u
	return b, nil
}

// opener loads the library, checks the net's graph, and returns what opens a backend by a plan.
func opener(name string, net *eut.Net, opts batcher.Options) (func(plan) (*backend, error), error) {
	path, err := startRuntime()
	if err != nil {
		return nil, err
	}
	if err := checkGraph(net); err != nil {
		return nil, fmt.Errorf("net %s (%s): %w", net.Name, net.ShortHash(), err)
	}
	return func(p plan) (*backend, error) { return openPlan(name, path, net, opts, p) }, nil
}

// openPlan opens a backend that computes by a plan, with the library at path.
func openPlan(name, path string, net *eut.Net, opts batcher.Options, p plan) (*backend, error) {
	devices := 1
	if name == "cuda" || name == "tensorrt" {
		devices = gpus()
	}
	streams := devices * p.Streams
	b := &backend{
		net: net, plan: p, free: make(chan *stream, streams),
		info: batcher.Info{
			Name: name, Model: net.ShortHash(), ModelName: net.Name, Library: describe(path),
			MaxBatch: opts.MaxBatch, Batch: p.Batch, Free: max(p.Free, laneStep), Threads: opts.Threads, Streams: streams, WantsQuiescence: true,
		},
	}
	for i := range devices {
		if err := b.addDevice(i, path); err != nil {
			return nil, errors.Join(fmt.Errorf("net %s (%s): %w", net.Name, net.ShortHash(), err), b.Close())
		}
	}
	return b, nil
}

func (b *backend) addDevice(number int, path string) error {
	session, err := b.newSession(path, number)
	if err != nil {
		return err
	}
	d := &device{session: session, jobs: make(chan *stream, b.plan.Streams)}
	b.devices = append(b.devices, d)
	for range b.plan.Turns {
		d.workers.Go(func() { d.work(b.plan.Parts) })
	}
	for range b.plan.Streams {
		if err := b.newStream(d); err != nil {
			return err
		}
	}
	return nil
}

func (b *backend) newSession(path string, device int) (s *ort.DynamicAdvancedSession, err error) {
	options, err := sessionOptions(target{provider: b.info.Name, library: path, device: device, plan: b.plan,
		columns: b.plan.columns(b.net), maxBatch: b.info.MaxBatch})
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	graph, err := b.plan.graph(b.net)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(batcher.GraphOutputs))
	for i, out := range batcher.GraphOutputs {
		names[i] = out.Name
	}
	err = keepSignals(func() error {
		s, err = ort.NewDynamicAdvancedSessionWithONNXData(graph, []string{b.plan.input()}, names, options)
		return err
	})
	return s, err
}

// checkGraph is an error if the inputs and outputs of a net's graph are not those of batcher.GraphInput and
// batcher.GraphOutputs.
func checkGraph(net *eut.Net) error {
	inputs, outputs, err := ort.GetInputOutputInfoWithONNXData(net.Graph)
	if err != nil {
		return fmt.Errorf("reading the graph: %w", err)
	}
	if len(inputs) != 1 {
		return fmt.Errorf("graph of %d inputs, want 1, %s", len(inputs), batcher.GraphInput)
	}
	if err := checkTensor("input", inputs, batcher.GraphInput, ort.TensorElementDataTypeInt32, int64(net.Row())); err != nil {
		return err
	}
	for _, want := range batcher.GraphOutputs {
		if err := checkTensor("output", outputs, want.Name, ort.TensorElementDataTypeFloat, int64(want.Columns)); err != nil {
			return err
		}
	}
	return nil
}

// checkTensor is an error unless there is a tensor called name, of type kind and shape [N, columns] with N free.
func checkTensor(role string, have []ort.InputOutputInfo, name string, kind ort.TensorElementDataType, columns int64) error {
	var names []string
	for _, t := range have {
		if t.Name != name {
			names = append(names, t.Name)
			continue
		}
		d := t.Dimensions
		if t.DataType != kind || len(d) != 2 || d[0] > 0 || d[1] != columns {
			return fmt.Errorf("the graph's %s %s is %v %v, want %v [N %d]", role, name, t.DataType, d, kind, columns)
		}
		return nil
	}
	return fmt.Errorf("no %s %s in the graph, but %q", role, name, names)
}
