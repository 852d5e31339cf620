package bestfirst

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var vectorRank = cpu.X86.HasAVX2

func rankVector(f *frame, p pair, best int) {
	rankAVX2((*byte)(unsafe.Pointer(f)), (*byte)(unsafe.Pointer(p.low)), (*byte)(unsafe.Pointer(p.high)), best)
}

func averageVector(f *frame, p pair, count int) {
	averageAVX2((*byte)(unsafe.Pointer(f)), (*byte)(unsafe.Pointer(p.low)), (*byte)(unsafe.Pointer(p.high)), count)
}
