//go:build amd64 || arm64

package memory

import "unsafe"

// Prefetch asks the processor for the cache line at p and does not wait for it. It never faults, whatever the address.
//
//go:noescape
func Prefetch(p unsafe.Pointer)
