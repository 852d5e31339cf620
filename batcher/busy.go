package batcher

import (
	"sync"
	"time"
)

// busyClock sums the time in which anything is under way.
type busyClock struct {
	mu    sync.Mutex
	count int // under way
	since time.Time
	sum   time.Duration
}

func (c *busyClock) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count++; c.count == 1 {
		c.since = time.Now()
	}
}

func (c *busyClock) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count--; c.count == 0 {
		c.sum += time.Since(c.since)
	}
}

// total is the sum to the present.
func (c *busyClock) total() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count > 0 {
		return c.sum + time.Since(c.since)
	}
	return c.sum
}

// netBusy is how long the net of a backend or of the one that it decorates has run, of its busiest device; 0 where it does not
// say.
func netBusy(b Backend) time.Duration {
	for {
		switch x := b.(type) {
		case interface{ netBusy() time.Duration }:
			return x.netBusy()
		case interface{ Unwrap() Backend }:
			b = x.Unwrap()
		default:
			return 0
		}
	}
}
