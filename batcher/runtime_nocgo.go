//go:build !cgo

package batcher

import (
	"errors"

	"tesla/eut"
)

// ortBackends are the backends of ONNX Runtime, the fastest first.
var ortBackends = []string{"cuda", "tensorrt", "cpu"}

var errNoCgo = errors.New("ONNX Runtime: built without cgo")

func openORT(string, string, *eut.Net, Options) (Backend, []string, error) {
	return nil, nil, errNoCgo
}

func probeORT(string) (string, error) { return "", errNoCgo }
