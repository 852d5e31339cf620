//go:build cgo

package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

const (
	// ortVersion is the version of ONNX Runtime that scripts/fetch-onnxruntime.sh fetches.
	ortVersion = "1.29.0"
	// libraryVariable names another library, for offline use.
	libraryVariable = "TESLA_ONNXRUNTIME"
	fetchHint       = "run scripts/fetch-onnxruntime.sh, or set " + libraryVariable + " to the path of the library"
)

// libraryFiles are the names of the library, by operating system.
var libraryFiles = map[string]string{"linux": "libonnxruntime.so.1", "darwin": "libonnxruntime.1.dylib", "windows": "onnxruntime.dll"}

// libraryPath is the place of ONNX Runtime's library. It is an error if there is no such file.
func libraryPath() (string, error) {
	if path := os.Getenv(libraryVariable); path != "" {
		if err := isFile(path); err != nil {
			return path, fmt.Errorf("ONNX Runtime: %s: %w", libraryVariable, err)
		}
		return path, nil
	}
	name, ok := libraryFiles[runtime.GOOS]
	if !ok {
		return "", fmt.Errorf("ONNX Runtime: no standard place of the library on %s; set %s to its path", runtime.GOOS, libraryVariable)
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", fmt.Errorf("ONNX Runtime: %w; set %s to the path of the library", err, libraryVariable)
	}
	path := filepath.Join(cache, "onnxruntime-"+ortVersion, name)
	if err := isFile(path); err != nil {
		return path, fmt.Errorf("ONNX Runtime is not installed: %w; %s", err, fetchHint)
	}
	return path, nil
}

func isFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a directory", path)
	}
	return nil
}
