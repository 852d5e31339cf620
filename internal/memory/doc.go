// Package memory makes slices outside the Go heap, on huge pages where the system has them, and tells how much memory
// is available. The transposition table and the search trees lie in such slices: the garbage collector does not scan
// them, and they are given back to the system at once.
//
// Under the race detector, and on systems without mmap, the slices lie on the Go heap.
package memory
