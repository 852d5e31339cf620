//go:build !linux

package memory

// Large is unknown: only Linux says it.
func Large() (bytes int64, known bool) { return 0, false }
