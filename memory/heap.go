//go:build race || !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package memory

import (
	"errors"
	"math"
	"unsafe"
)

// Mapping is what holds a slice made by Map: nothing beyond the slice itself here, on the Go heap, where the race
// detector sees it.
type Mapping struct{}

// Free gives nothing back: the collector does, in its own time.
func (Mapping) Free() error { return nil }

// Resident counts nothing.
func (Mapping) Resident() int64 { return 0 }

// alignment is that of a cache line.
const alignment = 64

// Map makes n zeroed elements, aligned to a cache line if their size divides one.
func Map[T any](n int64) (Mapping, []T, error) {
	size := int64(unsafe.Sizeof(*new(T)))
	if n < 1 || n > (math.MaxInt-alignment)/size {
		return Mapping{}, nil, errors.New("beyond the address space")
	}
	block := make([]T, n+max(1, alignment/size))
	skip := -uintptr(unsafe.Pointer(&block[0])) % alignment / uintptr(size)
	return Mapping{}, block[skip:][:n:n], nil
}
