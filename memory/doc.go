// Package memory makes slices too large for the Go heap, on huge pages where the system has them, and tells how much
// memory the machine has left.
package memory
