package beat

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestEvery has calls that take longer than an interval: none overlaps another, and none comes after stop.
func TestEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, done := 0, 0
		stop := Every(time.Second, func() {
			begun++
			time.Sleep(1500 * time.Millisecond)
			done++
		})
		time.Sleep(3100 * time.Millisecond) // the second call is in progress
		if begun != 2 || done != 1 {
			t.Errorf("%d calls begun, %d done", begun, done)
		}
		stop()
		time.Sleep(time.Minute)
		if begun != 2 || done != 2 {
			t.Errorf("after stop %d calls begun, %d done", begun, done)
		}
	})
}
