package memory

// Large is how many bytes of the process lie in large pages of the system, as it says.
func Large() (bytes int64, known bool) {
	return statField("/proc/self/smaps_rollup", "AnonHugePages:", 1<<10)
}
