package nnue

import "golang.org/x/sys/cpu"

// vectorKernels returns the assembly kernels that this processor and its operating system support, the best ones first.
func vectorKernels() (all []*kernels) {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512DQ {
		if x.HasAVX512VNNI {
			all = append(all, &kernels{name: "avx512-vnni", update: updateAVX512, hidden: hiddenAVX512,
				dots: dotsVNNI, activate: activateAVX512, head: headAVX512})
		}
		all = append(all, &kernels{name: "avx512", update: updateAVX512, hidden: hiddenAVX512,
			dots: dotsAVX512, activate: activateAVX512, head: headAVX512})
	}
	if x.HasAVX2 {
		all = append(all, &kernels{name: "avx2", update: updateAVX2, hidden: hiddenAVX2,
			dots: dotsAVX2, activate: activateAVX2, head: headAVX2})
	}
	return all
}
