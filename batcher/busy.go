package batcher

import (
	"sync"
	"time"
)

// BusyClock sums the time in which at least one thing runs. Its zero value is ready; it is safe for concurrent use.
type BusyClock struct {
	mu    sync.Mutex
	count int       // things that run
	since time.Time // when count last left zero
	sum   time.Duration
}

// Begin notes that one more thing runs.
func (c *BusyClock) Begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count++; c.count == 1 {
		c.since = time.Now()
	}
}

// End notes that one thing has ended.
func (c *BusyClock) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count--; c.count == 0 {
		c.sum += time.Since(c.since)
	}
}

// Total is the sum up to now.
func (c *BusyClock) Total() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count > 0 {
		return c.sum + time.Since(c.since)
	}
	return c.sum
}

// NetBusy is how long the net of a backend, or of the one that it decorates, has run on the busiest device. It is 0
// where the backend does not say.
func NetBusy(b Backend) time.Duration {
	for {
		switch x := b.(type) {
		case interface{ NetBusy() time.Duration }:
			return x.NetBusy()
		case interface{ Unwrap() Backend }:
			b = x.Unwrap()
		default:
			return 0
		}
	}
}
