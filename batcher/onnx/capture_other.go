//go:build cgo && !linux

package onnx

import (
	"errors"

	ort "github.com/yalue/onnxruntime_go"
)

var errNotCaptured = errors.New("kernels are captured on Linux only")

// mapped is memory that a GPU reads; see the file for Linux.
type mapped struct{}

func newMapped(int, [4]int) (*mapped, error) { return nil, errNotCaptured }

func (m *mapped) free() {}

func take[T int32 | float32](_ *mapped, count int) []T { return make([]T, count) }

func newDeviceTensor[T int32 | float32](*mapped, []T, int, int) (ort.Value, error) {
	return nil, errNotCaptured
}

func captured(int) (*ort.RunOptions, error) { return nil, errNotCaptured }
