//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package memory

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Available is the memory of the machine in bytes, the nearest that these
// systems tell without privileges.
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
