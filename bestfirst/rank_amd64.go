package bestfirst

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"tesla/memory"
)

var vectorRank = cpu.X86.HasAVX2

func rankVector(q *question, edges *[memory.ChunkSize]edge, best int) {
	rankAVX2((*byte)(unsafe.Pointer(q)), (*byte)(unsafe.Pointer(edges)), best)
}

func averageVector(q *question, edges *[memory.ChunkSize]edge, count int) {
	averageAVX2((*byte)(unsafe.Pointer(q)), (*byte)(unsafe.Pointer(edges)), count)
}
