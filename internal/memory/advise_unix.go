//go:build !race && (darwin || freebsd || netbsd || openbsd || dragonfly)

package memory

// adviseHuge does nothing: these systems promote large mappings by themselves.
func adviseHuge([]byte) {}

// residentBytes is unknown on these systems. Available is all memory of the machine there, so nothing has to be added
// to it.
func residentBytes([]byte) int64 { return 0 }
