//go:build unix

package output

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// nonblocking is the flag that keeps the opening of a pipe from waiting for its other end.
const nonblocking = unix.O_NONBLOCK

func lock(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err := raw.Control(func(fd uintptr) { locked = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) }); err != nil {
		return err
	}
	if errors.Is(locked, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	return nil // any other error: this file system knows no locks
}
