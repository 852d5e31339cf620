package bestfirst

import (
	"unsafe"

	"tesla/treesearch"

	"golang.org/x/sys/cpu"
)

var vectorRank = cpu.X86.HasAVX2

func rankVector(f *frame, edges *[treesearch.ChunkSize]edge, best int) {
	rankAVX2((*byte)(unsafe.Pointer(f)), (*byte)(unsafe.Pointer(edges)), best)
}

func averageVector(f *frame, edges *[treesearch.ChunkSize]edge, count int) {
	averageAVX2((*byte)(unsafe.Pointer(f)), (*byte)(unsafe.Pointer(edges)), count)
}
