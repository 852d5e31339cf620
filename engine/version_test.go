package engine

import "testing"

// A release is named by its version; without one, and without a commit, the name says so.
func TestVersion(t *testing.T) {
	if got := Version(); got != Commit() && got != "development" || got == "unknown" {
		t.Errorf("no release: %q", got)
	}
	release = "1.2.0"
	defer func() { release = "" }()
	if got := Version(); got != "1.2.0" {
		t.Errorf("a release: %q", got)
	}
}
