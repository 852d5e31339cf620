//go:build cgo

package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	ort "github.com/yalue/onnxruntime_go"
)

// provider is an execution provider of ONNX Runtime.
type provider struct {
	add  func(options *ort.SessionOptions, t target) error
	from string // who has its library, which lies beside ONNX Runtime's; empty: it is part of ONNX Runtime
}

// providers are those of Names, except cpu, which every session has.
var providers = map[string]provider{
	"cuda":     {addCUDA, "scripts/fetch-onnxruntime.sh --cuda fetches it"},
	"tensorrt": {addTensorRT, "scripts/fetch-onnxruntime.sh --cuda fetches it"},
	"openvino": {addOpenVINO, "an ONNX Runtime that was built for OpenVINO has it: set " + libraryVariable + " to its path"},
	"coreml":   {addCoreML, ""},
	"directml": {addDirectML, ""},
}

// appendProvider adds the execution provider of a target.
func appendProvider(options *ort.SessionOptions, t target) error {
	name := t.provider
	if name == "cpu" {
		return nil
	}
	p, ok := providers[name]
	if !ok {
		return fmt.Errorf("unknown provider %q", name)
	}
	if p.from != "" {
		form := "libonnxruntime_providers_%s.so"
		if runtime.GOOS == "windows" {
			form = "onnxruntime_providers_%s.dll"
		}
		if err := isFile(filepath.Join(filepath.Dir(t.library), fmt.Sprintf(form, name))); err != nil {
			return fmt.Errorf("no %s provider beside the library: %w; %s", name, err, p.from)
		}
	}
	if err := p.add(options, t); err != nil {
		return providerError(name, err)
	}
	return nil
}

// addCUDA adds the CUDA provider, with products in TF32.
func addCUDA(options *ort.SessionOptions, t target) error {
	cuda, err := ort.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	defer cuda.Destroy()
	set := map[string]string{"device_id": strconv.Itoa(t.device), "use_tf32": "1"}
	if t.plan.Captured {
		set["enable_cuda_graph"] = "1"
	}
	if err := cuda.Update(set); err != nil {
		return err
	}
	return options.AppendExecutionProviderCUDA(cuda)
}

// addTensorRT adds the TensorRT provider, which works in half precision and keeps the engines that it builds. It is told the
// sizes of batches: else it would build an engine anew, for minutes, when the first larger batch comes.
func addTensorRT(options *ort.SessionOptions, t target) error {
	trt, err := ort.NewTensorRTProviderOptions()
	if err != nil {
		return err
	}
	defer trt.Destroy()
	cache, err := engineCache()
	if err != nil {
		return err
	}
	set := map[string]string{"device_id": strconv.Itoa(t.device), "trt_fp16_enable": "1",
		"trt_engine_cache_enable": "1", "trt_engine_cache_path": cache,
		"trt_timing_cache_enable": "1", "trt_timing_cache_path": cache}
	if t.maxBatch > 0 {
		most := powerOfTwo(t.maxBatch)
		for size, rows := range map[string]int{"min": laneStep, "opt": min(64, most), "max": most} {
			set["trt_profile_"+size+"_shapes"] = fmt.Sprintf("%s:%dx%d", t.plan.input(), rows, t.columns)
		}
	}
	if err := trt.Update(set); err != nil {
		return err
	}
	return options.AppendExecutionProviderTensorRT(trt)
}

// engineCache is the folder in which TensorRT keeps engines: building one takes minutes.
func engineCache() (string, error) {
	base, err := cacheFolder()
	if err != nil {
		return "", err
	}
	cache := filepath.Join(base, "tensorrt")
	return cache, os.MkdirAll(cache, 0o755)
}

// addOpenVINO adds the OpenVINO provider: a GPU of Intel's where there is one, else the CPU.
func addOpenVINO(options *ort.SessionOptions, _ target) error {
	return options.AppendExecutionProviderOpenVINO(map[string]string{"device_type": "AUTO:GPU,CPU"})
}

// addCoreML adds the CoreML provider: the GPU and the neural engine of a Mac.
func addCoreML(options *ort.SessionOptions, _ target) error {
	return options.AppendExecutionProviderCoreMLV2(map[string]string{"ModelFormat": "MLProgram", "MLComputeUnits": "ALL"})
}

// addDirectML adds the DirectML provider: the main GPU of a Windows machine. It can neither reuse patterns of memory nor
// run two batches of a session at a time, see turns.
func addDirectML(options *ort.SessionOptions, t target) error {
	if err := options.SetMemPattern(false); err != nil {
		return err
	}
	if err := options.SetExecutionMode(ort.ExecutionModeSequential); err != nil {
		return err
	}
	return options.AppendExecutionProviderDirectML(t.device)
}

// providerError is an error of ONNX Runtime without the line of its source.
func providerError(name string, err error) error {
	text := err.Error()
	if _, after, found := strings.Cut(text, " : FAIL : "); found {
		text = after
	}
	return fmt.Errorf("%s provider: %s", name, text)
}
