//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package memory

// Available is unknown here; the runtime then decides.
func Available() (available int64, known bool) { return 0, false }
