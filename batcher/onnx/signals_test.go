//go:build cgo && linux

package onnx

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// All functions of an osThread run on the same thread.
func TestOSThread(t *testing.T) {
	a, b := newOSThread(), newOSThread()
	defer a.close()
	defer b.close()
	ids := map[int]int{}
	for range 50 {
		for _, t := range []*osThread{a, b} {
			t.start(func() { ids[syscall.Gettid()]++ })
			t.wait()
		}
	}
	if len(ids) != 2 {
		t.Errorf("calls by thread: %v", ids)
	}
}

func TestGPUs(t *testing.T) {
	if n := gpus(); n < 1 {
		t.Error(n)
	}
	t.Setenv("CUDA_VISIBLE_DEVICES", "1,3")
	if n := gpus(); n != 2 {
		t.Errorf("%d of two visible devices", n)
	}
}

// A handler that f replaces is restored: otherwise the signal would kill this process.
func TestKeepSignals(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGUSR1)
	defer signal.Stop(heard)
	failed := errors.New("failed")
	if err := keepSignals(func() error {
		var byDefault [64]byte // struct sigaction of the kernel with SIG_DFL
		if _, _, e := syscall.Syscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGUSR1), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0); e != 0 {
			return e
		}
		return failed
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	select {
	case <-heard:
	case <-time.After(time.Minute):
		t.Error("the signal was not heard")
	}
}
