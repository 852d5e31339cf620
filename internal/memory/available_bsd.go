//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package memory

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Available is the memory of the machine in bytes. These systems do not tell an ordinary process how much of it is
// free.
func Available() (available int64, known bool) {
	name := "hw.physmem"
	switch runtime.GOOS {
	case "darwin":
		name = "hw.memsize"
	case "netbsd":
		name = "hw.physmem64"
	}
	bytes, err := unix.SysctlUint64(name)
	return int64(bytes), err == nil
}
