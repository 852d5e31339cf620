package treemachine

import (
	"testing"
	"time"
)

// A task that was stopped leaves nothing for the next one to wait for.
func TestPaceAfterStop(t *testing.T) {
	x := newExecutor(nil, time.Second, nil)
	x.slow(time.Now(), 1000, func() bool { return true })
	if x.paced.After(time.Now()) {
		t.Errorf("the next task waits until %v", x.paced)
	}
}
