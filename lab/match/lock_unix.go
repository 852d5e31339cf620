//go:build unix

package match

import (
	"os"
	"syscall"
)

// lock keeps other processes from locking the file until it is closed, or until this process ends in any way.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
