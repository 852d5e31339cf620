//go:build cgo

package batcher

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"tesla/eut"

	ort "github.com/yalue/onnxruntime_go"
)

// ortBackends are the backends of ONNX Runtime, the fastest first.
var ortBackends = []string{"cuda", "tensorrt", "cpu"}

// environment is the one ONNX Runtime of the process; it stays loaded once it is.
var environment struct {
	sync.Mutex
	path string
}

// startORT loads the library and returns its path and version.
func startORT() (string, error) {
	environment.Lock()
	defer environment.Unlock()
	path, err := libraryPath()
	if environment.path != "" {
		if err == nil && path != environment.path {
			return "", fmt.Errorf("ONNX Runtime: this process has loaded %s and cannot load %s", environment.path, path)
		}
		return environment.path, nil
	}
	if err != nil {
		return "", err
	}
	if err := inspectLibrary(path); err != nil {
		return "", err
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return "", fmt.Errorf("ONNX Runtime: %s: %w", path, err)
	}
	environment.path = path
	return path, nil
}

// describeORT is the path and version of the loaded library.
func describeORT(path string) string { return path + " (ONNX Runtime " + ort.GetVersion() + ")" }

// probeORT says whether the provider called name can be used, without a graph.
func probeORT(name string) (string, error) {
	path, err := startORT()
	if err != nil {
		return "", err
	}
	options, err := sessionOptions(name, path, 0, 1)
	if err != nil {
		return "", err
	}
	return describeORT(path), options.Destroy()
}

// sessionOptions are the options of a session on a device of the provider called name, of the library at path; threads share
// each operator on the CPU.
func sessionOptions(name, path string, device, threads int) (*ort.SessionOptions, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("ONNX Runtime: session options: %w", err)
	}
	err = errors.Join(
		options.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		options.SetIntraOpNumThreads(threads),
		options.SetInterOpNumThreads(1),
		options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"), // the search shares the cores
	)
	if err == nil {
		err = keepSignals(func() error { return appendProvider(options, name, path, device) })
	}
	if err != nil {
		options.Destroy()
		return nil, fmt.Errorf("ONNX Runtime: %w", err)
	}
	return options, nil
}

// appendProvider adds the execution provider called name; its library lies beside ONNX Runtime's.
func appendProvider(options *ort.SessionOptions, name, path string, device int) error {
	if name == "cpu" {
		return nil
	}
	library := filepath.Join(filepath.Dir(path), "libonnxruntime_providers_"+name+".so")
	if err := isFile(library); err != nil {
		return fmt.Errorf("no %s provider beside the library: %w; scripts/fetch-onnxruntime.sh --cuda fetches it", name, err)
	}
	switch name {
	case "cuda":
		cuda, err := ort.NewCUDAProviderOptions()
		if err != nil {
			return providerError(name, err)
		}
		defer cuda.Destroy()
		// Graphs of kernels are of no use: they need input and output on the device, and these are on the host.
		if err := cuda.Update(map[string]string{"device_id": strconv.Itoa(device), "use_tf32": "1"}); err != nil {
			return providerError(name, err)
		}
		if err := options.AppendExecutionProviderCUDA(cuda); err != nil {
			return providerError(name, err)
		}
		return nil
	case "tensorrt":
		trt, err := ort.NewTensorRTProviderOptions()
		if err != nil {
			return providerError(name, err)
		}
		defer trt.Destroy()
		cache, err := engineCache()
		if err != nil {
			return providerError(name, err)
		}
		if err := trt.Update(map[string]string{"device_id": strconv.Itoa(device), "trt_fp16_enable": "1",
			"trt_engine_cache_enable": "1", "trt_engine_cache_path": cache, "trt_timing_cache_enable": "1", "trt_timing_cache_path": cache}); err != nil {
			return providerError(name, err)
		}
		if err := options.AppendExecutionProviderTensorRT(trt); err != nil {
			return providerError(name, err)
		}
		return nil
	}
	return fmt.Errorf("unknown provider %q", name)
}

// engineCache is the folder that TensorRT keeps engines in: building one takes minutes.
func engineCache() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache := filepath.Join(base, "tesla", "tensorrt")
	return cache, os.MkdirAll(cache, 0o755)
}

// providerError is ONNX Runtime's error without the place in its source.
func providerError(name string, err error) error {
	text := err.Error()
	if _, after, found := strings.Cut(text, " : FAIL : "); found {
		text = after
	}
	return fmt.Errorf("%s provider: %s", name, text)
}

// ortBackend evaluates a net with ONNX Runtime.
type ortBackend struct {
	info    Info
	net     *eut.Net
	plan    plan
	devices []*device
	streams []*stream
	free    chan *stream
}

// openORT opens a backend by the plan in opts, or else by the best known one; notes say how that was found.
func openORT(name, weights string, net *eut.Net, opts Options) (b Backend, notes []string, err error) {
	path, err := startORT()
	if err != nil {
		return nil, nil, err
	}
	if err := checkGraph(net); err != nil {
		return nil, nil, fmt.Errorf("net %s (%s): %w", net.Name, net.ShortHash(), err)
	}
	open := func(p plan) (Backend, error) { return openPlan(name, path, weights, net, opts, p) }
	if opts.plan == nil {
		return bestPlan(name, net, opts, open)
	}
	b, err = open(*opts.plan)
	return b, nil, err
}

func openPlan(name, path, weights string, net *eut.Net, opts Options, p plan) (Backend, error) {
	devices := 1
	if name != "cpu" {
		devices = gpus()
	}
	streams := devices * p.Streams
	b := &ortBackend{
		net: net, plan: p, free: make(chan *stream, streams),
		info: Info{
			Name: name, Weights: weights, Model: net.ShortHash(), ModelName: net.Name, Library: describeORT(path),
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

// addDevice adds a device and its streams.
func (b *ortBackend) addDevice(number int, path string) error {
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

// newSession makes a session of the net on a device.
func (b *ortBackend) newSession(path string, device int) (s *ort.DynamicAdvancedSession, err error) {
	options, err := sessionOptions(b.info.Name, path, device, b.plan.Shared)
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	graph := b.net.Graph
	if b.plan.Listed {
		if graph, err = b.net.ListedGraph(GraphInput); err != nil {
			return nil, err
		}
	}
	names := make([]string, len(GraphOutputs))
	for i, out := range GraphOutputs {
		names[i] = out.Name
	}
	err = keepSignals(func() error {
		s, err = ort.NewDynamicAdvancedSessionWithONNXData(graph, []string{b.plan.input()}, names, options)
		return err
	})
	return s, err
}

// checkGraph says what is wrong with the inputs and outputs of a net's graph.
func checkGraph(net *eut.Net) error {
	inputs, outputs, err := ort.GetInputOutputInfoWithONNXData(net.Graph)
	if err != nil {
		return fmt.Errorf("reading the graph: %w", err)
	}
	if len(inputs) != 1 {
		return fmt.Errorf("the graph has %d inputs, want 1, %s", len(inputs), GraphInput)
	}
	if err := checkTensor("input", inputs, GraphInput, ort.TensorElementDataTypeInt32, int64(net.Row())); err != nil {
		return err
	}
	for _, want := range GraphOutputs {
		if err := checkTensor("output", outputs, want.Name, ort.TensorElementDataTypeFloat, int64(want.Columns)); err != nil {
			return err
		}
	}
	return nil
}

// checkTensor looks for a tensor called name, of type kind and shape [N, columns] with N free.
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
	return fmt.Errorf("the graph has no %s %s, but %q", role, name, names)
}
