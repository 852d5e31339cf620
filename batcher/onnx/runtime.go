//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"os"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// environment is the one ONNX Runtime of the process. Once loaded, it stays loaded.
var environment struct {
	sync.Mutex
	path string
}

// startRuntime loads the library, unless it is loaded, and returns its path.
func startRuntime() (string, error) {
	environment.Lock()
	defer environment.Unlock()
	path, err := libraryPath()
	if environment.path != "" {
		if err == nil && path != environment.path {
			return "", fmt.Errorf("ONNX Runtime: %s loaded by this process, not %s", environment.path, path)
		}
		return environment.path, nil
	}
	if err != nil {
		return "", err
	}
	if err := quiet(); err != nil {
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

// telemetryVariable turns the telemetry of ONNX Runtime off. Since 1.29 it is on by default: it writes a device id and a
// database of events to the user's cache folder and a log to the temporary folder, and sends events to Microsoft.
const telemetryVariable = "ORT_DISABLE_TELEMETRY"

// quiet turns the telemetry off, unless the user has decided otherwise. The library reads its environment when it is
// loaded. Go's runtime passes the variable on to the C library, as this package uses cgo.
func quiet() error {
	if _, set := os.LookupEnv(telemetryVariable); set {
		return nil
	}
	return os.Setenv(telemetryVariable, "1")
}

// describe is the path and version of the loaded library.
func describe(path string) string { return path + " (ONNX Runtime " + ort.GetVersion() + ")" }

// Probe reports whether the provider called name can be used, without a graph. It returns the library's path and version,
// or the reason why not.
func Probe(name string) (string, error) {
	path, err := startRuntime()
	if err != nil {
		return "", err
	}
	options, err := sessionOptions(target{provider: name, library: path, plan: plan{Shared: 1}})
	if err != nil {
		return "", err
	}
	return describe(path), options.Destroy()
}

// target is what a session runs on.
type target struct {
	provider string // one of Names
	library  string // path of ONNX Runtime
	device   int    // number of the GPU
	plan     plan
	columns  int // of a row of input
	maxBatch int // the most rows that are run together
}

func sessionOptions(t target) (*ort.SessionOptions, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("ONNX Runtime: session options: %w", err)
	}
	err = errors.Join(
		options.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		options.SetIntraOpNumThreads(t.plan.Shared),
		options.SetInterOpNumThreads(1),
		options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"), // the search shares the cores
	)
	if err == nil {
		err = keepSignals(func() error { return appendProvider(options, t) })
	}
	if err != nil {
		options.Destroy()
		return nil, fmt.Errorf("ONNX Runtime: %w", err)
	}
	return options, nil
}
