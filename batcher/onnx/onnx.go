// Package onnx evaluates transformers (package eut) with ONNX Runtime, on the CPU or on GPUs.
//
// It is the only package of the program that uses cgo. Built without cgo it has the same functions, and each of them
// returns an error that says so.
//
// The library is loaded when the first backend is opened, and stays loaded: a process can load one library only. Its
// telemetry is off (see quiet). Tune measures once on each machine how a device computes batches fastest (see plan) and
// keeps the answer in the user's cache folder.
//
// The invariant of the package: on the CPU the result of a position depends on that position alone, to the last bit,
// and not on the batch, the lane or the thread that computed it.
package onnx

import "slices"

// Names are the names of the backends, each an execution provider of ONNX Runtime. The CPU is the last.
var Names = []string{"cuda", "tensorrt", "cpu"}

// OnDevice reports whether the backend called name is a provider for an accelerator, of which a machine has few.
func OnDevice(name string) bool { return name != "cpu" && slices.Contains(Names, name) }
