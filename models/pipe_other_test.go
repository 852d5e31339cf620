//go:build !unix

package models

import "testing"

// namedPipe returns nothing: there are no named pipes in the file system here.
func namedPipe(*testing.T, string) string { return "" }
