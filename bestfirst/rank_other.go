//go:build !amd64

package bestfirst

import "tesla/treesearch"

const vectorRank = false

func rankVector(*frame, *[treesearch.ChunkSize]edge, int) {}

func averageVector(*frame, *[treesearch.ChunkSize]edge, int) {}
