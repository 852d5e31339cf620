//go:build unix

package models

import (
	"testing"

	"golang.org/x/sys/unix"
)

// namedPipe makes a named pipe and returns its path.
func namedPipe(t *testing.T, path string) string {
	t.Helper()
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
