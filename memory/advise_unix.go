//go:build !race && (darwin || freebsd || netbsd || openbsd || dragonfly)

package memory

// adviseHuge does nothing: these systems promote large mappings by themselves.
func adviseHuge([]byte) {}

// residentBytes is unknown here, and the available memory is the whole of it,
// so nothing is to be added.
func residentBytes([]byte) int64 { return 0 }
