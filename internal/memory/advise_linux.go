//go:build linux && !race

package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages, which save a TLB miss on nearly every probe of a large table. A kernel without them
// works as well, so the error is ignored.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

// residentBytes is the size of the pages of a mapping that are in memory, by mincore(2).
func residentBytes(mapping []byte) int64 {
	const chunk = 1 << 30
	page := unix.Getpagesize()
	state := make([]byte, min(chunk, len(mapping))/page+1)
	var bytes int64
	for from := 0; from < len(mapping); from += chunk {
		part := mapping[from:min(from+chunk, len(mapping))]
		_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&part[0])),
			uintptr(len(part)), uintptr(unsafe.Pointer(&state[0])))
		if errno != 0 {
			return bytes
		}
		for _, s := range state[:(len(part)+page-1)/page] {
			bytes += int64(s&1) * int64(page)
		}
	}
	return bytes
}
