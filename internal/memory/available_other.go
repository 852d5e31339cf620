//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package memory

// Available is unknown on this system: an allocation that is too large fails.
func Available() (available int64, known bool) { return 0, false }
