//go:build race || !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package tt128

import (
	"errors"
	"math"
	"unsafe"
)

// memory is what holds the clusters: nothing beyond the slice itself here, on
// the Go heap, where the race detector sees them.
type memory struct{}

func (memory) free() error { return nil }

// resident counts nothing: the collector gives an old table back in its own time.
func (memory) resident() int64 { return 0 }

// allocate makes zeroed clusters, aligned to their size, of the given bytes (a
// multiple of clusterBytes).
func allocate(bytes int64) (memory, []cluster, error) {
	if bytes > math.MaxInt-clusterBytes {
		return memory{}, nil, errors.New("beyond the address space")
	}
	block := make([]cluster, bytes/clusterBytes+1)
	start := uintptr(unsafe.Pointer(&block[0]))
	skip := -start % clusterBytes
	first := (*cluster)(unsafe.Add(unsafe.Pointer(&block[0]), skip))
	return memory{}, unsafe.Slice(first, bytes/clusterBytes), nil
}
