//go:build !cgo

package onnx

import (
	"errors"
	"time"

	"tesla/batcher"
	"tesla/models/eut"
)

var errNoCgo = errors.New("ONNX Runtime: this program was built without cgo")

// New fails: ONNX Runtime needs cgo.
func New(string, *eut.Net, batcher.Options) (batcher.Backend, error) { return nil, errNoCgo }

// Tune returns b: there is nothing to measure.
func Tune(b batcher.Backend) (batcher.Backend, []string, error) { return b, nil, nil }

// Probe fails: ONNX Runtime needs cgo.
func Probe(string) (string, error) { return "", errNoCgo }

// MeasurePlans fails: ONNX Runtime needs cgo.
func MeasurePlans(string, *eut.Net, batcher.Options, []int, time.Duration, func(batcher.Plan)) error {
	return errNoCgo
}
