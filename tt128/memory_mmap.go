//go:build !race && (linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package tt128

import (
	"errors"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a large page on amd64 and (with 4 KiB pages) arm64.
const hugePage = 2 << 20

// memory is the mapping that holds the clusters; nil holds none.
type memory struct{ mapping []byte }

func (m memory) free() error {
	if m.mapping == nil {
		return nil
	}
	return unix.Munmap(m.mapping)
}

// resident is how many bytes of the mapping occupy memory now, which free
// would give back.
func (m memory) resident() int64 { return residentBytes(m.mapping) }

// allocate maps zeroed clusters of the given bytes (a multiple of clusterBytes)
// outside the Go heap, aligned to a huge page. The mapping is lazy: the system
// commits a page when it is first written.
func allocate(bytes int64) (memory, []cluster, error) {
	if bytes > math.MaxInt-hugePage {
		return memory{}, nil, errors.New("beyond the address space")
	}
	mapping, err := unix.Mmap(-1, 0, int(bytes)+hugePage,
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return memory{}, nil, err
	}
	start := uintptr(unsafe.Pointer(&mapping[0]))
	skip := -start % hugePage
	aligned := mapping[skip : skip+uintptr(bytes)]
	adviseHuge(aligned)
	first := (*cluster)(unsafe.Pointer(&aligned[0]))
	return memory{mapping}, unsafe.Slice(first, bytes/clusterBytes), nil
}
