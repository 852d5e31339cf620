//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package tt128

// availableMemory is unknown here; the runtime then decides.
func availableMemory() (available int64, known bool) { return 0, false }
