package bestfirst

import (
	"unsafe"

	"tesla/treesearch"

	"golang.org/x/sys/cpu"
)

var vectorRank = cpu.X86.HasAVX2

func rankVector(q *question, edges *[treesearch.ChunkSize]edge, best int) {
	rankAVX2((*byte)(unsafe.Pointer(q)), (*byte)(unsafe.Pointer(edges)), best)
}

func averageVector(q *question, edges *[treesearch.ChunkSize]edge, count int) {
	averageAVX2((*byte)(unsafe.Pointer(q)), (*byte)(unsafe.Pointer(edges)), count)
}
