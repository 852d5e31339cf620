package tablebase

import (
	"sync"
	"sync/atomic"

	"tesla/board"
	"tesla/tablebase/syzygy"
)

const (
	// readers is how many goroutines read in the background. They wait for disks, which serve several reads at a time.
	readers = 8
	// mostRequests bounds the requests that wait for a reader. Further ones are refused.
	mostRequests = 256
)

// Answer is what a request ends with: the score of the position for the side to move, or why it is not known.
type Answer struct {
	Ref uint32 // of the request
	CP  int
	Err error
}

// request is a position that is to be probed in the background.
type request struct {
	by       *Prober
	position board.Position
	ref      uint32
	answers  chan<- Answer // nil: nobody waits, the tables' cache is to have it
}

// reading is what reads in the background. Its goroutines start with the first request and end with end.
type reading struct {
	requests chan request
	start    sync.Once
	ending   atomic.Bool
	work     sync.WaitGroup
}

// ask hands a request to the readers; false where too many wait.
func (r *reading) ask(q request) bool {
	r.start.Do(func() {
		for range readers {
			r.work.Go(r.read)
		}
	})
	select {
	case r.requests <- q:
		return true
	default:
		return false
	}
}

// read answers requests until there are no more.
func (r *reading) read() {
	for q := range r.requests {
		if r.ending.Load() {
			continue
		}
		a := Answer{Ref: q.ref}
		if a.CP, a.Err = q.by.score(&q.position, syzygy.Hard); q.answers != nil {
			q.answers <- a
		}
	}
}

// end drops the requests that wait, and ends the goroutines.
func (r *reading) end() {
	r.ending.Store(true)
	close(r.requests)
	r.work.Wait()
}
