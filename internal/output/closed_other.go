//go:build !cgo || !unix

package output

// closedAtStart is false: without C nothing can look before Go's runtime opens the null device.
func closedAtStart() bool { return false }
