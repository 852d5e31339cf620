//go:build !amd64

package bestfirst

import "tesla/treesearch"

const vectorRank = false

func rankVector(*question, *[treesearch.ChunkSize]edge, int) {}

func averageVector(*question, *[treesearch.ChunkSize]edge, int) {}
