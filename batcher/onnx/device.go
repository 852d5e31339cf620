//go:build cgo

package onnx

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// osThread runs functions one after the other on an OS thread of its own. The driver of a GPU keeps state for each
// thread, and goroutines move between threads.
type osThread struct {
	calls chan func()
	done  chan struct{}
}

func newOSThread() *osThread {
	t := &osThread{make(chan func()), make(chan struct{})}
	go func() {
		runtime.LockOSThread()
		for f := range t.calls {
			f()
			t.done <- struct{}{}
		}
	}()
	return t
}

// start begins to run f. A call of wait must follow.
func (t *osThread) start(f func()) { t.calls <- f }

// wait blocks until the function that start was given has returned.
func (t *osThread) wait() { <-t.done }

func (t *osThread) close() { close(t.calls) }

// nvidiaDevices lists a folder for each NVIDIA GPU of a Linux machine.
const nvidiaDevices = "/proc/driver/nvidia/gpus/*"

// gpus is the number of GPUs that this process may use, at least 1: if there is none, the provider reports it.
func gpus() int {
	if visible, set := os.LookupEnv("CUDA_VISIBLE_DEVICES"); set {
		return strings.Count(visible, ",") + 1
	}
	found, _ := filepath.Glob(nvidiaDevices) // an error would mean a bad pattern
	return max(1, len(found))
}
