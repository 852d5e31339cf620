package client

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// CanPin reports whether Config.Cores has an effect on this system.
const CanPin = true

// Cores returns the cores that this process may use, as the system numbers them.
func Cores() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return countedCores()
	}
	var cores []int
	for i := range 8 * len(set) * 8 {
		if set.IsSet(i) {
			cores = append(cores, i)
		}
	}
	if len(cores) == 0 {
		return countedCores()
	}
	return cores
}

// startOn starts the command on the given cores, or on any if none are given. A process inherits the cores of the
// thread that starts it, so that every thread of the engine runs there from its start. To set the cores of a running
// process would race with the threads that it creates.
func startOn(cmd *exec.Cmd, cores []int) error {
	if len(cores) == 0 {
		return cmd.Start()
	}
	done := make(chan error, 1)
	go func() { done <- startPinned(cmd, cores) }()
	return <-done
}

// startPinned runs in a goroutine of its own: where the cores of the thread cannot be restored, the thread ends with
// the goroutine.
func startPinned(cmd *exec.Cmd, cores []int) error {
	runtime.LockOSThread()
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("reading the cores of the thread: %w", err)
	}
	for _, c := range cores {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("pinning to cores %v: %w", cores, err)
	}
	err := cmd.Start()
	if unix.SchedSetaffinity(0, &before) == nil {
		runtime.UnlockOSThread()
	}
	return err
}
