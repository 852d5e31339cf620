// Package beat does something again and again beside other work.
package beat

import "time"

// Every calls f once in each interval, in a goroutine of its own, until stop is called. stop waits for the call in progress.
func Every(interval time.Duration, f func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(interval)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
			case <-done:
				return
			}
			select {
			case <-done: // a tick that came during the last call is of no use any more
				return
			default:
				f()
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
