package cores

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// CanPin reports whether Pin has an effect on this system.
const CanPin = true

// Allowed returns the cores that this thread may use, as the system numbers them. Those that are offline are not among
// them.
func Allowed() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return counted()
	}
	var cores []int
	for i := range 8 * len(set) * 8 {
		if set.IsSet(i) {
			cores = append(cores, i)
		}
	}
	if len(cores) == 0 {
		return counted()
	}
	return cores
}

// Pin binds the goroutine to a thread, and the thread to the given cores, until release is called. Where the thread's
// cores cannot be restored then, it ends with the goroutine.
func Pin(cores []int) (release func(), err error) {
	var before, set unix.CPUSet
	for _, c := range cores {
		set.Set(c)
	}
	runtime.LockOSThread()
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("reading the cores of the thread: %w", err)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("pinning to cores %v: %w", cores, err)
	}
	return func() {
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread()
		}
	}, nil
}
