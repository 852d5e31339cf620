//go:build !amd64

package bestfirst

const vectorRank = false

func rankVector(*frame, pair, int) {}

func averageVector(*frame, pair, int) {}
