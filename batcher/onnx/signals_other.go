//go:build cgo && !unix

package onnx

// keepSignals calls f: there are no signal handlers to keep.
func keepSignals(f func() error) error { return f() }
