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

// providers add the execution providers of Names to a session's options, except cpu, which every session has.
var providers = map[string]func(options *ort.SessionOptions, t target) error{"cuda": addCUDA, "tensorrt": addTensorRT}

func appendProvider(options *ort.SessionOptions, t target) error {
	name := t.provider
	if name == "cpu" {
		return nil
	}
	add, ok := providers[name]
	if !ok {
		return fmt.Errorf("unknown provider %q", name)
	}
	form := "libonnxruntime_providers_%s.so"
	if runtime.GOOS == "windows" {
		form = "onnxruntime_providers_%s.dll"
	}
	if err := isFile(filepath.Join(filepath.Dir(t.library), fmt.Sprintf(form, name))); err != nil {
		return fmt.Errorf("no %s provider beside the library: %w; scripts/fetch-onnxruntime.sh --cuda fetches it", name, err)
	}
	if err := add(options, t); err != nil {
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
	if err := cuda.Update(map[string]string{"device_id": strconv.Itoa(t.device), "use_tf32": "1"}); err != nil {
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

// providerError is an error of ONNX Runtime without the line of its source.
func providerError(name string, err error) error {
	text := err.Error()
	if _, after, found := strings.Cut(text, " : FAIL : "); found {
		text = after
	}
	return fmt.Errorf("%s provider: %s", name, text)
}
