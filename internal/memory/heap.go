//go:build race || !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package memory

import (
	"errors"
	"math"
	"unsafe"
)

// Mapping holds the memory of a slice made by Map. Here the slice is on the Go heap, where the race detector sees it,
// and the Mapping is empty.
type Mapping struct{}

// Free does nothing: the garbage collector frees the slice.
func (Mapping) Free() error { return nil }

// Resident is 0: Free gives nothing back.
func (Mapping) Resident() int64 { return 0 }

// alignment is the size of a cache line, in bytes.
const alignment = 64

// Map makes a slice of n zeroed elements. It is aligned to a cache line if the size of an element divides that of a
// line.
func Map[T any](n int64) (Mapping, []T, error) {
	size := int64(unsafe.Sizeof(*new(T)))
	if n < 1 || n > (math.MaxInt-alignment)/size {
		return Mapping{}, nil, errors.New("beyond the address space")
	}
	block := make([]T, n+max(1, alignment/size))
	skip := -uintptr(unsafe.Pointer(&block[0])) % alignment / uintptr(size)
	return Mapping{}, block[skip:][:n:n], nil
}
