//go:build !amd64

package bestfirst

import "tesla/memory"

const vectorRank = false

func rankVector(*question, *[memory.ChunkSize]edge, int) {}

func averageVector(*question, *[memory.ChunkSize]edge, int) {}
