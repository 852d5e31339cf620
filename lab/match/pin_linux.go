package match

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

const pinning = true

// machineCores are the cores that this process may use.
func machineCores() []int {
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

// startOn starts the command on the given cores; none: on any. A process inherits the cores of the thread that starts
// it, so no thread of the engine ever runs elsewhere, however early it is made: setting the cores of a running process
// would race with it.
func startOn(cmd *exec.Cmd, cores []int) error {
	if len(cores) == 0 {
		return cmd.Start()
	}
	done := make(chan error, 1)
	go func() { done <- startPinned(cmd, cores) }()
	return <-done
}

// startPinned runs in a goroutine of its own: where the thread's cores cannot be restored, the thread ends with it.
func startPinned(cmd *exec.Cmd, cores []int) error {
	runtime.LockOSThread()
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return fmt.Errorf("reading the thread's cores: %w", err)
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
