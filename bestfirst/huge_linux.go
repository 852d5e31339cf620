package bestfirst

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge asks for huge pages below a large slice: its memory is written in random order.
func adviseHuge[T any](s []T) {
	if len(s) == 0 {
		return
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]))
	const page = 1 << 21
	skip := -uintptr(unsafe.Pointer(&b[0])) & (page - 1)
	if end := uintptr(len(b)) &^ (page - 1); end > skip+page {
		_ = unix.Madvise(b[skip:end-page], unix.MADV_HUGEPAGE) // advice: without it the tree is only slower
	}
}
