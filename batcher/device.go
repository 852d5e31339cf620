package batcher

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// osThread runs functions, one after the other, on an OS thread of its own: a GPU's driver keeps state for each thread, and a
// goroutine wanders.
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

// start has f run; wait must follow.
func (t *osThread) start(f func()) { t.calls <- f }

// wait waits until what was started has returned.
func (t *osThread) wait() { <-t.done }

func (t *osThread) close() { close(t.calls) }

// nvidiaDevices lists a folder for each NVIDIA GPU of a Linux machine.
const nvidiaDevices = "/proc/driver/nvidia/gpus/*"

// gpus is how many GPUs there are for this process, at least 1: where there is none the provider says so.
func gpus() int {
	if visible, set := os.LookupEnv("CUDA_VISIBLE_DEVICES"); set {
		return strings.Count(visible, ",") + 1
	}
	found, _ := filepath.Glob(nvidiaDevices) // its only error is of the pattern
	return max(1, len(found))
}
