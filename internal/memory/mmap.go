//go:build !race && (linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package memory

import (
	"errors"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a large page on amd64 and (with 4 KiB pages) arm64.
const hugePage = 2 << 20

// Mapping holds the memory of a slice made by Map. Its zero value holds none.
type Mapping struct{ bytes []byte }

// Free gives the memory back to the system. The slice must not be used any more.
func (m Mapping) Free() error {
	if m.bytes == nil {
		return nil
	}
	return unix.Munmap(m.bytes)
}

// Resident is the number of bytes of the mapping that occupy memory now, and that Free would give back.
func (m Mapping) Resident() int64 { return residentBytes(m.bytes) }

// Map makes a slice of n zeroed elements outside the Go heap, aligned to a huge page. T must not contain pointers. The
// system commits a page when it is first written.
func Map[T any](n int64) (Mapping, []T, error) {
	size := int64(unsafe.Sizeof(*new(T)))
	if n < 1 || n > (math.MaxInt-hugePage)/size {
		return Mapping{}, nil, errors.New("beyond the address space")
	}
	mapping, err := unix.Mmap(-1, 0, int(n*size)+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return Mapping{}, nil, err
	}
	skip := -uintptr(unsafe.Pointer(&mapping[0])) % hugePage
	aligned := mapping[skip : skip+uintptr(n*size)]
	adviseHuge(aligned)
	return Mapping{mapping}, unsafe.Slice((*T)(unsafe.Pointer(&aligned[0])), n), nil
}
