//go:build race

package slow

// Race tells whether the race detector is on, under which times mean nothing.
const Race = true
