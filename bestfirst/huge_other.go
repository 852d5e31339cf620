//go:build !linux

package bestfirst

func adviseHuge[T any]([]T) {}
