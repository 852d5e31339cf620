// Package slow marks tests that are too slow for the race detector. Its invariant: a marked test always runs without the detector,
// and with it unless -short is set.
package slow

import "testing"

// Test skips a test that runs under the race detector with -short, as in make race. It is for a test that is slow there and cannot
// find a race that no other test finds: only one goroutine works in it, or another test runs the same goroutines.
// make test-long runs it under the detector, too.
func Test(t testing.TB) {
	t.Helper()
	if Race && testing.Short() {
		t.Skip("slow under the race detector, and no second goroutine to race with; make test-long runs it")
	}
}
