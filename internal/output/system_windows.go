package output

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// nonblocking is no flag here: the pipes that a path can name have another end.
const nonblocking = 0

// lock locks a byte that lies beyond the end of any file, since others may not read the bytes that are locked.
func lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: math.MaxInt32}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return nil // any other error: this file system knows no locks
}
